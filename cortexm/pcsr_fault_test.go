package cortexm_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/mprof/mprof/cortexm"
	"github.com/mprof/mprof/firmware/demo"
	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/sim"
	"github.com/mprof/mprof/snapshot"
)

// pcFault is something that goes wrong in the middle of a run.
type pcFault struct {
	name  string
	fault sim.Fault
	miss  []snapshot.Miss // what is lost, is lost for one of these
	lost  float64         // share of a run's PCs at most, and a block
	ends  error
}

var pcFaults = []pcFault{
	{"WAIT", sim.Fault{Kind: sim.TransferWAIT, Count: 200}, []snapshot.Miss{snapshot.TargetWait}, 0.05, io.EOF},
	{"FAULT", sim.Fault{Kind: sim.TransferFAULT}, []snapshot.Miss{snapshot.TargetFault}, 0.05, io.EOF},
	{"FAULT again and again", sim.Fault{Kind: sim.TransferFAULT, Count: 50, Every: 700}, []snapshot.Miss{snapshot.TargetFault, snapshot.OffTarget}, 0.9, io.EOF},
	{"no acknowledge", sim.Fault{Kind: sim.NoAck}, []snapshot.Miss{snapshot.NoAck}, 0.05, io.EOF},
	{"parity", sim.Fault{Kind: sim.Parity}, []snapshot.Miss{snapshot.NoAck, snapshot.TargetFault}, 0.05, io.EOF},
	{"short packet", sim.Fault{Kind: sim.ShortPacket, Bytes: 7}, []snapshot.Miss{snapshot.BadResponse, snapshot.NoAck}, 0.05, io.EOF},
	{"late packet", sim.Fault{Kind: sim.LatePacket, For: 5 * time.Second}, []snapshot.Miss{snapshot.ProbeTimeout, snapshot.BadResponse, snapshot.OffTarget}, 1, io.EOF},
	{"reset", sim.Fault{Kind: sim.TargetReset}, nil, 0, io.EOF},
	{"lockup", sim.Fault{Kind: sim.Lockup}, nil, 0, io.EOF},
	{"debug power off and on", sim.Fault{Kind: sim.DebugOff, For: 50 * time.Millisecond}, []snapshot.Miss{snapshot.NoAck, snapshot.OffTarget}, 0.3, io.EOF},
	{"debug power off", sim.Fault{Kind: sim.DebugOff}, []snapshot.Miss{snapshot.NoAck, snapshot.OffTarget}, 0.2, io.EOF},
	{"brown-out", sim.Fault{Kind: sim.BrownOut, For: 20 * time.Millisecond}, []snapshot.Miss{snapshot.NoAck, snapshot.OffTarget}, 0.2, io.EOF},
	{"long packet", sim.Fault{Kind: sim.LongPacket, Bytes: 9}, []snapshot.Miss{snapshot.BadResponse}, 0.05, io.EOF},
	{"lost request", sim.Fault{Kind: sim.LostRequest}, []snapshot.Miss{snapshot.ProbeTimeout, snapshot.BadResponse}, 0.9, io.EOF},
	{"lost response", sim.Fault{Kind: sim.LostResponse}, []snapshot.Miss{snapshot.ProbeTimeout, snapshot.BadResponse}, 0.9, io.EOF},
	{"wrong count", sim.Fault{Kind: sim.WrongCount, Count: 3}, []snapshot.Miss{snapshot.BadResponse}, 0.05, io.EOF},
	{"Secure state", sim.Fault{Kind: sim.Secure, For: 50 * time.Millisecond}, nil, 0, io.EOF},
	{"unplug", sim.Fault{Kind: sim.Unplug}, []snapshot.Miss{snapshot.NoAck, snapshot.BadResponse, snapshot.ProbeGone}, 0.2, probe.ErrDisconnected},
}

// Whatever goes wrong, at whatever transfer: what was read before is kept, what
// is lost is counted, nothing is taken for a PC that is none, the run ends when
// it should, and the core is not touched.
func TestPCSRFaults(t *testing.T) {
	points, models := 2, []string{"mcu-link", "debugprobe", "daplink-hid", "free-dap"}
	if testing.Short() {
		points, models = 1, models[:2]
	}
	for _, model := range models {
		begin := attached(t, model)
		for _, f := range pcFaults {
			t.Run(model+"/"+f.name, func(t *testing.T) {
				t.Parallel()
				for i := range points {
					for _, rate := range []float64{0, 1500} {
						f.strike(t, model, begin, i, rate)
					}
				}
			})
		}
	}
}

func (f pcFault) strike(t *testing.T, model string, begin time.Duration, point int, rate float64) {
	t.Helper()
	const d = 180 * time.Millisecond
	fault := f.fault
	fault.After = begin + 60*time.Millisecond + time.Duration(point)*137*time.Microsecond
	switch fault.Kind {
	case sim.TransferWAIT, sim.TransferFAULT, sim.NoAck, sim.Parity:
		fault.Transfer = uint64(point) // the next one after that time
	}
	b := newBoard(t, sim.Options{Model: model, Seed: 1, Faults: sim.Script{fault}})
	s, err := b.observe(t, cortexm.PCOptions{Duration: d, Rate: rate, Seed: int64(point)})
	if err != nil {
		t.Fatal(err)
	}
	start := b.board.Now()
	r := b.take(t, s, demo.ELF)
	at := fmt.Sprintf("point %d, %g Hz", point, rate)
	if !errors.Is(r.err, f.ends) {
		t.Errorf("%s: ended with %v, want %v", at, r.err, f.ends)
	}
	if f.ends == io.EOF && b.board.Now()-start < d {
		t.Errorf("%s: the run took %v", at, b.board.Now()-start)
	}
	const block = 14 // of a slow rate, which one fault may cost
	if f.lost == 0 && r.lost > 0 || float64(r.lost) > f.lost*float64(r.pcs+r.lost)+block {
		t.Errorf("%s: lost %d of %d, %v", at, r.lost, r.pcs+r.lost, r.misses)
	}
	for m := range r.misses {
		if !contains(f.miss, m) {
			t.Errorf("%s: %v", at, r.misses)
		}
	}
	if r.pcs == 0 {
		t.Errorf("%s: no PC", at)
	}
	f.checkStates(t, at, r)
	if c := b.board.CoreState(); c.DebugEnabled || c.Halted || b.board.HaltedTime() != 0 && f.fault.Kind != sim.Lockup {
		t.Errorf("%s: core %+v, halted for %v", at, c, b.board.HaltedTime())
	}
	if f.ends == io.EOF && f.name != "debug power off" {
		if err := b.core.Detach(context.Background()); err != nil {
			t.Errorf("%s: %v", at, err)
		}
	}
}

// attached is when a run begins on the board's clock.
func attached(t *testing.T, model string) time.Duration {
	t.Helper()
	b := newBoard(t, sim.Options{Model: model, Seed: 1})
	if _, err := b.observe(t, cortexm.PCOptions{}); err != nil {
		t.Fatal(err)
	}
	return b.board.Now()
}

func contains(all []snapshot.Miss, m snapshot.Miss) bool {
	for _, x := range all {
		if x == m {
			return true
		}
	}
	return false
}

// checkStates: what is not asleep is code, but for a core in lockup.
func (f pcFault) checkStates(t *testing.T, at string, r *pcRun) {
	t.Helper()
	switch f.fault.Kind {
	case sim.TargetReset:
		if r.states&snapshot.Reset == 0 || r.stats.Resets != 1 {
			t.Errorf("%s: the reset was not seen (%d)", at, r.stats.Resets)
		}
	case sim.Lockup:
		if r.states&snapshot.Lockup == 0 {
			t.Errorf("%s: the lockup was not seen", at)
		}
		return
	}
	if none := r.pcs - r.asleep - r.inCode - r.values[0] - r.values[0xFFFFFFFF]; none > 0 || r.values[0] > 500 {
		t.Errorf("%s: %d of %d are no code, and %d are 0", at, none, r.pcs, r.values[0])
	}
}

// A core that somebody halts gives no PCs; the run goes on when it is let go.
func TestPCSRHaltedByOthers(t *testing.T) {
	b := newBoard(t, sim.Options{Seed: 1})
	s, err := b.observe(t, cortexm.PCOptions{Duration: 100 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	n, ones, halted, after := 0, 0, false, 0
	for {
		sp, err := s.Next(context.Background())
		if err != nil {
			break
		}
		switch n++; n {
		case 20:
			b.board.Core().Halt()
		case 60:
			b.board.Core().Resume()
		}
		halted = halted || sp.State&snapshot.AlreadyHalted != 0
		for _, pc := range sp.Block.PCs {
			if pc == 0xFFFFFFFF {
				ones, after = ones+1, 0
			} else {
				after++
			}
		}
	}
	if ones < 1000 || !halted || after < 1000 {
		t.Errorf("%d samples of a halted core, noticed: %v, %d PCs behind them", ones, halted, after)
	}
	if err := b.core.Detach(context.Background()); err != nil {
		t.Error(err)
	}
}
