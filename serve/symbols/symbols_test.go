package symbols

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/mprof/mprof/symbol"
)

const demo = "../../firmware/demo/demo.elf"

// demoHandler serves the built-in firmware. Its sources are relative to the root of the repository.
func demoHandler(t testing.TB) (http.Handler, *symbol.Image, symbol.Mapping) {
	t.Helper()
	im, err := symbol.Open(demo)
	if err != nil {
		t.Fatal(err)
	}
	im.SetSource(func(file string) (string, bool) {
		text, err := os.ReadFile("../../" + file)
		return string(text), err == nil
	})
	program, err := symbol.NewProgram(im)
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = io.WriteString(z, `{"meta":{}}`)
	z.Close()
	h := Handler(Options{Profile: packed.Bytes(), Sources: map[string]string{"carried.c": "int x;\n"}, Program: program})
	return h, im, program.Mappings()[0]
}

// post asks and decodes the answer.
func post(t testing.TB, h http.Handler, path, body string, into any) (status int) {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("POST", path, strings.NewReader(body)))
	if err := json.Unmarshal(w.Body.Bytes(), into); err != nil {
		t.Fatalf("%s: %v in %s", path, err, w.Body)
	}
	if ct := w.Header().Get("Content-Type"); !strings.HasPrefix(ct, "application/json") {
		t.Errorf("%s: Content-Type %s", path, ct)
	}
	return w.Code
}

// Each function of the built-in firmware is answered as objdump -d prints it, instruction for instruction, asked for as the
// front-end does.
func TestAssemblyIsObjdump(t *testing.T) {
	const tool = "arm-none-eabi-objdump"
	if _, err := exec.LookPath(tool); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("%s is missing; scripts/setup.sh test installs it", tool)
		}
		t.Skipf("%s is not installed; scripts/setup.sh test installs it", tool)
	}
	out, err := exec.Command(tool, "-d", "-z", demo).Output()
	if err != nil {
		t.Fatal(err)
	}
	want := map[uint64]string{}
	for line := range strings.Lines(string(out)) {
		at, rest, ok := strings.Cut(strings.TrimRight(line, "\t\n"), ":\t")
		addr, err := strconv.ParseUint(strings.TrimSpace(at), 16, 32)
		if _, text, isCode := strings.Cut(rest, "\t"); ok && err == nil && isCode {
			want[addr] = text
		}
	}
	h, im, m := demoHandler(t)
	asked, compared := map[uint64]bool{}, 0
	for _, f := range im.FunctionSymbols() {
		for _, whole := range []bool{false, true} {
			size := f.High - f.Low
			if whole {
				size = 2
			}
			var got struct {
				StartAddress, Size, Arch string
				Syntax                   []string
				Instructions             [][]any
				Error                    string
			}
			body := fmt.Sprintf(`{"debugName":%q,"debugId":%q,"name":%q,"codeId":"%x","startAddress":"0x%x","size":"0x%x","continueUntilFunctionEnd":%v}`,
				m.Name, m.DebugID(), m.Name, m.BuildID, f.Low-m.LoadBase, size, whole)
			if status := post(t, h, "/asm/v1", body, &got); status != 200 || got.Error != "" || got.Arch != "arm" || len(got.Syntax) != 1 {
				t.Fatalf("%s: %d, %+v", f.Names[0], status, got)
			}
			if got.Size != fmt.Sprintf("0x%x", f.High-f.Low) || got.StartAddress != fmt.Sprintf("0x%x", f.Low-m.LoadBase) {
				t.Errorf("%s: %s bytes at %s", f.Names[0], got.Size, got.StartAddress)
			}
			for _, i := range got.Instructions {
				addr := uint64(f.Low) + uint64(i[0].(float64))
				if asked[addr], compared = true, compared+1; i[1] != want[addr] {
					t.Errorf("0x%x: %q, objdump says %q", addr, i[1], want[addr])
				}
			}
		}
	}
	for addr := range want {
		if _, inside := im.Bounds(uint32(addr)); inside && !asked[addr] {
			t.Errorf("0x%x: objdump has %q, and it is in no answer", addr, want[addr])
		}
	}
	if compared < 10000 {
		t.Errorf("%d instructions", compared)
	}
}

// Addresses have the names, lines and inlined calls of the debug information; jobs are several or one.
func TestSymbolicate(t *testing.T) {
	h, im, m := demoHandler(t)
	var addrs []string
	var want []uint32
	for _, f := range im.FunctionSymbols() {
		for addr := f.Low; addr < f.High; addr += 14 {
			addrs, want = append(addrs, fmt.Sprintf("[0,%d]", addr-m.LoadBase)), append(want, addr)
		}
	}
	job := fmt.Sprintf(`{"memoryMap":[[%q,%q],["other.so","00"]],"stacks":[[%s],[[-1,5],[0,4294967295]]]}`, m.Name, m.DebugID(), strings.Join(addrs, ","))
	inlined := 0
	for _, body := range []string{`{"jobs":[` + job + `]}`, job} {
		var got struct{ Results []jobResult }
		if status := post(t, h, "/symbolicate/v5", body, &got); status != 200 || len(got.Results) != 1 || len(got.Results[0].Stacks[0]) != len(want) {
			t.Fatalf("%d: %d results", status, len(got.Results))
		}
		r := got.Results[0]
		if found := r.FoundModules[m.Name+"/"+m.DebugID()]; found == nil || !*found {
			t.Errorf("%v", r.FoundModules)
		}
		if other, ok := r.FoundModules["other.so/00"]; !ok || other != nil {
			t.Errorf("a module of no address: %v", r.FoundModules)
		}
		for i, f := range r.Stacks[0] {
			at := im.Lookup(want[i])
			outer := at[len(at)-1]
			if f.Frame != i || f.Module != m.Name || f.Function != outer.Name || uint32(*f.FunctionOffset) != want[i]-outer.Low || f.FunctionSize == nil || len(f.Inlines) != len(at)-1 {
				t.Fatalf("0x%x: %+v, want %+v", want[i], f, at)
			}
			for k, in := range f.Inlines {
				if inlined++; in.Function != at[k].Name || in.Line != at[k].CallLine || in.File != at[k].CallFile {
					t.Errorf("0x%x: %+v, want %+v", want[i], in, at[k])
				}
			}
		}
		if no := r.Stacks[1]; no[0].Function != "" || no[0].Module != "" || no[1].Function != "" || no[1].Module != m.Name {
			t.Errorf("%+v", no)
		}
	}
	if inlined < 100 {
		t.Errorf("%d inlined calls", inlined)
	}
}

// A file is sent where the profile carries it, or the debug information names it at the address; no other one is, by
// whatever path.
func TestSource(t *testing.T) {
	h, im, m := demoHandler(t)
	partition := uint32(0)
	for _, f := range im.FunctionSymbols() {
		if f.Names[0] == "partition" {
			partition = f.Low
		}
	}
	ask := func(file, id string, addr uint32) (text, sentence string) {
		var got struct {
			File, Source, Error string
		}
		body, _ := json.Marshal(map[string]string{"debugName": m.Name, "debugId": id, "moduleOffset": fmt.Sprintf("0x%x", addr-m.LoadBase), "file": file})
		if status := post(t, h, "/source/v1", string(body), &got); status != 200 {
			t.Errorf("%s: status %d", file, status)
		}
		if got.Error == "" && got.File != file {
			t.Errorf("asked for %s, got %s", file, got.File)
		}
		return got.Source, got.Error
	}
	if text, err := ask("firmware/demo/src/sort.c", m.DebugID(), partition); !strings.Contains(text, "median_of_three") || err != "" {
		t.Errorf("sort.c: %q, %s", text, err)
	}
	if text, err := ask("carried.c", "", 0); text != "int x;\n" || err != "" {
		t.Errorf("carried.c: %q, %s", text, err)
	}
	for _, file := range []string{
		"firmware/demo/src/json.c", // of the program, and not of this function
		"/etc/passwd", "../../../../etc/passwd", "firmware/demo/src/../../../go.mod", "firmware/demo/src/sort.c/../sort.c", "./firmware/demo/src/sort.c",
		demo, "serve/symbols/symbols.go", "file:///etc/passwd", "sort.c", "firmware/demo/src/sort.c\x00",
	} {
		if text, err := ask(file, m.DebugID(), partition); text != "" || err == "" {
			t.Errorf("%q: %.40q", file, text)
		}
	}
	if text, err := ask("firmware/demo/src/sort.c", "000000000000000000000000000000000", partition); text != "" || !strings.Contains(err, m.DebugID()) {
		t.Errorf("another id: %q, %s", text, err)
	}
}

// What is malformed is refused with a sentence in JSON; methods and paths that are not there are not.
func TestRefusals(t *testing.T) {
	h, _, m := demoHandler(t)
	id := fmt.Sprintf(`"debugName":%q,"debugId":%q`, m.Name, m.DebugID())
	for _, c := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"POST", "/symbolicate/v5", ``, 400, "malformed"},
		{"POST", "/symbolicate/v5", `[]`, 400, "malformed"},
		{"POST", "/symbolicate/v5", `{}`, 400, "neither jobs"},
		{"POST", "/symbolicate/v5", `{"jobs":[{"memoryMap":[["a"]],"stacks":[]}]}`, 400, "no pair"},
		{"POST", "/symbolicate/v5", `{"jobs":[{"memoryMap":[],"stacks":[[[0,1]]]}]}`, 400, "not in the memoryMap"},
		{"POST", "/symbolicate/v5", `{"jobs":[{"memoryMap":[["a","b"]],"stacks":[[[0,-1]]]}]}`, 400, "no pair"},
		{"POST", "/symbolicate/v5", `{"jobs":[{"memoryMap":[["a","b"]],"stacks":[[[0,99999999999999999999]]]}]}`, 400, "no pair"},
		{"POST", "/symbolicate/v5", `{"jobs":[{"memoryMap":[["a","b"]],"stacks":[[[0,1]]]}]}`, 200, "module_errors"},
		{"POST", "/source/v1", `{"file":"a.c"}`, 400, "no moduleOffset"},
		{"POST", "/source/v1", `{"file":"a.c","moduleOffset":5}`, 400, "no number"},
		{"POST", "/asm/v1", `{` + id + `,"startAddress":"0x1"}`, 400, "no size"},
		{"POST", "/asm/v1", `{` + id + `,"startAddress":"12","size":"0x4"}`, 400, "no number"},
		{"POST", "/asm/v1", `{` + id + `,"startAddress":"0x1ffffffff","size":"0x4"}`, 400, "32 bits"},
		{"POST", "/asm/v1", `{` + id + `,"startAddress":"0x7fffffff","size":"0x4"}`, 200, "is no code"},
		{"POST", "/asm/v1", `{` + id + `,"startAddress":"0x200","size":"0xffffffff"}`, 200, "at most"},
		{"POST", "/asm/v1", `{"startAddress":"0x200","size":"0x4"}`, 200, "no ELF file that mprof has open"},
		{"GET", "/asm/v1", ``, 405, ""},
		{"POST", "/profile.json", ``, 405, ""},
		{"POST", "/asm/v2", `{}`, 404, ""},
		{"GET", "/../../etc/passwd", ``, 307, ""},
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(c.method, c.path, strings.NewReader(c.body)))
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s %s %s: %d, %s", c.method, c.path, c.body, w.Code, w.Body)
		}
	}
	w := httptest.NewRecorder()
	r := httptest.NewRequest("POST", "/asm/v1", strings.NewReader(strings.Repeat(" ", 100)))
	r.Body = http.MaxBytesReader(w, r.Body, 99)
	if h.ServeHTTP(w, r); w.Code != http.StatusRequestEntityTooLarge || !strings.Contains(w.Body.String(), "more than 99 bytes") {
		t.Errorf("oversized: %d, %s", w.Code, w.Body)
	}
}

// Without the ELF file there are no symbols, and the sentence says what to do.
func TestWithoutProgram(t *testing.T) {
	h := Handler(Options{Sources: map[string]string{"a.c": "text"}})
	var got struct{ Source, Error string }
	post(t, h, "/source/v1", `{"file":"a.c","moduleOffset":"0x0"}`, &got)
	if got.Source != "text" {
		t.Errorf("%+v", got)
	}
	post(t, h, "/asm/v1", `{"debugId":"00","startAddress":"0x0","size":"0x2"}`, &got)
	if !strings.Contains(got.Error, "--elf") {
		t.Errorf("%+v", got)
	}
}

// The profile is sent compressed to those who take it so, and as text to others.
func TestProfile(t *testing.T) {
	h, _, _ := demoHandler(t)
	for header, packed := range map[string]bool{"gzip, deflate, br": true, "": false, "br": false, "gzip;q=0": false, "br;q=0.5, *": true, "gzip; q=0.2": true} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("GET", "/profile.json", nil)
		r.Header.Set("Accept-Encoding", header)
		h.ServeHTTP(w, r)
		body := io.Reader(w.Body)
		if encoding := w.Header().Get("Content-Encoding"); (encoding == "gzip") != packed {
			t.Errorf("%q: %s", header, encoding)
		}
		if packed {
			z, err := gzip.NewReader(body)
			if err != nil {
				t.Fatal(err)
			}
			body = z
		}
		if text, _ := io.ReadAll(body); string(text) != `{"meta":{}}` {
			t.Errorf("%q: %s", header, text)
		}
	}
}

// FuzzRequest: whatever is asked, the answer is JSON, and has no source that the program does not name.
func FuzzRequest(f *testing.F) {
	h, _, m := demoHandler(f)
	id := fmt.Sprintf(`"debugName":%q,"debugId":%q`, m.Name, m.DebugID())
	f.Add("/symbolicate/v5", fmt.Sprintf(`{"jobs":[{"memoryMap":[[%q,%q]],"stacks":[[[0,4096]]]}]}`, m.Name, m.DebugID()))
	f.Add("/source/v1", `{`+id+`,"moduleOffset":"0x21dc","file":"firmware/demo/src/sort.c"}`)
	f.Add("/asm/v1", `{`+id+`,"startAddress":"0x21dc","size":"0x20","continueUntilFunctionEnd":true}`)
	f.Add("/asm/v1", `{"startAddress":"0x`)
	f.Fuzz(func(t *testing.T, path, body string) {
		switch path {
		case "/symbolicate/v5", "/source/v1", "/asm/v1":
		default:
			return
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("POST", path, strings.NewReader(body)))
		var got struct{ Source, File string }
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != 200 && w.Code != 400 {
			t.Fatalf("%d: %v in %s", w.Code, err, w.Body)
		}
		if got.Source != "" && got.File != "carried.c" && !strings.HasPrefix(got.File, "firmware/demo/src/") {
			t.Errorf("%s was sent", got.File)
		}
	})
}
