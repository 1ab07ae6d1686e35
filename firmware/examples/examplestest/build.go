// Package examplestest builds the examples for tests. In: which example, for which board, and the
// compilers. Out: the path of an ELF file.
package examplestest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// Build is one way to build an example. Empty fields take the Makefile's default.
type Build struct {
	Example  string // bare, tasks
	Board    string // stm32f405, mps2-an385, ...
	Compiler string // gcc, clang
	Opt      string // -O2
	Module   string // plain: the module that mprof is measured against
	NoHooks  bool   // without -finstrument-functions
	CoreHz   int    // of the stm32f405
	Defines  string // -DX=1 ...
}

// String is its name: bare-mps2-an385-clang.
func (b Build) String() string {
	name := b.Example + "-" + b.Board
	for _, part := range []string{b.Compiler, b.Opt, b.Module} {
		if part != "" {
			name += "-" + strings.TrimPrefix(part, "-")
		}
	}
	if b.NoHooks {
		name += "-nohooks"
	}
	return name
}

// folder is that of the Makefile.
var folder = sync.OnceValue(func() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(filepath.Dir(file))
})

// ELF builds it in a folder that goes with the test. Without the compilers the test is
// skipped; where CI=true it fails.
func (b Build) ELF(t testing.TB) string {
	t.Helper()
	tools := []string{"make", "arm-none-eabi-gcc"}
	if b.Compiler == "clang" {
		tools = append(tools, "clang")
	}
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			give := t.Skipf
			if os.Getenv("CI") == "true" {
				give = t.Fatalf
			}
			give("%v (Debian and Ubuntu: scripts/setup.sh test installs it)", err)
		}
	}
	path := filepath.Join(t.TempDir(), b.String()+".elf")
	args := append([]string{"-s", "-C", folder(), "OUT=" + path}, b.variables()...)
	if text, err := exec.Command("make", args...).CombinedOutput(); err != nil {
		t.Fatalf("examplestest: make %s: %v\n%s", strings.Join(args, " "), err, text)
	}
	return path
}

func (b Build) variables() []string {
	var v []string
	for _, field := range []struct{ name, value string }{{"EXAMPLE", b.Example}, {"BOARD", b.Board}, {"COMPILER", b.Compiler},
		{"OPT", b.Opt}, {"MODULE", b.Module}, {"DEFINES", b.Defines}} {
		if field.value != "" {
			v = append(v, field.name+"="+field.value)
		}
	}
	if b.NoHooks {
		v = append(v, "TRACE=no")
	}
	if b.CoreHz != 0 {
		v = append(v, fmt.Sprintf("HZ_%s=%d", b.Board, b.CoreHz))
	}
	return v
}
