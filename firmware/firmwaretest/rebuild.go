// Package firmwaretest proves that a committed ELF file is what its sources
// give. In: the file and the folder of its Makefile. Out: a test's verdict.
package firmwaretest

import (
	"bytes"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const compiler = "arm-none-eabi-gcc"

// requireCompiler skips without the compiler that built the committed file;
// where CI is set, it fails: there the proof is what the test is for.
func requireCompiler(t *testing.T, f *elf.File) {
	t.Helper()
	give := t.Skipf
	if os.Getenv("CI") == "true" {
		give = t.Fatalf
	}
	if testing.Short() {
		t.Skip("compiles the firmware")
	}
	for _, tool := range []string{compiler, "make"} {
		if _, err := exec.LookPath(tool); err != nil {
			give("%v (Debian and Ubuntu: apt install gcc-arm-none-eabi libnewlib-arm-none-eabi make)", err)
		}
	}
	out, err := exec.Command(compiler, "--version").Output()
	if err != nil {
		t.Fatal(err)
	}
	// "arm-none-eabi-gcc (15:12.2.rel1-1) 12.2.1 20221205" there, "GCC: (15:12.2.rel1-1) 12.2.1 20221205" in .comment
	installed, _, _ := strings.Cut(string(out), "\n")
	_, installed, _ = strings.Cut(installed, " ")
	comment, err := f.Section(".comment").Data()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(comment, []byte(installed)) {
		give("%s is %q, the committed firmware was built by %q", compiler, installed, bytes.Trim(comment, "\x00"))
	}
}

// Rebuild makes the ELF file called name with the Makefile of the current
// folder and compares it with the committed one: every loaded byte, and the
// build id, which covers the debug information too. It skips where the compiler
// that built the committed file is not there, and fails there where CI=true.
func Rebuild(t *testing.T, committed []byte, name string) {
	t.Helper()
	old := open(t, committed)
	requireCompiler(t, old)
	out := t.TempDir()
	if text, err := exec.Command("make", "-s", "OUT="+out).CombinedOutput(); err != nil {
		t.Fatalf("make: %v\n%s", err, text)
	}
	data, err := os.ReadFile(filepath.Join(out, name))
	if err != nil {
		t.Fatal(err)
	}
	built := open(t, data)
	if diff := cmp.Diff(segments(t, old), segments(t, built)); diff != "" {
		t.Errorf("loaded segments (-committed +rebuilt); run: make firmware\n%s", diff)
	}
	const buildID = ".note.gnu.build-id"
	if diff := cmp.Diff(section(t, old, buildID), section(t, built, buildID)); diff != "" {
		t.Errorf("build id (-committed +rebuilt); run: make firmware\n%s", diff)
	}
}

func open(t *testing.T, data []byte) *elf.File {
	t.Helper()
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

type segment struct {
	Vaddr, Paddr, MemSize uint64
	Data                  []byte
}

func segments(t *testing.T, f *elf.File) []segment {
	t.Helper()
	var all []segment
	for _, p := range f.Progs {
		if p.Type != elf.PT_LOAD {
			continue
		}
		s := segment{p.Vaddr, p.Paddr, p.Memsz, make([]byte, p.Filesz)}
		if _, err := p.ReadAt(s.Data, 0); err != nil && p.Filesz > 0 {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	if len(all) == 0 {
		t.Fatal("no PT_LOAD")
	}
	return all
}

func section(t *testing.T, f *elf.File, name string) []byte {
	t.Helper()
	data, err := f.Section(name).Data()
	if err != nil || len(data) == 0 {
		t.Fatalf("%s: %d bytes, %v", name, len(data), err)
	}
	return data
}
