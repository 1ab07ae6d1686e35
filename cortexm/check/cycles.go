package check

import (
	"context"
	"time"
)

// DWT (ARMv7-M ARM C1.8).
const (
	addrDWTCTRL = 0xE0001000
	addrCYCCNT  = 0xE0001004
	addrPCSR    = 0xE000101C

	cyccntEna uint32 = 1 << 0
	noCyccnt  uint32 = 1 << 25
)

// trace switches the DWT on, until the end of the checks.
func (b *bench) trace(ctx context.Context) error {
	demcr, err := b.p.ReadWord(ctx, addrDEMCR)
	if err != nil || demcr&trcEna != 0 {
		return err
	}
	b.changed(addrDEMCR, demcr)
	return b.p.WriteWord(ctx, addrDEMCR, demcr|trcEna)
}

// stillTime is how long the core is halted to see whether the counter stands,
// countTime how long it is watched counting.
const (
	stillTime = 2 * time.Millisecond
	countTime = 200 * time.Millisecond
)

// cycleCounter looks whether CYCCNT stands still with the core, and how fast it
// counts otherwise.
func cycleCounter(b *bench, ctx context.Context) (f Finding, err error) {
	if err := b.trace(ctx); err != nil {
		return f, err
	}
	ctrl, err := b.p.ReadWord(ctx, addrDWTCTRL)
	if err != nil {
		return f, err
	}
	if ctrl == 0 || ctrl&noCyccnt != 0 {
		f.Verdict = CannotTell
		f.fact("the core has no cycle counter (DWT_CTRL 0x%08x)", ctrl)
		return f, nil
	}
	if ctrl&cyccntEna == 0 {
		b.changed(addrDWTCTRL, ctrl)
		if err := b.p.WriteWord(ctx, addrDWTCTRL, ctrl|cyccntEna); err != nil {
			return f, err
		}
	}
	stood, err := b.countHalted(ctx)
	if err != nil {
		return f, err
	}
	before, start, err := b.count(ctx)
	if err != nil {
		return f, err
	}
	if err := b.clock.Sleep(ctx, countTime); err != nil {
		return f, err
	}
	after, end, err := b.count(ctx)
	if err != nil {
		return f, err
	}
	hz := float64(after-before) / (end - start).Seconds()
	f.fact("in %v of Debug state it counts %d cycles", stillTime, stood)
	f.fact("running it counts %s", megahertz(hz))
	f.value("core_hz", hz)
	f.short("%d cycles halted", stood)
	f.value("halted_cycles", float64(stood))
	if after == before {
		f.Verdict = CannotTell
		f.Consequence = "a counter that stands tells no time"
		return f, nil
	}
	f.judge(stood == 0, "it counts the program's own time; mprof takes its times from the probe or the host", "it counts the halts, too; mprof does not use it")
	return f, nil
}

// count reads CYCCNT, and the middle of the time that it took.
func (b *bench) count(ctx context.Context) (cycles uint32, at time.Duration, err error) {
	start := b.clock.Now()
	cycles, err = b.p.ReadWord(ctx, addrCYCCNT)
	return cycles, (start + b.clock.Now()) / 2, err
}

// countHalted is how far CYCCNT comes while the core is halted.
func (b *bench) countHalted(ctx context.Context) (cycles uint32, err error) {
	err = b.halted(ctx, func(ctx context.Context) error {
		before, err := b.p.ReadWord(ctx, addrCYCCNT)
		if err != nil {
			return err
		}
		if err := b.clock.Sleep(ctx, stillTime); err != nil {
			return err
		}
		after, err := b.p.ReadWord(ctx, addrCYCCNT)
		cycles = after - before
		return err
	})
	return cycles, err
}
