package listing_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mprof/mprof/disasm"
	"github.com/mprof/mprof/disasm/listing"
	"github.com/mprof/mprof/symbol"
)

// A program of RISC-V, whose variables are near gp and further away, is disassembled as objdump -d does it. Only what objdump
// remembers of the function in front is not there.
func TestListsRISCVAsObjdump(t *testing.T) {
	const gcc = "riscv64-unknown-elf-gcc"
	if _, err := exec.LookPath(gcc); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("%v; scripts/setup.sh test installs it", err)
		}
		t.Skipf("%v; scripts/setup.sh test installs it", err)
	}
	folder, path := "../../unwind/testdata/riscv/", filepath.Join(t.TempDir(), "program.elf")
	if out, err := exec.Command(gcc, "-march=rv32imac", "-mabi=ilp32", "-misa-spec=2.2", "-mcmodel=medany", "--specs=picolibc.specs", "-nostartfiles", "-g", "-O2",
		"-T", folder+"link.ld", "-o", path, folder+"start.S", folder+"program.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want := objdump(t, "riscv64-unknown-elf-objdump", path)
	im, err := symbol.OpenAny(path)
	if err != nil {
		t.Fatal(err)
	}
	listed, near := 0, 0
	for _, f := range im.FunctionSymbols() {
		all, err := listing.New(im).List(f.Range)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range all {
			text, w := disasm.Text(i), want[i.Addr]
			if without, _, _ := strings.Cut(w, " # "); text != w && text != without {
				t.Errorf("0x%x: %q, objdump says %q", i.Addr, text, w)
			}
			if listed++; strings.Contains(text, "(gp) # ") || strings.Contains(text, ",gp,") && i.Comment != "" {
				near++
			}
		}
	}
	if listed < 1000 || near < 5 {
		t.Errorf("%d lines, %d of variables near gp", listed, near)
	}
}
