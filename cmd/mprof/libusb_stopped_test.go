//go:build cgo && linux

package main

import (
	"math/rand/v2"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/probe/probetest"
	"github.com/mprof/mprof/sim"
)

// TestUSBStopped: mprof stands still for longer than it waits for an answer (stopped; a machine that was suspended or is
// busy looks the same), while it attaches and in the middle of samples. It attaches, takes its samples, and leaves the
// core running.
func TestUSBStopped(t *testing.T) {
	for i, model := range []string{"mcu-link", "debugprobe", "daplink-hid"} {
		t.Run(model, func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(uint64(i), 1))
			var p *process
			const long, stops = 4, 16 // the long ones while it attaches, mostly
			var stopped, packets atomic.Int64
			started, next := make(chan struct{}), 1+random.Int64N(40)
			stop := func([]byte) (int, time.Duration) {
				<-started
				if n := packets.Add(1); n < next || stopped.Load() == stops {
					return 0, 0
				}
				next += 1 + random.Int64N(60)
				d := 1100 * time.Millisecond // longer than any packet is waited for
				if stopped.Add(1) > long {
					d = 300 * time.Millisecond // longer than a sample is
				}
				return p.cmd.Process.Pid, d
			}
			b := plugBoardBehind(t, newUSB(t), sim.Options{Model: model}, func(to probe.Transport) probe.Transport {
				return &probetest.Stopped{Transport: to, Stops: stop}
			})
			p = b.sample(t, "--rate", "100")
			close(started)
			p.wait(func() bool { return stopped.Load() == stops })
			p.more(someSamples)
			p.signal(syscall.SIGINT)
			p.end(0)
			b.leftRunning(t)
			s := p.summary()
			missed := 0
			for _, n := range s.Samples.Missed {
				missed += n
			}
			// A standstill takes one sample at most; a board that is slow does not answer, either.
			if missed > stops && b.Lag() < busyLag || s.Samples.Taken < 20 {
				t.Errorf("stopped %d times within %d packets: %+v", stops, packets.Load(), s)
			}
		})
	}
}
