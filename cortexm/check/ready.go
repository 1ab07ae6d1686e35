package check

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/schedule"
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
	packets := b.readyPackets()
	mask := probe.Req{Op: probe.WriteABORT | probe.MatchMask, Data: sHalt}
	for r.reads < readyReads {
		if ctx.Err() != nil {
			return r, ctx.Err()
		}
		if _, err := b.transfer(ctx, mask); err != nil {
			return r, err
		}
		answers, err := b.oneHalt(ctx, packets)
		if err != nil {
			return r, err
		}
		r.count(answers)
	}
	return r, nil
}

// slowReads of DHCSR give a register time; the last says whether it was enough.
const slowReads = 8

// readyPackets halt, read PC and SP slowly, to know them, read them in turns as
// fast as it goes, and resume.
func (b *bench) readyPackets() (packets [][]probe.Req) {
	first := []probe.Req{{Op: probe.WriteBD0, Data: dhcsrHalt}, {Op: probe.ReadBD0 | probe.MatchValue, Data: sHalt}}
	for _, reg := range []uint32{regPC, regSP} {
		first = append(first, probe.Req{Op: probe.WriteBD1, Data: reg})
		for range slowReads {
			first = append(first, probe.Req{Op: probe.ReadBD0})
		}
		packets = append(packets, append(first, probe.Req{Op: probe.ReadBD2}))
		first = nil
	}
	most := min((b.p.PacketLimit()-3)/8, readyAtOnce)
	reg := uint32(regPC)
	for left := readyAtOnce; left > 0; left -= most {
		var reqs []probe.Req
		for range min(most, left) {
			reqs = append(reqs, probe.Req{Op: probe.WriteBD1, Data: reg}, probe.Req{Op: probe.ReadBD0}, probe.Req{Op: probe.ReadBD2})
			reg ^= regPC ^ regSP
		}
		packets = append(packets, reqs)
	}
	return append(packets, []probe.Req{{Op: probe.WriteABORT, Data: abortClear}, {Op: probe.WriteBD0, Data: dhcsrRun}})
}

// oneHalt sends packets that halt and resume together, so that the host has no
// part in how long the core stands. It makes sure that it runs behind them.
func (b *bench) oneHalt(ctx context.Context, packets [][]probe.Req) (answers []probe.Answer, err error) {
	if err := b.p.SelectBank(ctx, probe.BankData, addrDHCSR); err != nil {
		return nil, err
	}
	ctx, cancel := schedule.Patience(context.WithoutCancel(ctx), leaveTime)
	defer cancel()
	var requests [][]byte
	for _, reqs := range packets {
		requests = append(requests, probe.AppendTransfer(nil, reqs))
	}
	start := b.clock.Now()
	responses, err := b.p.Exchange(ctx, requests, nil)
	b.stood(b.clock.Now() - start)
	b.p.Invalidate()
	answers = make([]probe.Answer, len(responses))
	for i, r := range responses {
		if _, e := probe.ParseTransfer(r, packets[i], &answers[i]); err == nil {
			err = e
		}
	}
	dhcsr, e := b.p.ReadWord(ctx, addrDHCSR)
	if e != nil || dhcsr&sHalt != 0 {
		err = errors.Join(err, b.resume())
	}
	return answers, err
}

// count looks at what the packets brought, but for the last, which resumes.
func (r *readiness) count(answers []probe.Answer) {
	known := map[int]uint32{}
	for i := range 2 {
		data := answers[i].Data
		if data[slowReads-1]&sRegRdy != 0 {
			known[i] = data[slowReads]
		}
	}
	turn := 0
	for _, a := range answers[2 : len(answers)-1] {
		for i := 0; i+1 < len(a.Data); i += 2 {
			want, ok := known[turn]
			turn ^= 1
			r.reads++
			switch dhcsr, v := a.Data[i], a.Data[i+1]; {
			case dhcsr&sRegRdy == 0:
				r.late++
			case ok && v != want:
				r.wrong++
			}
		}
	}
}
