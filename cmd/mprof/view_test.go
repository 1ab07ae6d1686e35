package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// viewed runs mprof view until the test ends, and returns the address that it printed.
func viewed(t *testing.T, args ...string) string {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	out, in := io.Pipe()
	var stderr bytes.Buffer
	a := &app{stdout: in, stderr: &stderr}
	root := a.root()
	root.SetArgs(append([]string{"view", "--no-browser"}, args...))
	ended := make(chan int, 1)
	go func() {
		code := a.report(root.ExecuteContext(ctx))
		in.Close()
		ended <- code
	}()
	line, _ := bufio.NewReader(out).ReadString('\n')
	t.Cleanup(func() {
		stop()
		if code := <-ended; code != 0 {
			t.Errorf("exit code %d: %s", code, stderr.String())
		}
	})
	if !strings.HasPrefix(line, "http") {
		t.Fatalf("%q is no address: %s", line, stderr.String())
	}
	return strings.TrimSpace(line)
}

// serverOf is the address of the symbol server in one of the Firefox Profiler.
func serverOf(t *testing.T, page string) string {
	t.Helper()
	u, err := url.Parse(page)
	if err != nil {
		t.Fatal(err)
	}
	server := u.Query().Get("symbolServer")
	if profile, _ := url.PathUnescape(strings.TrimPrefix(u.EscapedPath(), "/from-url/")); profile != server+"/profile.json/" {
		t.Errorf("the profile is at %s, the symbol server at %s", profile, server)
	}
	return server
}

// frontEnd is the Firefox Profiler's own code (profiler-cli), which asks as the page does.
type frontEnd struct {
	t              *testing.T
	tools, session string
}

func newFrontEnd(t *testing.T, page string) *frontEnd {
	t.Helper()
	tools := os.Getenv("MPROF_NODE_TOOLS")
	if tools == "" {
		tools = filepath.Join("..", "..", ".tools")
	}
	f := &frontEnd{t: t, tools: filepath.Join(tools, "bin")}
	if _, err := os.Stat(filepath.Join(f.tools, "profiler-cli.js")); err != nil {
		give := t.Skipf
		if os.Getenv("CI") == "true" {
			give = t.Fatalf
		}
		give("the Firefox Profiler's loader is not installed (scripts/node-tools.sh does it): %v", err)
	}
	session, err := os.MkdirTemp("", "mprof-cli") // the paths of sockets are limited, and t.TempDir is long
	if err != nil {
		t.Fatal(err)
	}
	f.session = session
	t.Cleanup(func() {
		_, _ = f.command("stop", "mprof")
		_ = os.RemoveAll(session)
	})
	out, err := f.command("load", page)
	for try := 0; err != nil && try < 40 && strings.Contains(out, "did not become ready"); try++ { // a busy machine
		time.Sleep(500 * time.Millisecond)
		if _, statusErr := f.command("status"); statusErr == nil {
			return f
		}
	}
	if err != nil {
		t.Fatalf("load %s: %v\n%s", page, err, out)
	}
	return f
}

func (f *frontEnd) command(args ...string) (string, error) {
	cmd := exec.Command(filepath.Join(f.tools, "node"), append([]string{filepath.Join(f.tools, "profiler-cli.js")}, append(args, "--session", "mprof")...)...)
	cmd.Env = append(os.Environ(), "PROFILER_CLI_SESSION_DIR="+f.session)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (f *frontEnd) json(into any, args ...string) {
	f.t.Helper()
	out, err := f.command(append(args, "--json")...)
	if err == nil {
		err = json.Unmarshal([]byte(out[max(0, strings.IndexByte(out, '{')):]), into)
	}
	if err != nil {
		f.t.Fatalf("%q: %v\n%s", args, err, out)
	}
}

// handles are the front-end's names of functions.
func (f *frontEnd) handles() map[string]string {
	var all struct {
		Functions []struct{ Name, FunctionHandle string }
	}
	f.json(&all, "thread", "functions", "--include-idle", "--limit", "0")
	handles := map[string]string{}
	for _, fn := range all.Functions {
		handles[fn.Name] = fn.FunctionHandle
	}
	return handles
}

// annotation is what the front-end shows of a function's source and machine code.
type annotation struct {
	SrcAnnotation *struct {
		Lines []struct {
			LineNumber, SelfSamples, TotalSamples int
			SourceText                            *string
		}
	}
	AsmAnnotations []struct {
		SymbolName   string
		FetchError   *string
		Instructions []struct {
			Address                   uint32
			SelfSamples, TotalSamples int
			DecodedString             string
		}
	}
	Warnings []string
}

// The Firefox Profiler's own code loads the address that mprof view prints, and asks for sources and machine code: it gets
// them, and shows the numbers that mprof report prints.
func TestViewInFrontEnd(t *testing.T) {
	dir := t.TempDir()
	pb := filepath.Join(dir, "run.pb.gz") // has no sources in it: the front-end must ask
	if s := mprof(t.Context(), nil, "sample", "--probe", "sim", "--duration", "20", "--seed", "1", "-q", "-o", pb); s.code != 0 {
		t.Fatal(s.stderr)
	}
	f := newFrontEnd(t, viewed(t, pb))
	handles := f.handles()
	for _, name := range []string{"partition", "fir_apply", "parse_object", "__aeabi_fdiv"} {
		if handles[name] == "" {
			continue
		}
		var ours struct {
			Annotate []struct {
				Lines []struct {
					Line        int
					Text        *string
					Self, Total struct{ Samples int }
				}
			}
			Disasm []struct {
				Low          uint32
				Instructions []struct {
					Addr        uint32
					Text        string
					Self, Total struct{ Samples int }
				}
			}
		}
		s := mprof(t.Context(), nil, "report", pb, "--annotate", "^"+name+"$", "--disasm", "^"+name+"$", "--json")
		if err := json.Unmarshal([]byte(s.stdout), &ours); err != nil {
			t.Fatalf("%v: %s", err, s.stderr)
		}
		var theirs annotation
		f.json(&theirs, "function", "annotate", handles[name], "--mode", "all", "--context", "file")
		if len(theirs.AsmAnnotations) != 1 || theirs.AsmAnnotations[0].FetchError != nil || len(theirs.AsmAnnotations[0].Instructions) != len(ours.Disasm[0].Instructions) {
			t.Fatalf("%s: %+v, %v", name, theirs.AsmAnnotations, theirs.Warnings)
		}
		base := ours.Disasm[0].Low - theirs.AsmAnnotations[0].Instructions[0].Address
		for i, got := range theirs.AsmAnnotations[0].Instructions {
			want := ours.Disasm[0].Instructions[i]
			if got.Address+base != want.Addr || got.DecodedString != want.Text || got.SelfSamples != want.Self.Samples {
				t.Errorf("%s: %+v, report has %+v", name, got, want)
			}
		}
		if strings.HasPrefix(name, "__") {
			continue // of a library without debug information
		}
		shown := map[int]string{}
		for _, l := range theirs.SrcAnnotation.Lines {
			if l.SourceText != nil {
				shown[l.LineNumber] = *l.SourceText
			}
		}
		for _, l := range ours.Annotate[0].Lines {
			if text, ok := shown[l.Line]; !ok || l.Text == nil || text != *l.Text {
				t.Errorf("%s: line %d is %q (%v)", name, l.Line, text, theirs.Warnings)
			}
		}
	}
}

// A profile without names gets them from the symbol server, as the front-end asks for them.
func TestViewSymbolicates(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "run.json")
	if s := mprof(t.Context(), nil, "sample", "--probe", "sim", "--duration", "5", "--seed", "1", "-q", "-o", file); s.code != 0 {
		t.Fatal(s.stderr)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var p map[string]any
	if err := json.Unmarshal(text, &p); err != nil {
		t.Fatal(err)
	}
	named := unname(t, p)
	text, err = json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
	f := newFrontEnd(t, viewed(t, file, "--elf", filepath.Join("..", "..", "firmware", "demo", "demo.elf")))
	got := f.handles()
	found := 0
	for name := range named {
		if got[name] != "" {
			found++
		} else {
			t.Logf("%s is not there", name)
		}
	}
	if found < 50 || found < len(named)*9/10 {
		log, _ := os.ReadFile(filepath.Join(f.session, "mprof.log"))
		t.Errorf("%d of %d names:\n%s", found, len(named), log)
	}
}

// unname takes the names of all physical functions out of a profile, and says which they were: each frame is of a function
// of its own, named by its address, as profilers write it that leave the names to a symbol server.
func unname(t *testing.T, p map[string]any) map[string]bool {
	t.Helper()
	named := map[string]bool{}
	p["meta"].(map[string]any)["symbolicated"] = false
	delete(p, "mprof")
	shared := p["shared"].(map[string]any)
	strings := shared["stringArray"].([]any)
	frames, funcs := shared["frameTable"].(map[string]any), shared["funcTable"].(map[string]any)
	column := func(table map[string]any, name string) []any { return table[name].([]any) }
	for i, address := range column(frames, "address") {
		if address.(float64) < 0 || column(frames, "inlineDepth")[i].(float64) != 0 {
			continue
		}
		old := int(column(frames, "func")[i].(float64))
		named[strings[int(column(funcs, "name")[old].(float64))].(string)] = true
		strings = append(strings, fmt.Sprintf("0x%x", int(address.(float64))))
		for name, value := range map[string]any{"name": len(strings) - 1, "isJS": false, "relevantForJS": false, "resource": 0, "source": nil, "lineNumber": nil, "columnNumber": nil, "originalLocation": nil} {
			funcs[name] = append(column(funcs, name), value)
		}
		n := int(funcs["length"].(float64))
		funcs["length"] = float64(n + 1)
		frames["func"].([]any)[i] = float64(n)
		frames["nativeSymbol"].([]any)[i] = nil
		frames["line"].([]any)[i] = nil
	}
	for i := range column(funcs, "name") {
		if n, ok := column(funcs, "name")[i].(int); ok {
			funcs["name"].([]any)[i] = float64(n)
		}
	}
	shared["stringArray"] = strings
	return named
}

// What is served is what the guard lets through: the page of the Firefox Profiler, by its preflight too, and no other.
func TestViewGuard(t *testing.T) {
	dir := t.TempDir()
	folded := filepath.Join(dir, "a.folded")
	if err := os.WriteFile(folded, []byte("main;work 3\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	server := serverOf(t, viewed(t, folded, "--profiler", "https://profiler.example/"))
	ask := func(method, path string, headers ...string) *http.Response {
		r, err := http.NewRequest(method, server+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		return response
	}
	const friend = "https://profiler.example"
	r := ask("OPTIONS", "/symbolicate/v5", "Origin", friend, "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "user-agent", "Access-Control-Request-Private-Network", "true")
	if r.StatusCode != 204 || r.Header.Get("Access-Control-Allow-Origin") != friend || !strings.Contains(strings.ToLower(r.Header.Get("Access-Control-Allow-Headers")), "user-agent") ||
		r.Header.Get("Access-Control-Allow-Private-Network") != "true" {
		t.Errorf("preflight: %s, %v", r.Status, r.Header)
	}
	if r := ask("GET", "/profile.json", "Origin", friend, "Sec-Fetch-Site", "cross-site"); r.StatusCode != 200 || r.Header.Get("Access-Control-Allow-Origin") != friend {
		t.Errorf("profile: %s, %v", r.Status, r.Header)
	}
	for name, r := range map[string]*http.Response{
		"the usual viewer": ask("GET", "/profile.json", "Origin", "https://profiler.firefox.com"),
		"another page":     ask("GET", "/profile.json", "Origin", "https://evil.example"),
		"a file":           ask("GET", "/a.folded"),
	} {
		if r.StatusCode < 400 || r.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: %s, %v", name, r.Status, r.Header)
		}
	}
}

// A file that is in the format of the Firefox Profiler already is served as it is, with what mprof does not read.
func TestViewKeepsFirefoxFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "run.json.gz")
	if s := mprof(t.Context(), nil, "sample", "--probe", "sim", "--duration", "1", "-q", "-o", file); s.code != 0 {
		t.Fatal(s.stderr)
	}
	response, err := http.Get(serverOf(t, viewed(t, file)) + "/profile.json")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var got map[string]any
	if err := json.NewDecoder(response.Body).Decode(&got); err != nil || got["mprof"] == nil || got["shared"] == nil {
		t.Errorf("%v: %d members", err, len(got))
	}
}

// pprof's pages are served under the secret path alone.
func TestViewPprof(t *testing.T) {
	file := filepath.Join(t.TempDir(), "run.json.gz")
	if s := mprof(t.Context(), nil, "sample", "--probe", "sim", "--duration", "2", "-q", "-o", file); s.code != 0 {
		t.Fatal(s.stderr)
	}
	page := viewed(t, file, "--pprof")
	for path, want := range map[string]string{"flamegraph": "wait_for_interrupt", "top": "wait_for_interrupt", "disasm?f=fir_apply": "ldr", "source?f=partition": "median_of_three"} {
		response, err := http.Get(strings.TrimSuffix(page, "flamegraph") + path)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(response.Body)
		response.Body.Close()
		if response.StatusCode != 200 || !strings.Contains(string(text), want) || !strings.Contains(response.Header.Get("Content-Security-Policy"), "frame-ancestors 'none'") {
			t.Errorf("%s: %s, %v", path, response.Status, response.Header)
		}
	}
}

// Command lines that make no sense cost one sentence.
func TestViewBadInput(t *testing.T) {
	folded := filepath.Join(t.TempDir(), "a.folded")
	if err := os.WriteFile(folded, []byte("main;work 3\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"", 2, "which profile"},
		{folded + " " + folded, 2, "one profile"},
		{folded + " --profiler ftp://a", 2, "a URL is needed"},
		{folded + " --profiler https://a --pprof", 2, "which of the two"},
		{folded + ".none", 1, "no such file"},
		{folded + " --address 192.0.2.1:0 --no-browser", 1, "reached from other machines"},
		{folded + " --address 127.0.0.1:x --no-browser", 1, "no address to listen on"},
	} {
		s := mprof(t.Context(), nil, append([]string{"view"}, strings.Fields(c.args)...)...)
		if s.code != c.code || !strings.Contains(s.stderr, c.want) {
			t.Errorf("%s: exit code %d, %q", c.args, s.code, s.stderr)
		}
	}
}
