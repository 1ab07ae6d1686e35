package fit

import (
	"bytes"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const demoFolder = "../../firmware/demo"

// requireTools skips without the tools; where CI is set it fails.
func requireTools(t *testing.T, tools ...string) {
	t.Helper()
	if testing.Short() {
		t.Skip("compiles firmware")
	}
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			if os.Getenv("CI") == "true" {
				t.Fatalf("%v (scripts/setup.sh test)", err)
			}
			t.Skipf("%v (Debian and Ubuntu: apt install gcc-arm-none-eabi libnewlib-arm-none-eabi gcc-riscv64-unknown-elf make)", err)
		}
	}
}

// copyLoop is the C code in the comment of a fragment.
var copyLoop = regexp.MustCompile(`(?s) \*   (extern uint32_t.*?) \*   \(volatile`)

// pasted is what a user pastes into the startup code: the lines of the
// fragment's comment.
func pasted(t *testing.T, fragment string) string {
	t.Helper()
	m := copyLoop.FindStringSubmatch(fragment)
	if m == nil {
		t.Fatalf("no C code in the comment of\n%s", fragment)
	}
	return "{\n" + strings.ReplaceAll(m[1], " *   ", "") + "}\n"
}

// workshop is a copy of the demo's folder to build it in.
type workshop struct{ dir string }

func newWorkshop(t *testing.T) workshop {
	t.Helper()
	requireTools(t, "arm-none-eabi-gcc", "make")
	w := workshop{t.TempDir()}
	if err := os.CopyFS(w.dir, os.DirFS(demoFolder)); err != nil {
		t.Fatal(err)
	}
	write(t, w.path("Makefile"), read(t, w.path("Makefile"))+"\nLDFLAGS += -Wl,-Map=out/demo.map\n")
	if err := os.Mkdir(w.path("out"), 0o777); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w workshop) path(name string) string { return filepath.Join(w.dir, name) }

// build makes the demo as its Makefile does; with a fragment, linked with it and
// with its copy loop in the reset handler.
func (w workshop) build(t *testing.T, fragment string) (image []byte, linkMap string) {
	t.Helper()
	startup, script := read(t, demoFolder+"/src/startup.c"), read(t, demoFolder+"/src/demo.ld")
	if fragment != "" {
		write(t, w.path("fit.ld"), fragment)
		startup = strings.Replace(startup, "\tmain();\n", pasted(t, fragment)+"\tmain();\n", 1)
		script = strings.Replace(script, "\t.text :", "\tINCLUDE fit.ld\n\t.text :", 1)
	}
	write(t, w.path("src/startup.c"), startup)
	write(t, w.path("src/demo.ld"), script)
	_ = os.Remove(w.path("out/demo.elf"))
	cmd := exec.Command("make", "-s", "OUT=out")
	cmd.Dir = w.dir
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("make: %v\n%s\n%s", err, text, fragment)
	}
	return []byte(read(t, w.path("out/demo.elf"))), read(t, w.path("out/demo.map"))
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// fragment is what WriteFragment writes.
func fragment(t *testing.T, r *Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.WriteFragment(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// sectionBytes is the content of a section.
func sectionBytes(t *testing.T, image []byte, name string) []byte {
	t.Helper()
	f, err := elf.NewFile(bytes.NewReader(image))
	if err != nil {
		t.Fatal(err)
	}
	s := f.Section(name)
	if s == nil {
		t.Fatalf("no section %s", name)
	}
	b, err := s.Data()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// sectionSize is how large a section has become.
func sectionSize(t *testing.T, image []byte, name string) int64 {
	return int64(len(sectionBytes(t, image, name)))
}
