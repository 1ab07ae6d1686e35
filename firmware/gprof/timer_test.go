package gprof_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// At every interval a port's registers hold what profile_on is told, and the varied ones are within an eighth of it.
func TestIntervals(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("maps memory at the addresses of the registers")
	}
	tool(t, "cc", "apt install gcc libc6-dev")
	for _, port := range []struct {
		name   string
		reload uint32 // what it holds at most
		flags  []string
	}{
		{"cmsdk", 0xffffffff, []string{"port/cmsdk_timer.c", "-DTIMER_PAGE=0x40001000", "-DTIMER_RELOAD_AT=0x40001008", "-DTIMER_PRESCALER_AT=0x40001ffc"}},
		{"stm32", 0xffffffff, []string{"port/stm32_timer.c", "-DGPROF_CPU_HZ=168000000u", "-DTIMER_PAGE=0x40000000", "-DTIMER_RELOAD_AT=0x40000c2c", "-DTIMER_PRESCALER_AT=0x40000c28"}},
		{"stm32-16", 0xffff, []string{"port/stm32_timer.c", "-DGPROF_CPU_HZ=168000000u", "-DGPROF_TIMER_NUMBER=3", "-DTIMER_PAGE=0x40000000", "-DTIMER_RELOAD_AT=0x4000042c", "-DTIMER_PRESCALER_AT=0x40000428"}},
	} {
		program := filepath.Join(t.TempDir(), port.name)
		args := append([]string{"-g", "-O1", "-Wall", "-Wextra", "-Werror", "-fno-pie", "-no-pie", "-Isrc", "-o", program, "testdata/pc/timer.c"}, port.flags...)
		if out, err := exec.Command("cc", args...).CombinedOutput(); err != nil {
			t.Fatalf("cc: %v\n%s", err, out)
		}
		for _, us := range []uint32{1, 97, 997, 3500, 1e6, 20e6, 26e6, 60e6, 171e6, 4e9, 0xffffffff} {
			out, err := exec.Command(program, fmt.Sprint(us)).Output()
			if err != nil {
				t.Fatalf("%s: %v", port.name, err)
			}
			var hz, period, prescaler, shortest, longest uint32
			if _, err := fmt.Sscan(string(out), &hz, &period, &prescaler, &shortest, &longest); err != nil {
				t.Fatalf("%s: %q: %v", port.name, out, err)
			}
			step := float64(prescaler) + 1
			least, most := (float64(shortest)+1)*step/float64(period), (float64(longest)+1)*step/float64(period)
			if prescaler > 0xffff || longest > port.reload || least < 0.874 || most > 1.126 || least > 1 || most < 1 {
				t.Errorf("%s, %d us: told %d / %d s, prescaler %d, reloads from %d to %d: %.3f to %.3f of the interval", port.name, us, period, hz, prescaler, shortest, longest, least, most)
			}
			if asked := float64(us) * 1e-6 * float64(hz); asked > 1000 && asked < 3.7e9 && (float64(period) < 0.999*asked || float64(period) > 1.001*asked) {
				t.Errorf("%s, %d us: told %d / %d s", port.name, us, period, hz)
			}
		}
	}
}
