package demo_test

import (
	"bytes"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mprof/mprof/firmware/demo"
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

// The committed ELF is what its sources give: every loaded byte and the build
// id, which covers the debug information too.
func TestRebuild(t *testing.T) {
	committed := open(t)
	requireCompiler(t, committed)
	out := t.TempDir()
	if text, err := exec.Command("make", "-s", "OUT="+out).CombinedOutput(); err != nil {
		t.Fatalf("make: %v\n%s", err, text)
	}
	data, err := os.ReadFile(filepath.Join(out, "demo.elf"))
	if err != nil {
		t.Fatal(err)
	}
	built, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(segments(t, committed), segments(t, built)); diff != "" {
		t.Errorf("loaded segments (-committed +rebuilt): run make -C firmware/demo\n%s", diff)
	}
	if diff := cmp.Diff(section(t, committed, ".note.gnu.build-id"), section(t, built, ".note.gnu.build-id")); diff != "" {
		t.Errorf("build id (-committed +rebuilt): %s", diff)
	}
	if len(data) != len(demo.ELF) {
		t.Errorf("committed file has %d bytes, the rebuilt one %d", len(demo.ELF), len(data))
	}
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
