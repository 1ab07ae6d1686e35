//go:build linux

package strangers

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/mprof/mprof/sim"
)

// fpProgram is the two-task program of the board's tests, built for a
// floating-point unit.
func fpProgram(t *testing.T) []byte {
	t.Helper()
	gcc := tool(t, "arm-none-eabi-gcc", "gcc-arm-none-eabi")
	out := filepath.Join(t.TempDir(), "fptasks.elf")
	cmd := exec.Command(gcc, "-mthumb", "-mcpu=cortex-m4", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard", "-O2", "-g", "-ffp-contract=off", "-fno-math-errno",
		"-DLAZY=1", "-nostdlib", "-ffreestanding", "-T", "board.ld", "-o", out, "fptasks.c")
	cmd.Dir = "../testdata"
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	elf, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return elf
}

// TestOpenOCDFPU: OpenOCD finds the floating-point unit by MVFR0, and reads and
// writes D0 to D15 and FPSCR of a halted core.
func TestOpenOCDFPU(t *testing.T) {
	r := newRig(t, sim.Options{ELF: fpProgram(t), Seed: 1})
	o := startOpenOCD(r)
	r.board.Sleep(t.Context(), 2*time.Millisecond)
	o.do("halt")
	names := []string{"fpscr", "control"}
	for i := range 16 {
		names = append(names, fmt.Sprintf("d%d", i))
	}
	compare := func() {
		t.Helper()
		got := strings.Fields(o.do("get_reg -force {%s}", strings.Join(names, " ")))
		values := map[string]string{}
		for i := 0; i+1 < len(got); i += 2 {
			values[got[i]] = got[i+1]
		}
		want := map[string]string{
			"fpscr":   fmt.Sprintf("0x%08x", r.register(0x21)),
			"control": fmt.Sprintf("0x%02x", r.register(20)>>24),
		}
		for i := range uint8(16) {
			want[fmt.Sprintf("d%d", i)] = fmt.Sprintf("0x%08x%08x", r.register(0x41+2*i), r.register(0x40+2*i))
		}
		for _, n := range names {
			if values[n] != want[n] {
				t.Errorf("%s: OpenOCD has %q, the core %s", n, values[n], want[n])
			}
		}
	}
	compare()
	if r.register(0x50) == 0 && r.register(0x41) == 0 || r.register(20)>>26&1 == 0 {
		t.Errorf("nothing was computed yet: S1 %08x S16 %08x CONTROL %08x", r.register(0x41), r.register(0x50), r.register(20))
	}
	o.do("set_reg {d15 0x0123456789abcdef fpscr 0x00400000}")
	o.do("step") // before it registers are written
	compare()
	if r.register(0x5e) != 0x89abcdef || r.register(0x5f) != 0x01234567 || r.register(0x21)>>22&3 != 1 {
		t.Errorf("written: S30 %08x S31 %08x FPSCR %08x", r.register(0x5e), r.register(0x5f), r.register(0x21))
	}
	o.do("resume")
	o.shutdown()
	r.running()
}

// TestGDBFPU: gdb shows floating-point arguments, and stacks through exception
// frames with floating-point state that was put off.
func TestGDBFPU(t *testing.T) {
	elf := fpProgram(t)
	r := newPacedRig(t, sim.Options{ELF: elf, Seed: 1})
	dir := t.TempDir()
	got := runGDB(r, dir, elf,
		"monitor reset halt", "maintenance flush register-cache",
		"break polynomial", "continue", "info registers s0 fpscr", "delete",
		"break urgent_handler", "continue", "bt", "finish",
		"monitor resume", "detach")
	for _, want := range []string{
		`Breakpoint 1, polynomial \(x=(x@entry=)?0\.81900006`, // 3.9 * 0.3 * 0.7
		`(?m)^s0 +0\.81900006`,
		`(?m)^fpscr +0x`,
		`(?m)^#0  urgent_handler .*\n#1  <signal handler called>\n#2  .*systick_handler .*\n#3  <signal handler called>\n(#\d+ .*\n)*#\d+ .*(first|second)_task`,
		`(?m)^systick_handler \(\) at`, // finished
	} {
		if !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("gdb does not say %q", want)
		}
	}
	if t.Failed() {
		t.Log(got)
	}
	r.running()
}
