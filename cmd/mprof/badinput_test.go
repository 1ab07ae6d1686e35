package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mprof/mprof/cortexm"
	"github.com/mprof/mprof/firmware/demo"
	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/symbol"
	"github.com/mprof/mprof/trace"
	"github.com/mprof/mprof/trace/uart"
)

// TestBadInput: one sentence that helps, and an exit code other than 0.
func TestBadInput(t *testing.T) {
	dir := t.TempDir()
	file := func(name string, content []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	x86, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	truncated := file("truncated.elf", demo.ELF[:len(demo.ELF)/2])
	good := file("good.elf", demo.ELF)
	out := filepath.Join(dir, "out.json.gz")
	missing := filepath.Join(dir, "missing.elf")
	noProbe := []string{"dead:beef", "mprof list"}
	if !usbBuiltIn {
		noProbe = []string{"without cgo", "--probe sim"}
	}
	for _, c := range []struct {
		name string
		args []string
		code int
		want []string
	}{
		{"no such file", []string{"--probe", "sim", missing}, 1, []string{missing, "no such file"}},
		{"not an ELF", []string{"--probe", "sim", file("app.hex", []byte(":020000040800F2\n:10000000"))}, 1, []string{"app.hex", "Intel HEX"}},
		{"empty", []string{"--probe", "sim", file("empty.elf", nil)}, 1, []string{"empty"}},
		{"a folder", []string{"--probe", "sim", dir}, 1, []string{dir, "director"}},
		{"another machine", []string{"--probe", "sim", x86}, 1, []string{"x86"}},
		{"truncated", []string{"--probe", "sim", truncated}, 1, []string{"truncated"}},
		{"no ELF named", nil, 2, []string{"ELF"}},
		{"two ELFs", []string{"--probe", "sim", good, good}, 2, []string{"one ELF"}},
		{"no such probe", []string{"--probe", "dead:beef", good}, 1, noProbe},
		{"no such model", []string{"--probe", "sim:jlink"}, 2, []string{"jlink", "debugprobe"}},
		{"no such fault", []string{"--probe", "sim:mcu-link,fire=1s"}, 2, []string{"fire", "unplug"}},
		{"neither with nor without FPU", []string{"--probe", "sim:mcu-link,fpu=maybe"}, 2, []string{"maybe", "on or off"}},
		{"flash that waits oddly", []string{"--probe", "sim:mcu-link,flash-wait=5/12"}, 2, []string{"flash-wait=5/12", "5/8"}},
		{"target does not answer", []string{"--probe", "sim:mcu-link,off=1us", "--duration", "1"}, 1, []string{"target", "power"}},
		{"unknown format", []string{"--probe", "sim", "-o", filepath.Join(dir, "out.xls")}, 2, []string{"out.xls", ".json.gz", ".pb.gz"}},
		{"unwritable output", []string{"--probe", "sim", "-o", filepath.Join(dir, "nowhere", "out.json.gz")}, 1, []string{"nowhere"}},
		{"output twice", []string{"--probe", "sim", "-o", out, "-o", out}, 2, []string{"twice"}},
		{"rate zero", []string{"--probe", "sim", "--rate", "0"}, 2, []string{"--rate", "between"}},
		{"rate negative", []string{"--probe", "sim", "--rate=-5"}, 2, []string{"--rate"}},
		{"rate NaN", []string{"--probe", "sim", "--rate", "NaN"}, 2, []string{"--rate"}},
		{"rate of words", []string{"--probe", "sim", "--rate", "fast"}, 2, []string{"fast"}},
		{"duration zero", []string{"--probe", "sim", "--duration", "0"}, 2, []string{"--duration"}},
		{"duration of nonsense", []string{"--probe", "sim", "--duration", "soon"}, 2, []string{"soon", "60s"}},
		{"duration overflow", []string{"--probe", "sim", "--duration", "1e300"}, 2, []string{"at most 720h"}},
		{"overhead of nonsense", []string{"--probe", "sim", "--max-overhead", "little"}, 2, []string{"little", "1%"}},
		{"overhead too large", []string{"--probe", "sim", "--max-overhead", "200%"}, 2, []string{"200%", "between"}},
		{"halt without unit", []string{"--probe", "sim", "--max-halt", "200"}, 2, []string{"200us"}},
		{"speed of nonsense", []string{"--probe", "sim", "--speed", "warp"}, 2, []string{"warp"}},
		{"unknown flag", []string{"--turbo"}, 2, []string{"--turbo"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := append([]string{"sample"}, c.args...)
			if !strings.Contains(strings.Join(args, " "), "-o ") {
				args = append(args, "-o", out)
			}
			s := mprof(t.Context(), nil, args...)
			if s.code != c.code {
				t.Errorf("exit code %d, want %d", s.code, c.code)
			}
			if !strings.HasPrefix(s.stderr, "mprof: ") || strings.Contains(s.stderr, "goroutine") {
				t.Errorf("stderr %q is no sentence", s.stderr)
			}
			for _, want := range c.want {
				if !strings.Contains(strings.ToLower(s.stderr), strings.ToLower(want)) {
					t.Errorf("stderr %q lacks %q", s.stderr, want)
				}
			}
			if _, err := os.Stat(out); err == nil {
				t.Errorf("%s was written", out)
				os.Remove(out)
			}
		})
	}
}

func TestUnknownCommand(t *testing.T) {
	s := mprof(t.Context(), nil, "sampel")
	if s.code != 2 || !strings.Contains(s.stderr, "did you mean sample") {
		t.Errorf("exit code %d, stderr %q", s.code, s.stderr)
	}
}

// TestHints: every error that a person can do something about says what.
func TestHints(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{probe.ErrNotFound, "mprof list"},
		{probe.ErrPermission, "udev"},
		{probe.ErrBusy, "program"},
		{probe.ErrDisconnected, "cable"},
		{probe.ErrNoUSB, "cgo"},
		{probe.ErrNoTarget, "power"},
		{&probe.TransferError{}, "power"},
		{&symbol.MismatchError{}, "--force"},
		{&cortexm.HaltedError{}, "debugger"},
		{&cortexm.HaltLimitError{}, "--max-overhead"},
		{fs.ErrPermission, "permissions"},
		{&uart.PermissionError{Port: "/dev/ttyUSB0", Group: "dialout"}, "usermod -aG dialout"},
		{&uart.PermissionError{Port: "/dev/ttyUSB0", Group: "dialout", Joined: true}, "Log out"},
		{&uart.PermissionError{Port: "/dev/ttyUSB0"}, "chmod a+rw /dev/ttyUSB0"},
		{&uart.Error{Port: "/dev/ttyUSB0", Err: uart.ErrBusy}, "ModemManager"},
		{&uart.Error{Port: "/dev/ttyUSB0", Err: uart.ErrBaud}, "--baud"},
		{&trace.BuildIDError{}, "--force"},
		{&trace.DeafError{}, "wired"},
		{&trace.EchoError{}, "its own RX"},
		{trace.ErrLost, "cable"},
	} {
		got := hintsFor(fmt.Errorf("wrapped: %w", c.err))
		if len(got) != 1 || !strings.Contains(got[0], c.want) {
			t.Errorf("%v: hints %q lack %q", c.err, got, c.want)
		}
	}
}
