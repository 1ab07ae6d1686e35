package check

import (
	"context"
	"errors"
	"fmt"

	"github.com/mprof/mprof/probe"
)

// portVersion names the architecture of the debug port: DPIDR.VERSION of 3 has
// ports of ADIv6.
func (b *bench) portVersion() string {
	if b.p.DPIDR()>>12&0xF >= 3 {
		return "ADIv6"
	}
	return "ADIv5"
}

// bankedRegisters reads and compares through BD0 to BD3 in the identification
// registers of the core, which do not change.
func bankedRegisters(b *bench, ctx context.Context) (f Finding, err error) {
	const block = addrCPUID &^ 0xF
	if err := b.p.SetMatchRetry(ctx, 2); err != nil {
		return f, err
	}
	aim := func() error { return b.p.SelectBank(ctx, probe.BankData, block) }
	if err := aim(); err != nil {
		return f, err
	}
	cpuid := b.core.CPUID()
	mask := probe.Req{Op: probe.WriteABORT | probe.MatchMask, Data: 0xFFFFFFFF}
	match := func(v uint32) probe.Req { return probe.Req{Op: probe.ReadBD0 | probe.MatchValue, Data: v} }
	a, err := b.transfer(ctx, mask, probe.Req{Op: probe.ReadBD0}, mask, match(cpuid),
		probe.Req{Op: probe.WriteSELECT, Data: b.p.SelectWord(probe.BankTransfer)}, probe.Req{Op: probe.ReadTAR})
	if err != nil {
		return f, err
	}
	reads, stays := a.Data[0] == cpuid, a.Data[1] == block
	f.short("%s", b.portVersion())
	f.fact("%s, AP IDR 0x%08x: BD0 reads 0x%08x, CPUID is 0x%08x", b.portVersion(), b.p.APIDR(), a.Data[0], cpuid)
	f.fact("a value match on BD0 holds; TAR is 0x%08x behind it, was 0x%08x", a.Data[1], uint32(block))
	if err := aim(); err != nil {
		return f, err
	}
	a, err = b.transfer(ctx, mask, match(^cpuid), probe.Req{Op: probe.ReadBD0})
	fails := a.Ack == probe.OK|probe.Mismatch
	f.fact("a match on another value: %v", err)
	f.judge(reads && stays && fails, "DHCSR, DCRSR and DCRDR are reached without moving TAR", "the sequences of a sample rely on this: not with this access port")
	f.Unsafe = f.Verdict == Differs
	return f, nil
}

// codeAt is an address of flash: of the image, or of the vector table.
func (b *bench) codeAt(ctx context.Context) (uint32, error) {
	for _, s := range b.image {
		if len(s.Data) >= 2<<10 {
			return (s.Addr + 3) &^ 3, nil
		}
	}
	v, err := b.p.ReadWord(ctx, addrVTOR)
	return v &^ 0x7F, err
}

// tarIncrement reads on over an address that is a multiple of 1 KiB, where the
// increment of TAR is no longer promised (ADIv5.2 section C2.2.2).
func tarIncrement(b *bench, ctx context.Context) (f Finding, err error) {
	at, err := b.codeAt(ctx)
	if err != nil {
		return f, err
	}
	border := (at + 0x400) &^ 0x3FF
	if err := b.p.SelectBank(ctx, probe.BankTransfer, border-8); err != nil {
		return f, err
	}
	read := probe.Req{Op: probe.ReadDRW}
	a, err := b.transfer(ctx, read, read, read, read, probe.Req{Op: probe.ReadTAR})
	if err != nil {
		return f, err
	}
	after := a.Data[4]
	switch after {
	case border + 8:
		f.short("goes on")
		f.fact("TAR goes on over 0x%08x: it increments beyond 1 KiB", border)
	case border - 0x400 + 8:
		f.short("wraps")
		f.fact("TAR wraps at 0x%08x to 0x%08x", border, border-0x400)
	default:
		f.fact("TAR is 0x%08x after four reads from 0x%08x", after, border-8)
	}
	f.judge(after == border+8 || after == border-0x400+8, "TAR is written anew at every 1 KiB, so that either will do", "TAR is written anew at every 1 KiB")
	return f, nil
}

// nowhere are addresses at which most parts have nothing.
var nowhere = []uint32{0xD0000000, 0xFFFFFFF0, 0x9FFFFFF0, 0x5FFFFFF0}

// fault reads where nothing is, and looks at what the probe tells of it.
func fault(b *bench, ctx context.Context) (f Finding, err error) {
	read := probe.Req{Op: probe.ReadDRW}
	for _, at := range nowhere {
		if err := b.p.SelectBank(ctx, probe.BankTransfer, at); err != nil {
			return f, err
		}
		a, err := b.transfer(ctx, read, read, read, read)
		var refused *probe.TransferError
		if err == nil {
			continue
		}
		if !errors.As(err, &refused) {
			return f, err
		}
		f.fact("reading 0x%08x four times: %s, %d counted, %d words", at, a.Ack, a.Count, len(a.Data))
		f.short("%s, %d counted, %d words", a.Ack, a.Count, len(a.Data))
		f.value("counted", float64(a.Count))
		return f, b.judgeFault(ctx, &f, a)
	}
	f.Verdict = CannotTell
	f.fact("nothing faults at %08x", nowhere)
	f.Consequence = "a stack window that leaves the RAM brings words that are none; mprof keeps to the RAM that the ELF names"
	return f, nil
}

// judgeFault looks whether ABORT brings the port back.
func (b *bench) judgeFault(ctx context.Context, f *Finding, a probe.Answer) error {
	again, err := b.transfer(ctx, probe.Req{Op: probe.ReadCTRLSTAT}) // nothing else is legal but ABORT
	if err != nil {
		return err
	}
	f.fact("CTRL/STAT is 0x%08x: STICKYERR is %d", again.Data[0], again.Data[0]>>5&1)
	if err := b.p.Abort(ctx, probe.AbortSticky); err != nil {
		return err
	}
	b.p.Invalidate()
	v, err := b.p.ReadWord(ctx, addrCPUID)
	if err != nil {
		return fmt.Errorf("after ABORT: %w", err)
	}
	f.fact("after ABORT CPUID reads 0x%08x", v)
	f.judge(a.Ack&^probe.Mismatch == probe.FAULT && len(a.Data) == 0 && v == b.core.CPUID(),
		"no word that follows a fault is believed; the guard's ABORT clears it", "words before a fault may be missing or wrong: a sample with one is dropped")
	return nil
}
