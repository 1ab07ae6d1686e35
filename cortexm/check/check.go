// Package check finds out what a debug probe and the core behind it do where
// the driver's choices depend on it. In: a packet transport and a clock. Out: a
// report of findings, and a core that runs as it did before.
package check

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/mprof/mprof/cortexm"
	"github.com/mprof/mprof/probe"
)

// Options say how to check. The zero value serves.
type Options struct {
	Connect probe.Options     // the clock, and which core
	Clock   cortexm.Clock     // nil: the host's
	Image   []Segment         // what the target's flash holds, where that is known
	Begin   func(name string) // called before each check, for whoever waits; nil: not
}

// Segment is a piece of memory that the program does not change.
type Segment struct {
	Addr uint32
	Data []byte
}

// Longest is for how long the core stands still at a time where the host is not
// too busy to send the next packet: a few round trips, of which HID takes a
// thousandth of a second each or more. Run halts a few hundred times. A program
// with a deadline of that order must be in a safe state.
const Longest = 50 * time.Millisecond

// one is a check: point is its letter in docs/hardware.md.
type one struct {
	point, name string
	run         func(*bench, context.Context) (Finding, error)
}

// all checks, those that leave the core alone first.
var all = []one{
	{"g", "capabilities", capabilities},
	{"h", "packet sizes", packetSizes},
	{"h", "packets in flight", packetsInFlight},
	{"i", "SWCLK", swclk},
	{"l", "DAP_Delay", delay},
	{"j", "timestamps", timestamps},
	{"e", "gap between packets", gap},
	{"m", "DAP_TransferAbort", transferAbort},
	{"f", "banked data registers", bankedRegisters},
	{"o", "TAR at 1 KiB", tarIncrement},
	{"n", "FAULT", fault},
	{"b", "CYCCNT", cycleCounter},
	{"c", "PCSR", programCounter},
	{"a", "guard packet", guardPacket},
	{"k", "halt to resume", haltToResume},
	{"d", "S_REGRDY", registerReady},
	{"p", "memory while running", liveMemory},
	{"q", "sampling", sampling},
}

// Run connects to the target on t, does all checks and lets the core go. The
// report holds what was found until an error or the end of ctx; it is nil where
// no core was reached. Every register that was changed is as it was, and the
// core runs, with C_DEBUGEN clear: if that cannot be made sure the error says so.
//
// t is closed.
func Run(ctx context.Context, t probe.Transport, o Options) (*Report, error) {
	if o.Clock == nil {
		o.Clock = cortexm.NewWall()
	}
	p, err := probe.Open(ctx, t, o.Connect)
	if err != nil {
		return nil, errors.Join(err, t.Close())
	}
	core, err := cortexm.Attach(ctx, p, cortexm.AttachOptions{Clock: o.Clock, ResumeHalted: o.Connect.ConnectUnderReset})
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	b := &bench{p: p, core: core, clock: o.Clock, image: o.Image, costs: core.Costs(), asked: o.Connect.SWCLKHz, report: &Report{}}
	if b.asked == 0 {
		b.asked = probe.DefaultSWCLKHz
	}
	b.highest = b.asked
	b.identify()
	if err = core.Run(ctx); err == nil { // where it was attached under reset
		err = b.runAll(ctx, o.Begin)
	}
	err = errors.Join(err, b.leave())
	b.report.Halts, b.report.HaltedTotal, b.report.HaltedLongest = b.halts, b.haltedTotal, b.haltedLongest
	return b.report, err
}

// runAll does one check after the other until the probe is gone or ctx ends.
func (b *bench) runAll(ctx context.Context, begin func(string)) error {
	for _, c := range all {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if begin != nil {
			begin(c.name)
		}
		f, err := b.runOne(ctx, c)
		b.report.Findings = append(b.report.Findings, f)
		if err != nil {
			return err
		}
	}
	return nil
}

// runOne does a check and makes sure that the core runs behind it. Its error
// ends the checks.
func (b *bench) runOne(ctx context.Context, c one) (f Finding, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("check: %s: internal error: %v\n%s", c.name, r, debug.Stack())
		}
		f.Point, f.Name = c.point, c.name
	}()
	f, err = c.run(b, ctx)
	if err != nil {
		f.Verdict, f.Consequence = CannotTell, ""
		f.fact("%v", err)
		if errors.Is(err, probe.ErrDisconnected) || ctx.Err() != nil {
			return f, err
		}
	}
	stood, err := b.settle(ctx, err != nil)
	if stood {
		f.Unsafe = true
		f.Verdict = Differs
		f.fact("the core was left halted, and had to be resumed")
	}
	if err != nil {
		f.fact("afterwards: %v", err)
	}
	return f, err
}
