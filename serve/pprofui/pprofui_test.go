package pprofui

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/mprof/mprof/export"
	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/symbol"
)

// demo is the built-in firmware with samples in the middle of partition and of its callers, as a run has them, and
// functions whose files are elsewhere.
func demo(t *testing.T) (*profile.Profile, *symbol.Program) {
	t.Helper()
	im, err := symbol.Open("../../firmware/demo/demo.elf")
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
	rows := profile.NewRows()
	at := profile.StackIndex(profile.None)
	track := profile.ThreadTrack{Name: "Core 0"}
	for _, name := range []string{"sort_range", "partition"} {
		for _, f := range im.FunctionSymbols() {
			if f.Names[0] != name {
				continue
			}
			l := im.Lookup(f.Low + 40)
			outer := l[len(l)-1]
			at = rows.Stack(at, rows.Frame(profile.Frame{Function: rows.Function(profile.Function{Name: outer.Name, Linkage: outer.Linkage, File: outer.File, Line: outer.Line}, f.Low),
				Symbol: rows.Symbol(profile.Symbol{Name: name, Low: f.Low, High: f.High}), Addr: f.Low + 40, File: outer.CallFile, Line: outer.CallLine}))
			track.Samples = append(track.Samples, profile.Sample{Stack: at, Count: 7, Weight: 7})
		}
	}
	for name, file := range map[string]string{"evil": secret, "relative": "etc/passwd", "deep": "../../../../../../etc/hostname", "carried": `C:\app\carried.c`} {
		s := rows.Stack(profile.None, rows.Frame(profile.Frame{Function: rows.Function(profile.Function{Name: name, File: file, Line: 1}, 0), Symbol: profile.None, File: file, Line: 1}))
		track.Samples = append(track.Samples, profile.Sample{Stack: s, Count: 1, Weight: 1})
	}
	p := rows.Finish()
	p.Threads, p.Mapping = []profile.ThreadTrack{track}, program.Mappings()[0]
	p.Sources = map[string]string{`C:\app\carried.c`: "int carried_text;\n"}
	return p, program
}

// secret is a file of this machine that a profile names.
const secret = "/etc/passwd"

// open starts the pages.
func open(t *testing.T, p *profile.Profile, program *symbol.Program) *UI {
	t.Helper()
	ui, err := New(p, program, func(text string) { t.Log(text) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := ui.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(ui.dir); err == nil {
			t.Errorf("%s is still there", ui.dir)
		}
	})
	return ui
}

func get(t *testing.T, ui *UI, path string) (int, string) {
	t.Helper()
	w := httptest.NewRecorder()
	ui.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
	if csp := w.Header().Get("Content-Security-Policy"); w.Code == 200 && (!strings.Contains(csp, "default-src 'none'") || !strings.Contains(csp, "connect-src 'self'")) {
		t.Errorf("%s: the policy is %q", path, csp)
	}
	return w.Code, w.Body.String()
}

// The pages are there, with the numbers, the source and the machine code of the program; links are relative, so that they
// stay below the secret path, and nothing is asked for elsewhere.
func TestPages(t *testing.T) {
	p, program := demo(t)
	ui := open(t, p, program)
	for path, want := range map[string]string{
		"/flamegraph": "partition", "/top": "partition", "/peek?f=partition": "partition", "/source?f=^partition$": "median_of_three",
		"/disasm?f=partition": "stmdb sp!, {r3, r4, r5, r6, r7, r8, r9, sl, fp, lr}", "/download": "\x1f\x8b",
	} {
		code, body := get(t, ui, path)
		if code != 200 || !strings.Contains(body, want) {
			t.Errorf("%s: %d, no %q", path, code, want)
		}
		if outside := regexp.MustCompile(`(src|href|action)="(https?:|/)[^"]*"`).FindString(body); outside != "" {
			t.Errorf("%s: %s", path, outside)
		}
	}
	if code, _ := get(t, ui, "/debug/pprof/"); code != 404 {
		t.Errorf("a page that is not pprof's: %d", code)
	}
}

// No page has the text of a file that the profile names and the debug information does not.
func TestForeignSources(t *testing.T) {
	text, err := os.ReadFile(secret)
	if err != nil {
		t.Skipf("%v", err)
	}
	line, _, _ := strings.Cut(string(text), "\n")
	p, program := demo(t)
	ui := open(t, p, program)
	for _, page := range []string{"/source?f=.", "/disasm?f=.", "/peek?f=.", "/source?f=evil", "/source?f=relative", "/source?f=deep"} {
		_, body := get(t, ui, page)
		host, _ := os.ReadFile("/etc/hostname")
		if strings.Contains(body, line) || len(host) > 3 && strings.Contains(body, ">"+strings.TrimSpace(string(host))+"<") {
			t.Errorf("%s shows a file of this machine", page)
		}
	}
	if _, body := get(t, ui, "/source?f=carried"); !strings.Contains(body, "carried_text") {
		t.Error("what the profile carries is not shown")
	}
}

// Whatever a file is called, its copy is below the folder.
func TestInside(t *testing.T) {
	for _, name := range []string{"/etc/passwd", "../../a.c", "a/../../b.c", `C:\x\..\..\y.c`, `\\host\share\a.c`, "", ".", "/", "a\x00b", "//a//b"} {
		got := filepath.Join("/dir", inside(name))
		if got != "/dir" && !strings.HasPrefix(got, "/dir/") {
			t.Errorf("%q: %s", name, got)
		}
	}
}

// What is downloaded is the profile as it was, and pages show files by their names.
func TestNames(t *testing.T) {
	p, program := demo(t)
	ui := open(t, p, program)
	_, body := get(t, ui, "/download")
	got, err := export.Read(strings.NewReader(body), export.Input{})
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range p.Functions {
		if got.Functions[i].Name == f.Name && got.Functions[i].File != f.File {
			t.Errorf("%s is in %s", f.Name, got.Functions[i].File)
		}
	}
	if _, body := get(t, ui, "/source?f=partition"); !strings.Contains(body, ">firmware/demo/src/sort.c<") || strings.Contains(body, ui.dir) {
		t.Error("the page shows the name of the copy")
	}
}

// pprof's own tool for objects gets the program's images and no other file.
func TestObjects(t *testing.T) {
	p, program := demo(t)
	o := objects{program, sources{}}
	if _, err := o.Open(secret, 0, 0, 0, ""); err == nil {
		t.Error("another file was opened")
	}
	f, err := o.Open(p.Mapping.Path, 0, 0, 0, "")
	if err != nil {
		t.Fatal(err)
	}
	syms, err := f.Symbols(regexp.MustCompile("^partition$"), 0)
	if err != nil || len(syms) != 1 || syms[0].Start != 0x080021dc {
		t.Fatalf("%+v, %v", syms, err)
	}
	inst, err := o.Disasm(p.Mapping.Path, syms[0].Start, syms[0].End, false)
	if err != nil || uint64(len(inst)) < (syms[0].End-syms[0].Start)/4 || inst[0].Addr != syms[0].Start || inst[0].Function != "partition" {
		t.Errorf("%d instructions, %v", len(inst), err)
	}
	for _, r := range [][2]uint64{{1 << 32, 1<<32 + 4}, {8, 4}, {0, 1<<32 - 1}} {
		if _, err := o.Disasm(p.Mapping.Path, r[0], r[1], false); err == nil {
			t.Errorf("%x was disassembled", r)
		}
	}
	if _, err := f.SourceLine(1 << 40); err == nil {
		t.Error("an address of 40 bits has a line")
	}
	if _, err := f.Symbols(nil, 1<<40); err != nil {
		t.Error(err)
	}
}
