//go:build cgo && linux

package main

import (
	"context"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/sim"
)

// cable is a transport on which packets go wrong when the test says so.
type cable struct {
	probe.Transport
	read, write atomic.Pointer[func(n int) int] // once: what is left of a packet of n bytes
}

func (c *cable) ReadPacket(ctx context.Context, p []byte) (int, error) {
	n, err := c.Transport.ReadPacket(ctx, p)
	if f := c.read.Swap(nil); f != nil && err == nil {
		if n = (*f)(n); n == 0 {
			return 0, context.DeadlineExceeded
		}
	}
	return n, err
}

func (c *cable) WritePacket(ctx context.Context, p []byte) error {
	if f := c.write.Swap(nil); f != nil && (*f)(len(p)) == 0 {
		return nil
	}
	return c.Transport.WritePacket(ctx, p)
}

func lost(int) int  { return 0 }
func short(int) int { return 3 }

// late is later than the sampler waits.
func late(n int) int {
	time.Sleep(300 * time.Millisecond)
	return n
}

// usbTroubles strike one packet each.
var usbTroubles = []struct {
	name   string
	strike func(b *usbBoard)
}{
	{"short response", func(b *usbBoard) { f := short; b.cable.read.Store(&f) }},
	{"late response", func(b *usbBoard) { f := late; b.cable.read.Store(&f) }},
	{"lost response", func(b *usbBoard) { f := lost; b.cable.read.Store(&f) }},
	{"lost request", func(b *usbBoard) { f := lost; b.cable.write.Store(&f) }},
	{"stall of IN", func(b *usbBoard) { b.device.Stall(true) }},
	{"stall of OUT", func(b *usbBoard) { b.device.Stall(false) }},
}

// TestUSBTroubles: the run goes on after each, loses the samples that were under
// way and no others, and leaves the core running.
func TestUSBTroubles(t *testing.T) {
	for _, model := range []string{"mcu-link", "debugprobe", "daplink-hid"} {
		t.Run(model, func(t *testing.T) {
			t.Parallel()
			b := plugBoard(t, newUSB(t), sim.Options{Model: model})
			p := b.sample(t, "--rate", "100")
			p.recorded(someSamples)
			for _, c := range usbTroubles {
				c.strike(b)
				p.more(1500)
			}
			if err := p.cmd.Process.Signal(syscall.SIGINT); err != nil {
				t.Fatal(err)
			}
			p.end(0)
			b.leftRunning(t)
			s := p.summary()
			missed := 0
			for why, n := range s.Samples.Missed {
				if why != usbLate { // a busy machine has more of these
					missed += n
				}
			}
			if missed > 2*len(usbTroubles) || s.Samples.Taken < s.Samples.Asked/2 || s.Samples.Taken+3 > s.Samples.Asked {
				t.Errorf("%d of %d samples missed by %d troubles: %v", s.Samples.Asked-s.Samples.Taken, s.Samples.Asked, len(usbTroubles), s.Samples.Missed)
			}
			if n := foldedSamples(t, p.file("out.folded")); n != s.Samples.Taken {
				t.Errorf("%d samples in the profile, %d taken", n, s.Samples.Taken)
			}
			t.Logf("%+v %+v", s.Samples, s.Away)
		})
	}
}
