package check

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mprof/mprof/cortexm"
	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/schedule"
)

// Registers of the core that the checks look at (ARMv7-M ARM B3.2, C1.6, C1.8).
const (
	addrCPUID = 0xE000ED00
	addrVTOR  = 0xE000ED08
	addrDHCSR = 0xE000EDF0
	addrDEMCR = 0xE000EDFC

	dhcsrRun  uint32 = 0xA05F0001
	dhcsrHalt uint32 = 0xA05F0003
	sRegRdy   uint32 = 1 << 16
	sHalt     uint32 = 1 << 17
	sSleep    uint32 = 1 << 18

	trcEna uint32 = 1 << 24 // DEMCR
)

// bench is a probe and a core under examination.
type bench struct {
	p      *probe.Probe
	core   *cortexm.Core
	clock  cortexm.Clock
	image  []Segment
	costs  cortexm.Costs
	report *Report

	asked, highest uint32 // SWCLK in Hz: of the options, and the highest that works
	guarded        bool   // DAP_ExecuteCommands goes on behind a failed match
	undo           []func(context.Context) error

	halts                      int
	haltedTotal, haltedLongest time.Duration
}

// ErrHalted: it is not certain that the core runs again.
var ErrHalted = errors.New("the core may be left halted")

// leaveTime bounds the way back.
const leaveTime = 5 * time.Second

// leave restores what was changed, last first, lets the core go and closes the
// probe. It does not heed a ctx that has ended.
func (b *bench) leave() error {
	ctx, cancel := schedule.Patience(context.Background(), leaveTime)
	defer cancel()
	b.p.Invalidate()
	var err error
	for i := len(b.undo) - 1; i >= 0; i-- {
		err = errors.Join(err, b.undo[i](ctx))
	}
	b.undo = nil
	if e := b.core.Detach(ctx); e != nil {
		err = errors.Join(err, fmt.Errorf("check: %w: %w", ErrHalted, e))
	}
	return errors.Join(err, b.p.Close())
}

// changed remembers a register of the target that has to be put back.
func (b *bench) changed(addr, old uint32) {
	b.undo = append(b.undo, func(ctx context.Context) error {
		if err := b.p.WriteWord(ctx, addr, old); err != nil {
			return fmt.Errorf("check: restore 0x%08x: %w", addr, err)
		}
		return nil
	})
}

// transfer runs one DAP_Transfer. A refusal is a *probe.TransferError; the
// answer holds what came before it. SELECT, CSW and TAR are unknown behind it.
func (b *bench) transfer(ctx context.Context, reqs ...probe.Req) (a probe.Answer, err error) {
	defer b.p.Invalidate()
	r, err := b.p.Exchange(ctx, [][]byte{probe.AppendTransfer(nil, reqs)}, nil)
	if err != nil {
		return a, err
	}
	_, err = probe.ParseTransfer(r[0], reqs, &a)
	return a, err
}

// A target that cannot be reached behind a check is tried again for about two
// seconds: it may have been reset, or its debug domain without power.
const (
	settleTries = 10
	settlePause = 200 * time.Millisecond
)

// settle brings the connection back after an error and says whether the core
// stood still, in which case it is resumed.
func (b *bench) settle(ctx context.Context, failed bool) (stood bool, err error) {
	ctx = context.WithoutCancel(ctx)
	for try := range settleTries {
		if try > 0 || failed {
			err = errors.Join(b.p.SetClock(ctx, b.asked), b.p.Recover(ctx))
		}
		if err == nil {
			stood, err = b.look(ctx)
		}
		if err == nil || errors.Is(err, probe.ErrDisconnected) {
			break
		}
		if try > 0 {
			_ = b.clock.Sleep(ctx, settlePause)
		}
	}
	if stood {
		err = errors.Join(err, b.resume())
	}
	return stood, err
}

// look puts the retries back and says whether the core stands still.
func (b *bench) look(ctx context.Context) (stands bool, err error) {
	b.p.Invalidate()
	if err := b.p.SetMatchRetry(ctx, probe.DefaultMatchRetry); err != nil {
		return false, err
	}
	dhcsr, err := b.p.ReadWord(ctx, addrDHCSR)
	return dhcsr&sHalt != 0, err
}

// resumeTries is how often a core is told to run, with the connection brought
// back in between.
const resumeTries = 4

// resume lets the core run and makes sure that it does.
func (b *bench) resume() (err error) {
	ctx, cancel := schedule.Patience(context.Background(), leaveTime)
	defer cancel()
	for range resumeTries {
		if err != nil {
			if e := b.p.Recover(ctx); errors.Is(e, probe.ErrDisconnected) {
				return e
			}
		}
		b.p.Invalidate()
		if err = b.p.WriteWord(ctx, addrDHCSR, dhcsrRun); err != nil {
			continue
		}
		var dhcsr uint32
		if dhcsr, err = b.p.ReadWord(ctx, addrDHCSR); err == nil && dhcsr&sHalt == 0 {
			return nil
		}
		if err == nil {
			err = fmt.Errorf("DHCSR 0x%08x", dhcsr)
		}
	}
	return fmt.Errorf("check: the core does not resume: %w", err)
}

// haltPolls is how often S_HALT is looked for: a round trip each.
const haltPolls = 50

// halted halts the core, runs f and lets the core run, whatever f does. f is not
// cut short by the end of ctx, so it has to be short by itself.
func (b *bench) halted(ctx context.Context, f func(context.Context) error) (err error) {
	ctx, cancel := schedule.Patience(context.WithoutCancel(ctx), leaveTime)
	defer cancel()
	start := b.clock.Now()
	defer func() {
		err = errors.Join(err, b.resume())
		b.stood(b.clock.Now() - start)
	}()
	if err := b.p.WriteWord(ctx, addrDHCSR, dhcsrHalt); err != nil {
		return err
	}
	for range haltPolls {
		dhcsr, err := b.p.ReadWord(ctx, addrDHCSR)
		if err != nil {
			return err
		}
		if dhcsr&sHalt != 0 {
			return f(ctx)
		}
	}
	return errors.New("the core does not halt")
}

// stood counts a halt.
func (b *bench) stood(d time.Duration) {
	b.halts++
	b.haltedTotal += d
	b.haltedLongest = max(b.haltedLongest, d)
}

// timed is the shortest of a few exchanges of the same packets.
func (b *bench) timed(ctx context.Context, runs int, requests ...[]byte) (best time.Duration, responses [][]byte, err error) {
	for i := range runs {
		start := b.clock.Now()
		r, err := b.p.Exchange(ctx, requests, nil)
		if err != nil {
			return 0, nil, err
		}
		if took := b.clock.Now() - start; i == 0 || took < best {
			best, responses = took, r
		}
	}
	return best, responses, nil
}

// neverDPIDR is a value match that fails as often as the probe tries it and
// touches nothing but the debug port: bit 0 of DPIDR is one (ADIv5.2 section
// B2.2.5).
var neverDPIDR = []probe.Req{
	{Op: probe.WriteABORT | probe.MatchMask, Data: 1},
	{Op: probe.ReadDPIDR | probe.MatchValue, Data: 0},
}
