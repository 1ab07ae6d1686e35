//go:build cgo && linux

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/mprof/mprof/sim"
)

// TestUSBListWithoutPermission: a probe that the user may not open is listed,
// and the list says how to get at it.
func TestUSBListWithoutPermission(t *testing.T) {
	bus := newUSB(t)
	b := plugBoard(t, bus, sim.Options{Model: "debugprobe"})
	if err := os.Chmod(b.device.Node(), 0); err != nil {
		t.Fatal(err)
	}
	change := func(*exec.Cmd) {}
	if os.Geteuid() == 0 { // root may open everything
		change = asNobody(t)
	}
	p := usbStartAs(t, bus, change, "list")
	p.end(0)
	for _, want := range []string{"2e8a:000c", "(debugprobe)", "no permission", "mprof list --udev prints the rule"} {
		if !strings.Contains(p.stdout.String(), want) {
			t.Errorf("the list lacks %q:\n%s%s", want, p.stdout.String(), p.stderr.String())
		}
	}
	rules := usbStart(t, bus, "list", "--udev")
	rules.end(0)
	if !strings.Contains(rules.stdout.String(), `ATTR{idVendor}=="2e8a", ATTR{idProduct}=="000c"`) {
		t.Errorf("the rules lack the probe:\n%s", rules.stdout.String())
	}
}

// asNobody runs a copy of this binary that everybody may read.
func asNobody(t *testing.T) func(*exec.Cmd) {
	const nobody = 65534
	return func(cmd *exec.Cmd) {
		data, err := os.ReadFile(cmd.Path)
		if err != nil {
			t.Fatal(err)
		}
		dir, err := os.MkdirTemp("", "usb")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(dir) })
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		cmd.Path, cmd.Dir = filepath.Join(dir, "mprof"), dir
		if err := os.WriteFile(cmd.Path, data, 0o755); err != nil {
			t.Fatal(err)
		}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
}
