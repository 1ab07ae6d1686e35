//go:build cgo && linux

package main

import (
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mprof/mprof/cortexm"
	"github.com/mprof/mprof/sim"
)

// someSamples is a recording's size when a run is well under way.
const someSamples = 8000

// TestUSBInterrupt: Ctrl-C in the middle writes the profile and lets the core
// run.
func TestUSBInterrupt(t *testing.T) {
	for _, model := range []string{"mcu-link", "daplink-hid"} {
		t.Run(model, func(t *testing.T) {
			t.Parallel()
			b := plugBoard(t, newUSB(t), sim.Options{Model: model})
			p := b.sample(t, "--rate", "200")
			p.recorded(someSamples)
			if err := p.cmd.Process.Signal(syscall.SIGINT); err != nil {
				t.Fatal(err)
			}
			p.end(0)
			b.leftRunning(t)
			s := p.summary()
			if n := foldedSamples(t, p.file("out.folded")); n != s.Samples.Taken || n < 5 || !strings.Contains(s.EndReason, "interrupt") {
				t.Errorf("%d samples in the profile, %d taken, %s", n, s.Samples.Taken, s.EndReason)
			}
		})
	}
}

// TestUSBKilled: a process that is killed between two samples leaves the core
// running; one that is killed in a sample leaves responses in the probe, which
// the next session takes for nobody's.
func TestUSBKilled(t *testing.T) {
	b := plugBoard(t, newUSB(t), sim.Options{})
	p := b.sample(t, "--rate", "5")
	p.recorded(2000)
	for p.stop(b); b.CoreState().Halted; p.stop(b) { // a busy machine stops it in a sample as well
		p.signal(syscall.SIGCONT)
		time.Sleep(2 * time.Millisecond)
	}
	_ = p.cmd.Process.Kill()
	<-p.ended
	if s := b.CoreState(); s.Halted {
		t.Errorf("killed between two samples: %+v", s)
	}
	for range 2 {
		p = b.sample(t, "--rate", "2000")
		p.recorded(2000)
		_ = p.cmd.Process.Kill()
		<-p.ended
		if b.CoreState().Halted { // killed between the packets of a sample
			b.Hold(b.Core().Resume)
		}
	}
	p = b.sample(t, "--rate", "100")
	p.recorded(someSamples)
	p.signal(syscall.SIGINT)
	p.end(0)
	b.leftRunning(t)
	if s := p.summary(); s.Samples.Taken < 5 {
		t.Errorf("%+v", s)
	}
}

// stop stops the process, and waits until what it has sent has come.
func (p *process) stop(b *usbBoard) {
	p.t.Helper()
	p.signal(syscall.SIGSTOP)
	for packets, quiet := b.Packets(), 0; quiet < 10; time.Sleep(2 * time.Millisecond) {
		if n := b.Packets(); n != packets {
			packets, quiet = n, 0
		}
		quiet++
	}
}

func (p *process) signal(s syscall.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
}

// TestUSBUnplugged: what was recorded before the probe went away is a profile,
// and the end says that nobody could let the core go.
func TestUSBUnplugged(t *testing.T) {
	b := plugBoard(t, newUSB(t), sim.Options{})
	p := b.sample(t, "--rate", "200")
	p.recorded(someSamples)
	b.device.Unplug()
	p.wait(func() bool { return p.says(cortexm.EventProbeLost) })
	if err := p.cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	p.end(1)
	for _, want := range []string{"the probe is gone", "core was not let go", "Is the probe plugged in?"} {
		if !strings.Contains(p.stderr.String(), want) {
			t.Errorf("the end does not say %q: %s", want, p.stderr.String())
		}
	}
	s := p.summary()
	if n := foldedSamples(t, p.file("out.folded")); n != s.Samples.Taken || n < 5 {
		t.Errorf("%d samples in the profile, %d taken", n, s.Samples.Taken)
	}
	if !slices.ContainsFunc(s.Away, func(a usbAway) bool { return a.Name == "Probe gone" }) {
		t.Errorf("the summary does not say that the probe was gone: %s", p.stdout.String())
	}
}

// TestUSBPluggedInAgain: the run goes on when the probe is back, at another
// port, and the gap is in the recording.
func TestUSBPluggedInAgain(t *testing.T) {
	for _, model := range []string{"mcu-link", "daplink-hid"} {
		t.Run(model, func(t *testing.T) {
			t.Parallel()
			b := plugBoard(t, newUSB(t), sim.Options{Model: model})
			p := b.sample(t, "--rate", "200")
			p.recorded(someSamples)
			packets := b.Packets()
			if err := b.Strike(sim.Fault{Kind: sim.Unplug, For: 450 * time.Millisecond}); err != nil {
				t.Fatal(err)
			}
			p.wait(func() bool { return p.says(cortexm.EventProbeLost) })
			if err := b.Sleep(t.Context(), 500*time.Millisecond); err != nil {
				t.Fatal(err)
			}
			b.plug(t)
			p.wait(func() bool { return b.Packets() > packets+100 })
			if err := p.cmd.Process.Signal(syscall.SIGINT); err != nil {
				t.Fatal(err)
			}
			p.end(0)
			b.leftRunning(t)
			s := p.summary()
			gone := 0.0
			for _, a := range s.Away { // the host itself may have stood still, too
				if a.Name == "Probe gone" {
					gone += a.TimeS
				}
			}
			if gone < 0.4 {
				t.Errorf("away: %+v, want the probe for 0.5 s", s.Away)
			}
		})
	}
}
