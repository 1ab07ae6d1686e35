package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mprof/mprof/sim"
)

// TestSampleOneOfTwoCores: the core that --core names is halted, the other
// never, and both run afterwards.
func TestSampleOneOfTwoCores(t *testing.T) {
	for _, c := range []struct {
		probe, core string
		want        int
	}{
		{"sim:debugprobe,chip=rp2040", "1", 1},
		{"sim:debugprobe,chip=rp2040", "0", 0},
		{"sim:mcu-link,chip=rp2040", "0x11002927", 1},
		{"sim:daplink-hid,chip=rp2040-together", "rp2040.core1", 1},
		{"sim:free-dap,chip=rp2350", "1", 1},
		{"sim:mcu-link,chip=two-aps", "1", 1},
		{"sim:mcu-link,chip=rp2040,unplug=300ms+200ms,off=700ms+50ms", "1", 1},
		{"sim:debugprobe,chip=rp2350,brown-out=300ms+50ms,noack=700ms", "1", 1},
	} {
		t.Run(c.probe+" core "+c.core, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out.folded")
			s := mprof(t.Context(), nil, "sample", "--probe", c.probe, "--core", c.core, "--duration", "1", "--seed", "1", "-o", out)
			if s.code != 0 {
				t.Fatalf("exit code %d: %s", s.code, s.stderr)
			}
			if n := foldedSamples(t, out); n < 20 { // a second of HID within the budget
				t.Errorf("%d samples", n)
			}
			for i := range s.board.Cores() {
				if state := s.board.CoreStateOf(i); state.Halted || state.DebugEnabled {
					t.Errorf("core %d is left %+v", i, state)
				}
				if halted := s.board.HaltedTimeOf(i); (halted > 0) != (i == c.want) {
					t.Errorf("core %d stood for %v, core %d was to be sampled", i, halted, c.want)
				}
			}
			if strings.Contains(c.probe, "rp2040") && s.board.Rescues() > 0 {
				t.Error("the rescue port was powered")
			}
		})
	}
}

// TestSampleFromReset: the first samples see what runs at reset only, by each
// kind of reset, and the summary names it.
func TestSampleFromReset(t *testing.T) {
	for _, c := range []struct {
		name, probe, flag, says string
	}{
		{"nRESET", "sim", "--reset", "reset by nRESET"},
		{"no wire", "sim:,no-nreset", "--reset", "reset by AIRCR.SYSRESETREQ"},
		{"under reset", "sim:debugprobe,pins-off=500ms", "--connect-under-reset", "reset by nRESET"},
		{"under reset without the wire", "sim:,no-nreset", "--connect-under-reset", "is it wired to the probe?"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out.folded")
			var resetAt []uint64
			s := mprof(t.Context(), func(b *sim.Board) {
				_ = b.Sleep(t.Context(), time.Second)
				b.Core().OnReset(func() { resetAt = append(resetAt, b.Core().Cycles()) })
			}, "sample", "--probe", c.probe, c.flag, "--duration", "0.4", "--rate", "1000", "--seed", "1", "-o", out)
			if s.code != 0 || len(resetAt) == 0 {
				t.Fatalf("exit code %d, %d resets: %s", s.code, len(resetAt), s.stderr)
			}
			if !strings.Contains(s.stdout, c.says) {
				t.Errorf("the summary lacks %q:\n%s", c.says, s.stdout)
			}
			if n := foldedSamples(t, out); n < 20 {
				t.Errorf("%d samples", n)
			}
			s.leftRunning(t)
		})
	}
}

func TestTargetFlags(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"--core", "two"}, 2, `"two" is no core`},
		{[]string{"--core", "0x7"}, 2, "is no TARGETSEL"},
		{[]string{"--ap", "left"}, 2, `"left" is no access port`},
		{[]string{"--core", "1"}, 1, "core 1: the target has 1 that can be debugged, numbered from 0"},
		{[]string{"--ap", "5"}, 1, "access port 0x5 is no MEM-AP"},
		{[]string{"--core", "0xf1002927"}, 1, "is the rescue port of the RP2040"},
		{[]string{"--probe", "sim:mcu-link,chip=z80"}, 2, `there is no simulated chip "z80", only one-core, rp2040,`},
		{[]string{"--probe", "sim:mcu-link,chip=locked"}, 1, "Unlocking it usually erases the flash"},
		{[]string{"--probe", "sim:mcu-link,chip=read-protected"}, 1, "read CPUID: read DRW/BD3: FAULT"},
		{[]string{"--probe", "sim:mcu-link,chip=no-debug-power"}, 1, "the debug domain does not power up"},
		{[]string{"--probe", "sim:mcu-link,pins-off=1us"}, 1, "--connect-under-reset"},
	} {
		s := mprof(t.Context(), nil, append([]string{"sample", "--probe", "sim", "--duration", "1", "-o", filepath.Join(t.TempDir(), "o.folded")}, c.args...)...)
		if s.code != c.code || !strings.Contains(s.stderr, c.says) {
			t.Errorf("%v: exit code %d, %s", c.args, s.code, s.stderr)
		}
	}
}
