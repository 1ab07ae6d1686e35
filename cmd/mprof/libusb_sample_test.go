//go:build cgo && linux

package main

import (
	"math"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mprof/mprof/cortexm"
	"github.com/mprof/mprof/sim"
)

// manySamples is a recording's size when there are some 150 samples, as come in 1.5 s where the
// machine is idle. The short runs are for the race detector.
func manySamples() int64 {
	if testing.Short() {
		return 4 * someSamples
	}
	return 6 * someSamples
}

// TestUSBSample: each kind of probe gives a profile that is right: high-speed
// bulk, full-speed bulk with and without DAP_ExecuteCommands, HID.
func TestUSBSample(t *testing.T) {
	for _, model := range []string{"mcu-link", "debugprobe", "free-dap", "daplink-hid"} {
		t.Run(model, func(t *testing.T) {
			b := plugBoard(t, newUSB(t), sim.Options{Model: model})
			p := b.sample(t, "--rate", "100")
			p.recorded(manySamples())
			p.signal(syscall.SIGINT)
			p.end(0)
			b.leftRunning(t)
			b.check(t, p)
			n := b.device.Counts()
			if n.ZeroPackets != 0 || n.FullPackets != 0 {
				t.Errorf("packets that need or are an empty one: %+v", n)
			}
			if n.DeepestIn < b.Model().PacketCount {
				t.Errorf("%d reads posted ahead, the probe answers %d packets at once", n.DeepestIn, b.Model().PacketCount)
			}
		})
	}
}

// usbLate is how a sample is missed on a machine that is too busy for a quarter
// of a second.
const usbLate = "probe did not answer in time"

// busyLag: a board that has lost so much against the wall clock shares its machine with others. There
// mprof gets to run when the simulated core sleeps, and takes its samples then. So it does where it says
// that it took none for long.
const busyLag = 20 * time.Millisecond

// unluckyOf is how many of n stacks may be cut where one of twenty is: a run of a busy machine has ten
// samples, and each new path costs one until its depth is known. Three standard deviations above the
// mean, as few as they are.
func unluckyOf(n int) int {
	const p = 0.05
	mean := p * float64(n)
	return int(mean + 3*math.Sqrt(mean*(1-p)))
}

// rarer makes of the distance that one random run in a thousand exceeds, 3.1 standard deviations above the mean, that of
// one in a million, 4.8 above it: many runs are judged.
const rarer = 1.55

// check compares a recording with the board's truth.
func (b *usbBoard) check(t *testing.T, p *process) {
	t.Helper()
	j, s, lag := b.checkStacks(t, p)
	mean, bound := randomDistance(j.wanted, j.taken)
	bound = mean + rarer*(bound-mean)
	busy := lag >= busyLag || p.says(cortexm.EventGap)
	if d := min(j.distance, j.ofCounts); d > bound && !busy {
		t.Errorf("the self shares of %d samples are %.1f %% from the truth; all but one in a million runs with as many random ones are within %.1f %%", j.taken, 100*d, 100*bound)
	}
	for why, n := range s.Samples.Missed {
		if n > 4+j.taken/2 {
			t.Errorf("%d of %d samples missed: %s", n, j.samples, why)
		}
	}
	t.Logf("%s: distance %.2f %% by time, %.2f %% by count, bound %.2f %%; lag %v, busy %v", b.Model().Name, 100*j.distance, 100*j.ofCounts, 100*bound, lag, busy)
}

// checkStacks is check without what depends on when the samples came: two boards and two mprofs on
// two processors take turns, and what the programs do when it is their turn is no random sample.
func (b *usbBoard) checkStacks(t *testing.T, p *process) (*judged, usbSummary, time.Duration) {
	t.Helper()
	j := &judged{accuracyCase: accuracyCase{firmware: "demo", model: b.Model().Name}}
	lag := b.Lag()
	b.Hold(func() { j.compare(t, p.elf, p.file("run.mprof"), b.witness) })
	s := p.summary()
	if j.taken != s.Samples.Taken || j.samples != s.Samples.Asked {
		t.Errorf("%d of %d samples recorded, %d of %d reported", j.taken, j.samples, s.Samples.Taken, s.Samples.Asked)
	}
	if j.taken < 3 {
		t.Errorf("%d samples taken of %d: %v", j.taken, j.samples, s.Samples.Missed)
	}
	for why, n := range s.Samples.Missed {
		if why != usbLate {
			t.Errorf("%d of %d samples missed: %s", n, j.samples, why)
		}
	}
	if wrong := j.taken - j.inner; wrong > unluckyOf(j.taken) {
		t.Errorf("%d of %d stacks are not the true one or its inner frames; the first difference:\n%s", wrong, j.taken, j.firstDifference)
	}
	if cut := j.taken - j.equal; cut > unluckyOf(j.taken) {
		t.Errorf("%d of %d stacks differ from the truth or are cut; the first difference:\n%s", cut, j.taken, j.firstDifference)
	}
	t.Logf("%s: %d samples, %d complete, %d equal", b.Model().Name, j.taken, j.complete, j.equal)
	return j, s, lag
}

// TestUSBTwoProbes: mprof list shows what is there, and two processes use two
// probes at once.
func TestUSBTwoProbes(t *testing.T) {
	bus := newUSB(t)
	fast := plugBoard(t, bus, sim.Options{Model: "mcu-link"})
	slow := plugBoard(t, bus, sim.Options{Model: "daplink-hid"})
	list := usbStart(t, bus, "list")
	list.end(0)
	for _, b := range []*usbBoard{fast, slow} {
		m := b.Model()
		found := false
		for line := range strings.Lines(list.stdout.String()) {
			found = found || strings.HasPrefix(line, m.Serial) && strings.Contains(line, m.Product) && strings.Contains(line, m.Firmware)
		}
		if !found {
			t.Errorf("mprof list lacks %s:\n%s", m.Product, list.stdout.String())
		}
	}
	processes := map[*usbBoard]*process{}
	for _, b := range []*usbBoard{fast, slow} {
		processes[b] = b.sample(t, "--rate", "100")
	}
	for _, p := range processes { // as long as a busy machine takes for some samples
		p.recorded(someSamples)
	}
	for b, p := range processes {
		if err := p.cmd.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		p.end(0)
		b.leftRunning(t)
		b.checkStacks(t, p)
	}
}
