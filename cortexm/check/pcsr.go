package check

import (
	"context"
	"time"

	"github.com/mprof/mprof/probe"
)

// pcsrReads are spaced by 1 to 4 ms, so that a loop of the program is seen at
// more than one place, and a program that sleeps now and then asleep.
const pcsrReads = 200

// pcsrNone: Debug state, or no permission (ARMv7-M ARM C1.8.6).
const pcsrNone = 0xFFFFFFFF

// sleepy is what PCSR reads in one state of the core.
type sleepy struct {
	reads, zero, ones, odd int
	values                 map[uint32]int
	low, high              uint32
}

func (s *sleepy) add(v uint32) {
	if s.values == nil {
		s.values, s.low = make(map[uint32]int), v
	}
	s.reads++
	s.values[v]++
	switch {
	case v == 0:
		s.zero++
	case v == pcsrNone:
		s.ones++
	case v&1 != 0:
		s.odd++
	}
	s.low, s.high = min(s.low, v), max(s.high, v)
}

func (s *sleepy) tell(f *Finding, state string) {
	switch {
	case s.reads == 0:
		f.fact("%s: never seen so", state)
	case len(s.values) == 1:
		f.fact("%s: 0x%08x, all %d times", state, s.low, s.reads)
	default:
		f.fact("%s: %d values from 0x%08x to 0x%08x in %d reads; %d zero, %d all ones, %d odd", state, len(s.values), s.low, s.high, s.reads, s.zero, s.ones, s.odd)
	}
}

func (s *sleepy) short() string {
	switch {
	case s.reads == 0:
		return "-"
	case s.zero == s.reads:
		return "0"
	case s.ones == s.reads:
		return "all ones"
	case s.zero+s.ones > 0:
		return "mixed"
	}
	return "PCs"
}

// programCounter reads PCSR while the core runs, sleeps and stands still. Each
// read stands between two of DHCSR, which say whether it slept.
func programCounter(b *bench, ctx context.Context) (f Finding, err error) {
	if err := b.trace(ctx); err != nil {
		return f, err
	}
	if err := b.p.SelectBank(ctx, probe.BankTransfer, addrDHCSR); err != nil {
		return f, err
	}
	at := func(a uint32) probe.Req { return probe.Req{Op: probe.WriteTAR, Data: a} }
	read := probe.Req{Op: probe.ReadDRW}
	look := []probe.Req{at(addrDHCSR), read, at(addrPCSR), read, at(addrDHCSR), read}
	var running, asleep sleepy
	for i := range pcsrReads {
		a, err := b.transfer(ctx, look...)
		if err != nil {
			return f, err
		}
		switch before, after := a.Data[0]&sSleep, a.Data[2]&sSleep; {
		case before != 0 && after != 0:
			asleep.add(a.Data[1])
		case before == 0 && after == 0:
			running.add(a.Data[1])
		}
		if err := b.clock.Sleep(ctx, time.Millisecond+time.Duration(i*7%31)*100*time.Microsecond); err != nil {
			return f, err
		}
	}
	var halted uint32
	if err := b.halted(ctx, func(ctx context.Context) (err error) {
		halted, err = b.p.ReadWord(ctx, addrPCSR)
		return err
	}); err != nil {
		return f, err
	}
	running.tell(&f, "running")
	asleep.tell(&f, "asleep (WFI, WFE)")
	f.fact("halted: 0x%08x", halted)
	f.short("%s / %s / 0x%08x", running.short(), asleep.short(), halted)
	f.value("distinct", float64(len(running.values)))
	f.value("asleep_reads", float64(asleep.reads))
	f.value("asleep_ones", float64(asleep.ones))
	if running.reads == 0 && asleep.reads > 0 {
		f.Verdict = CannotTell
		f.Consequence = "reads while the core sleeps are told by S_SLEEP, not by their value"
		return f, nil
	}
	works := running.reads > running.zero+running.ones+running.odd
	f.judge(works && halted == pcsrNone, "--method pcsr is possible; reads while the core sleeps are told by S_SLEEP", "--method pcsr is not possible here where it reads 0 or all ones; mprof halts instead")
	return f, nil
}
