//go:build linux && cgo

package strangers

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mprof/mprof/firmware/examples/examplestest"
	"github.com/mprof/mprof/gmon"
	"github.com/mprof/mprof/sim"
)

// TestGmonThroughOpenOCD: OpenOCD gives the counters of firmware/gprof while the core runs; with --halt it
// stands for the reading. It runs on either way, and with --reset the firmware begins anew.
func TestGmonThroughOpenOCD(t *testing.T) {
	path := tool(t, "openocd", "openocd")
	elf := examplestest.Build{Example: "gprof", Board: "stm32f405"}.ELF(t)
	image, err := os.ReadFile(elf)
	if err != nil {
		t.Fatal(err)
	}
	r := newPacedRig(t, sim.Options{ELF: image, Model: "mcu-link", Seed: 1})
	at := addressOf(t, elf, "mprof_gprof")
	word := func(i uint32) (v uint32) {
		r.board.Hold(func() { v, _ = r.board.Core().ReadBus(at+4*i, 4) })
		return v
	}
	const epoch, ticks = 3, 11
	s := &gdbServer{elf: elf, rig: r, state: func() (bool, uint32) {
		c := r.board.CoreState()
		return !c.Halted && !c.LockedUp, word(ticks)
	}}
	port := freePort(t)
	s.serve(t, exec.Command(path, openocdArgs(resumeOnLoss, "tcl_port disabled", fmt.Sprintf("gdb_port %d", port))...), "OpenOCD", port)
	program, err := mprof()
	if err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); word(ticks) < 50; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("no ticks")
		}
	}
	for _, c := range []struct {
		flags []string
		want  string
	}{{nil, "the core ran on"}, {[]string{"--halt"}, "all counters are of one moment"}, {[]string{"--reset"}, "the next tick cleared them"}} {
		out := filepath.Join(t.TempDir(), "gmon.out")
		before := word(epoch)
		args := append([]string{"gmon", "fetch", "--probe", "gdb:" + s.address, "-o", out}, c.flags...)
		text, err := exec.Command(program, append(args, elf)...).CombinedOutput()
		if err != nil || !strings.Contains(string(text), c.want) {
			t.Fatalf("mprof %s: %v\n%s\n%s", strings.Join(args, " "), err, text, s.log())
		}
		s.runs(t)
		raw, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		d, order, err := gmon.Decode(raw)
		if err != nil || order != binary.ByteOrder(binary.LittleEndian) || len(d.Buckets) == 0 || len(d.Arcs) == 0 {
			t.Errorf("%q: %+v, %v", c.flags, d, err)
		}
		if after := word(epoch); after-before != uint32(strings.Count(strings.Join(c.flags, " "), "reset")) {
			t.Errorf("%q: epoch %d, then %d", c.flags, before, after)
		}
	}
}
