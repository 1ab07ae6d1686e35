package gprof_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// tool skips without a program; where CI is set, it fails.
func tool(t testing.TB, name, hint string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	switch {
	case err == nil:
	case os.Getenv("CI") == "true":
		t.Fatalf("%v (%s)", err, hint)
	default:
		t.Skipf("%v (%s)", err, hint)
	}
	return path
}

const gccHint = "apt install gcc-arm-none-eabi libnewlib-arm-none-eabi"

// sources are the files of the module.
func sources(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("src/*.[cS]")
	if err != nil || len(files) == 0 {
		t.Fatalf("src: %d files, %v", len(files), err)
	}
	return files
}

// ports are the timers with their settings.
var ports = [][]string{
	{"port/cmsdk_timer.c"},
	{"port/cmsdk_timer.c", "-DGPROF_TIMER_NUMBER=0", "-DGPROF_TIMER_HZ=50000000u"},
	{"port/stm32_timer.c"},
	{"port/stm32_timer.c", "-DGPROF_TIMER_NUMBER=3", "-DGPROF_CPU_HZ=168000000u"},
	{"port/stm32_timer.c", "-DGPROF_TIMER_NUMBER=2", "-DGPROF_TIMER_HZ=72000000u", "-DGPROF_TIMER_BITS=16", "-DGPROF_TIMER_ENABLE=0x4002101Cu", "-DGPROF_TIMER_LINE=28u"},
}

var warnings = strings.Fields("-std=c99 -pedantic -Wall -Wextra -Wshadow -Wconversion -Wundef -Wstrict-prototypes -Werror")

// The module and its ports compile without a warning for every core, by both compilers.
func TestCompiles(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles for all cores")
	}
	cores := strings.Fields("cortex-m0 cortex-m0plus cortex-m3 cortex-m4 cortex-m4+nofp cortex-m7 cortex-m23 cortex-m33")
	targets := strings.Fields("thumbv6m thumbv7m thumbv7em thumbv8m.base thumbv8m.main")
	for _, o := range []string{"-O0", "-Os", "-O2"} {
		t.Run("gcc"+o, func(t *testing.T) {
			gcc := tool(t, "arm-none-eabi-gcc", gccHint)
			for _, core := range cores {
				compile(t, gcc, o, "-mthumb", "-mcpu="+core)
			}
		})
		t.Run("clang"+o, func(t *testing.T) {
			clang := tool(t, "clang", "apt install clang")
			for _, target := range targets {
				compile(t, clang, o, "--target="+target+"-none-eabi", "-ffreestanding")
			}
		})
		t.Run("riscv"+o, func(t *testing.T) {
			gcc := tool(t, "riscv64-unknown-elf-gcc", "apt install gcc-riscv64-unknown-elf")
			compile(t, gcc, o, "-march=rv32imc_zicsr", "-mabi=ilp32", "-ffreestanding")
		})
	}
}

func compile(t *testing.T, compiler string, flags ...string) {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	flags = append(flags, warnings...)
	out := t.TempDir()
	run := func(args ...string) {
		t.Helper()
		c := exec.Command(compiler, append(append([]string{"-c"}, flags...), args...)...)
		c.Dir = out
		if text, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", strings.Join(c.Args, " "), err, text)
		}
	}
	var module []string
	for _, file := range sources(t) {
		module = append(module, filepath.Join(dir, file))
	}
	run(module...)
	for _, p := range ports {
		run(append([]string{filepath.Join(dir, p[0])}, p[1:]...)...)
	}
}

// A program in C++ includes the headers.
func TestHeadersInCPlusPlus(t *testing.T) {
	cc := tool(t, "arm-none-eabi-g++", "apt install libstdc++-arm-none-eabi-newlib")
	file := filepath.Join(t.TempDir(), "a.cpp")
	text := "#include \"gprof.h\"\n#include \"gprof_port.h\"\nunsigned f() { gprof_irq(); return profile_on(nullptr, nullptr, 16, 997) + mprof_gprof.ticks; }\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(cc, "-mcpu=cortex-m4", "-mthumb", "-Wall", "-Wextra", "-Werror", "-ffreestanding", "-Isrc", "-S", "-o", os.DevNull, file).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
