package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// gmonFirmware is how the program of testdata/gmon is built.
type gmonFirmware struct {
	memory   int // bytes for counters
	bucket   int
	interval int  // microseconds
	low      int  // where the histogram begins
	noUART   bool // without the commands of mprof gmon
}

// gmonBoard is the simulated board that the program is for.
const gmonBoard = "board=mps2-an385,clock=25M"

// ELF builds it in a folder that goes with the test.
func (f gmonFirmware) ELF(t testing.TB) string {
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
	top := filepath.Join("..", "..", "firmware")
	flags := []string{"-mcpu=cortex-m3", "-mthumb", "-O2", "-g", "-ffunction-sections", "-ffreestanding", "-Wall", "-Werror",
		"-DBOARD_HZ=25000000u", "-DBOARD_LOOPS_PER_MS=(25000000/4000)", "-DBOARD_MPROF_WORDS=2048", "-DMPROF_TIME_PORT",
		fmt.Sprintf("-DMEMORY=%d", f.memory), fmt.Sprintf("-DBUCKET=%d", f.bucket), fmt.Sprintf("-DINTERVAL_US=%d", f.interval), fmt.Sprintf("-DLOW=%d", f.low)}
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
	run(append(flags, "-pg", "-c", "testdata/gmon/main.c", "-o", main)...)
	sources := []string{"testdata/gmon/chip.c", filepath.Join(top, "examples/board/startup.c"), filepath.Join(top, "mprof/port/cmsdk.c"), filepath.Join(top, "gprof/port/cmsdk_timer.c")}
	for _, pattern := range []string{"mprof/src/*.c", "gprof/src/*.c", "gprof/src/*.S"} {
		some, err := filepath.Glob(filepath.Join(top, pattern))
		if err != nil || len(some) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		sources = append(sources, some...)
	}
	if !f.noUART {
		sources = append(sources, filepath.Join(top, "mprof/optional/mprof_gprof.c"))
	}
	elf := filepath.Join(dir, "gmon.elf")
	link := append(flags, "-nostartfiles", "--specs=nano.specs", "-L"+filepath.Join(top, "examples/board"), "-Tmps2.ld", "-Wl,--gc-sections", "-Wl,--build-id=sha1",
		"-Wl,--no-warn-rwx-segments", "-Wl,-z,noexecstack", "-o", elf, main)
	run(append(link, sources...)...)
	return elf
}
