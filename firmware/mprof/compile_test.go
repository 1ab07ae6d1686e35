package mprof_test

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

// sources are the files of the module.
func sources(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("src/*.c")
	if err != nil || len(files) == 0 {
		t.Fatalf("src/*.c: %d files, %v", len(files), err)
	}
	return files
}

var warnings = strings.Fields("-std=c99 -pedantic -Wall -Wextra -Wshadow -Wconversion -Wundef -Wstrict-prototypes -Werror")

// command runs a program, and gives what it prints on errors.
func command(t testing.TB, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// The module compiles without a warning for every core, by both compilers, with
// and without a timer of the port.
func TestCompiles(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles for all cores")
	}
	cores := strings.Fields("cortex-m0 cortex-m0plus cortex-m3 cortex-m4 cortex-m4+nofp cortex-m7 cortex-m23 cortex-m33")
	targets := strings.Fields("thumbv6m thumbv7m thumbv7em thumbv8m.base thumbv8m.main")
	for _, timer := range []string{"-UMPROF_TIME_PORT", "-DMPROF_TIME_PORT"} {
		for _, o := range []string{"-Os", "-O2"} {
			t.Run("gcc"+o+timer, func(t *testing.T) {
				gcc := tool(t, "arm-none-eabi-gcc", "apt install gcc-arm-none-eabi libnewlib-arm-none-eabi")
				for _, core := range cores {
					compile(t, gcc, timer, o, "-mthumb", "-mcpu="+core)
				}
			})
			t.Run("clang"+o+timer, func(t *testing.T) {
				clang := tool(t, "clang", "apt install clang")
				for _, target := range targets {
					compile(t, clang, timer, o, "--target="+target+"-none-eabi", "-ffreestanding")
				}
			})
		}
	}
}

func compile(t *testing.T, compiler string, flags ...string) {
	t.Helper()
	src, err := filepath.Abs("src")
	if err != nil {
		t.Fatal(err)
	}
	args := append(append(flags, warnings...), "-c", "-I", src)
	for _, file := range sources(t) {
		args = append(args, filepath.Join(src, filepath.Base(file)))
	}
	c := exec.Command(compiler, args...)
	c.Dir = t.TempDir()
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", compiler, strings.Join(flags, " "), err, out)
	}
}
