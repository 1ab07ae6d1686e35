package cortexm_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/mprof/mprof/sim"
)

// TestHold: memory does not change while the core is held, the time is not less than the truth, and the core
// runs afterwards whatever happened.
func TestHold(t *testing.T) {
	for _, model := range sim.Models() {
		t.Run(model, func(t *testing.T) {
			b := newBoard(t, sim.Options{Model: model})
			b.attach(t)
			ctx := context.Background()
			mine := errors.New("mine")
			before := b.board.HaltedTime()
			stood, err := b.core.Hold(ctx, b.board, func(ctx context.Context) error {
				if s := b.board.CoreState(); !s.Halted {
					t.Error("the core runs while it is held")
				}
				_ = b.board.Sleep(ctx, 5*time.Millisecond)
				return mine
			})
			truth := b.board.HaltedTime() - before
			if !errors.Is(err, mine) || truth < 5*time.Millisecond || stood < truth || stood > truth+10*time.Millisecond {
				t.Errorf("stood %v by the host's clock, %v in truth: %v", stood, truth, err)
			}
			if s := b.board.CoreState(); s.Halted || !s.DebugEnabled {
				t.Errorf("after Hold the core is %+v", s)
			}
			if err := b.core.Detach(ctx); err != nil {
				t.Error(err)
			}
			if s := b.board.CoreState(); s.Halted || s.DebugEnabled {
				t.Errorf("after Detach the core is %+v", s)
			}
		})
	}
}

// TestHoldWithFaults: transfers that fail around a halt do not leave the core standing.
func TestHoldWithFaults(t *testing.T) {
	for _, kind := range []sim.Kind{sim.TransferFAULT, sim.TransferWAIT, sim.NoAck, sim.Parity, sim.LostResponse, sim.LostRequest, sim.ShortPacket} {
		for n := uint64(1); n < 12; n++ {
			b := newBoard(t, sim.Options{})
			b.attach(t)
			f := sim.Fault{Kind: kind}
			switch kind {
			case sim.LostResponse, sim.LostRequest, sim.ShortPacket:
				f.Packet = n
			default:
				f.Transfer = n
			}
			if err := b.board.Inject(f); err != nil {
				t.Fatal(err)
			}
			_, err := b.core.Hold(context.Background(), b.board, func(ctx context.Context) error {
				return b.probe.ReadMemory(ctx, b.ram.Low, make([]byte, 256))
			})
			if e := b.core.Detach(context.Background()); e != nil {
				t.Errorf("%v at %d: detach: %v", kind, n, e)
			}
			if s := b.board.CoreState(); s.Halted || s.DebugEnabled {
				t.Errorf("%v at %d: the core is left %+v (%v)", kind, n, s, err)
			}
		}
	}
}
