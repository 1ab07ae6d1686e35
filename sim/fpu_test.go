package sim_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/mprof/mprof/sim"
)

// cross compiles a C file of testdata for the board, and skips the test where
// there is no compiler, unless CI promises one.
func cross(t *testing.T, flags ...string) []byte {
	t.Helper()
	gcc, err := exec.LookPath("arm-none-eabi-gcc")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("arm-none-eabi-gcc is not installed: scripts/setup.sh test installs it")
	}
	out := t.TempDir() + "/a.elf"
	args := append([]string{"-mthumb", "-O1", "-g", "-nostdlib", "-ffreestanding", "-T", "testdata/board.ld", "-o", out}, flags...)
	if msg, err := exec.Command(gcc, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, msg)
	}
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The core has a floating-point unit where the build attributes ask for one,
// or the options; the processor is the same.
func TestFPU(t *testing.T) {
	soft := cross(t, "-mcpu=cortex-m4", "-mfloat-abi=soft", "testdata/minimal.c")
	hard := cross(t, "-mcpu=cortex-m4", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard", "testdata/minimal.c")
	softfp := cross(t, "-mcpu=cortex-m4", "-mfpu=fpv4-sp-d16", "-mfloat-abi=softfp", "testdata/minimal.c")
	fpv5 := cross(t, "-mcpu=cortex-m7", "-mfpu=fpv5-sp-d16", "-mfloat-abi=hard", "testdata/minimal.c")
	double := cross(t, "-mcpu=cortex-m7", "-mfpu=fpv5-d16", "-mfloat-abi=hard", "testdata/minimal.c")
	for _, c := range []struct {
		name   string
		elf    []byte
		option sim.FPU
		fpu    bool
		remark string
	}{
		{"soft", soft, sim.FPUAsBuilt, false, ""},
		{"soft, forced", soft, sim.FPUPresent, true, ""},
		{"hard", hard, sim.FPUAsBuilt, true, ""},
		{"hard, without", hard, sim.FPUAbsent, false, "board has none"},
		{"softfp", softfp, sim.FPUAsBuilt, true, ""},
		{"FPv5", fpv5, sim.FPUAsBuilt, true, "FPv5"},
		{"double", double, sim.FPUAsBuilt, true, "double precision"},
		{"hard, no attributes", unattributed(t, hard), sim.FPUAsBuilt, true, "does not say"},
		{"soft, no attributes", unattributed(t, soft), sim.FPUAsBuilt, false, "does not say"},
	} {
		b := newBoard(t, sim.Options{ELF: c.elf, FPU: c.option})
		mvfr0, _ := b.Core().ReadBus(0xe000ef40, 4)
		cpuid, _ := b.Core().ReadBus(0xe000ed00, 4)
		if (mvfr0 == 0x10110021) != c.fpu || cpuid != 0x410fc241 {
			t.Errorf("%s: MVFR0 0x%08x CPUID 0x%08x", c.name, mvfr0, cpuid)
		}
		if r := strings.Join(b.Remarks(), " "); !strings.Contains(r, c.remark) || (r == "") != (c.remark == "") {
			t.Errorf("%s: remarks %q", c.name, r)
		}
	}
	m0 := cross(t, "-mcpu=cortex-m0", "testdata/minimal.c")
	if _, err := sim.New(sim.Options{ELF: m0, FPU: sim.FPUPresent}); err == nil || !strings.HasPrefix(err.Error(), "sim: firmware: ") {
		t.Errorf("ARMv6-M with an FPU: %v", err)
	}
}

// unattributed is an ELF whose section of build attributes goes by another name.
func unattributed(t *testing.T, elf []byte) []byte {
	t.Helper()
	out := bytes.Replace(elf, []byte(".ARM.attributes\x00"), []byte(".arm.attributes\x00"), 1)
	if bytes.Equal(out, elf) || binary.LittleEndian.Uint32(elf[36:])>>24 != 5 {
		t.Fatal("no build attributes")
	}
	return out
}
