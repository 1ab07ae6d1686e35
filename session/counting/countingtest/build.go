// Package countingtest builds a program that counts itself with firmware/gprof, for tests. In: how
// it is to count, a simulated board. Out: the path of an ELF file, and what the board's memory holds of
// its counters.
package countingtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
)

// Firmware is how the program of testdata is built: functions of known shares, calls of known
// numbers, with firmware/mprof as well.
type Firmware struct {
	Memory   int  // bytes for counters
	Bucket   int  // bytes of code that share one
	Interval int  // of the timer, microseconds
	Low      int  // where the histogram begins
	NoUART   bool // without the commands of mprof gmon
}

// Plain has room for all that it counts.
var Plain = Firmware{Memory: 8192, Bucket: 4, Interval: 997}

// folder is that of this file.
var folder = sync.OnceValue(func() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(file)
})

// ELF builds it in a folder that goes with the test. Without the compiler the test is skipped; where
// CI=true it fails.
func (f Firmware) ELF(t testing.TB) string {
	t.Helper()
	const gcc = "arm-none-eabi-gcc"
	if _, err := exec.LookPath(gcc); err != nil {
		give := t.Skipf
		if os.Getenv("CI") == "true" {
			give = t.Fatalf
		}
		give("%v (Debian and Ubuntu: scripts/setup.sh test installs it)", err)
	}
	dir := t.TempDir()
	top, own := filepath.Join(folder(), "..", "..", "..", "firmware"), filepath.Join(folder(), "testdata")
	flags := []string{"-mcpu=cortex-m3", "-mthumb", "-O2", "-g", "-ffunction-sections", "-ffreestanding", "-Wall", "-Werror",
		fmt.Sprintf("-DBOARD_HZ=%du", coreHz), fmt.Sprintf("-DBOARD_LOOPS_PER_MS=(%d/4000)", coreHz), "-DBOARD_MPROF_WORDS=2048", "-DMPROF_TIME_PORT",
		fmt.Sprintf("-DMEMORY=%d", f.Memory), fmt.Sprintf("-DBUCKET=%d", f.Bucket), fmt.Sprintf("-DINTERVAL_US=%d", f.Interval), fmt.Sprintf("-DLOW=%d", f.Low)}
	for _, include := range []string{"examples/board", "mprof/src", "mprof/port", "gprof/src"} {
		flags = append(flags, "-I"+filepath.Join(top, include))
	}
	run := func(args ...string) {
		t.Helper()
		if out, err := exec.Command(gcc, args...).CombinedOutput(); err != nil {
			t.Fatalf("%s %v: %v\n%s", gcc, args, err, out)
		}
	}
	main := filepath.Join(dir, "main.o")
	run(append(flags, "-pg", "-c", filepath.Join(own, "main.c"), "-o", main)...)
	sources := []string{filepath.Join(own, "chip.c"), filepath.Join(top, "examples/board/startup.c"), filepath.Join(top, "mprof/port/cmsdk.c"), filepath.Join(top, "gprof/port/cmsdk_timer.c")}
	for _, pattern := range []string{"mprof/src/*.c", "gprof/src/*.c", "gprof/src/*.S"} {
		some, err := filepath.Glob(filepath.Join(top, pattern))
		if err != nil || len(some) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		sources = append(sources, some...)
	}
	if !f.NoUART {
		sources = append(sources, filepath.Join(top, "mprof/optional/mprof_gprof.c"))
	}
	elf := filepath.Join(dir, "gmon.elf")
	link := append(flags, "-nostartfiles", "--specs=nano.specs", "-L"+filepath.Join(top, "examples/board"), "-Tmps2.ld", "-Wl,--gc-sections", "-Wl,--build-id=sha1",
		"-Wl,--no-warn-rwx-segments", "-Wl,-z,noexecstack", "-o", elf, main)
	run(append(link, sources...)...)
	return elf
}
