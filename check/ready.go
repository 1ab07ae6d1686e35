package check

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/mprof/mprof/probe"
)

// readyReads register transfers are looked at, at most readyAtOnce in a halt.
const (
	readyReads  = 1000
	readyAtOnce = 25
)

// regPC and regSP take turns, so that a value that is not ready shows.
const (
	regSP = 13
	regPC = 15
)

// readiness is what register transfers in a row were found to be.
type readiness struct{ reads, late, wrong int }

// registerReady reads registers as fast as the wire allows and counts how often
// S_REGRDY is not set yet, and whether a value is another's although it is.
func registerReady(b *bench, ctx context.Context) (f Finding, err error) {
	clocks := []uint32{b.asked}
	if b.highest > b.asked {
		clocks = append(clocks, b.highest)
	}
	ok, late := true, []string{}
	for i, hz := range clocks {
		if err := b.p.SetClock(ctx, hz); err != nil {
			return f, err
		}
		r, err := b.readRegisters(ctx)
		if err != nil && i > 0 { // it is not the clock of the user
			f.fact("at %s: %v", megahertz(float64(hz)), err)
			return f, b.backTo(ctx, b.asked)
		}
		if err != nil {
			return f, err
		}
		f.fact("asked for %s: S_REGRDY clear %d times in %d register transfers; %d values wrong although it was set", megahertz(float64(hz)), r.late, r.reads, r.wrong)
		f.value(fmt.Sprintf("late_at_%d_hz", hz), float64(r.late))
		late = append(late, fmt.Sprintf("%d at %s", r.late, megahertz(float64(hz))))
		ok = ok && r.late == 0
		f.Unsafe = f.Unsafe || r.wrong > 0
	}
	f.short("%s", strings.Join(late, ", "))
	f.judge(ok && !f.Unsafe, "registers are read at the speed of the wire, each with its S_REGRDY", "samples with such a register are dropped and counted as not ready; a lower --speed brings them back")
	return f, b.p.SetClock(ctx, b.asked)
}

// readRegisters does it in halts of readyAtOnce transfers.
func (b *bench) readRegisters(ctx context.Context) (r readiness, err error) {
	for r.reads < readyReads {
		if ctx.Err() != nil {
			return r, ctx.Err()
		}
		if err := b.halted(ctx, func(ctx context.Context) error { return b.readHalted(ctx, &r) }); err != nil {
			return r, err
		}
	}
	return r, nil
}

// readHalted reads PC and SP in turns. The two are known from reads that waited.
func (b *bench) readHalted(ctx context.Context, r *readiness) error {
	want := map[uint32]uint32{}
	for _, reg := range []uint32{regPC, regSP} {
		v, err := b.readSlowly(ctx, reg)
		if err != nil {
			return err
		}
		want[reg] = v
	}
	if err := b.p.SelectBank(ctx, probe.BankData, addrDHCSR); err != nil {
		return err
	}
	defer b.p.Invalidate()
	most := min((b.p.PacketLimit()-3)/8, readyAtOnce)
	reg := uint32(regPC)
	for left := readyAtOnce; left > 0; {
		var reqs []probe.Req
		var order []uint32
		for ; len(order) < most && left > 0; left-- {
			reqs = append(reqs, probe.Req{Op: probe.WriteBD1, Data: reg}, probe.Req{Op: probe.ReadBD0}, probe.Req{Op: probe.ReadBD2})
			order = append(order, reg)
			reg ^= regPC ^ regSP
		}
		a, err := b.transfer(ctx, reqs...)
		if err != nil {
			return err
		}
		r.count(a.Data, order, want)
	}
	return nil
}

func (r *readiness) count(words, order []uint32, want map[uint32]uint32) {
	for i, reg := range order {
		r.reads++
		switch dhcsr, v := words[2*i], words[2*i+1]; {
		case dhcsr&sRegRdy == 0:
			r.late++
		case v != want[reg]:
			r.wrong++
		}
	}
}

// readSlowly waits for S_REGRDY, a round trip at a time.
func (b *bench) readSlowly(ctx context.Context, reg uint32) (uint32, error) {
	const dcrsr, dcrdr = addrDHCSR + 4, addrDHCSR + 8
	if err := b.p.WriteWord(ctx, dcrsr, reg); err != nil {
		return 0, err
	}
	for range haltPolls {
		dhcsr, err := b.p.ReadWord(ctx, addrDHCSR)
		if err != nil {
			return 0, err
		}
		if dhcsr&sRegRdy != 0 {
			return b.p.ReadWord(ctx, dcrdr)
		}
	}
	return 0, errors.New("S_REGRDY does not come")
}
