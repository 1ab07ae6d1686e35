package check

import (
	"bytes"
	"context"
)

const (
	liveBytes = 512
	liveReads = 20
)

// liveMemory reads flash while the core runs, many times, and compares with
// what it reads halted, and with the image where there is one.
func liveMemory(b *bench, ctx context.Context) (f Finding, err error) {
	at, err := b.codeAt(ctx)
	if err != nil {
		return f, err
	}
	still := make([]byte, liveBytes)
	if err := b.halted(ctx, func(ctx context.Context) error { return b.p.ReadMemory(ctx, at, still) }); err != nil {
		return f, err
	}
	wrong, asleep := 0, 0
	got := make([]byte, liveBytes)
	for range liveReads {
		dhcsr, err := b.p.ReadWord(ctx, addrDHCSR)
		if err != nil {
			return f, err
		}
		if dhcsr&sSleep != 0 {
			asleep++
		}
		if err := b.p.ReadMemory(ctx, at, got); err != nil {
			return f, err
		}
		if !bytes.Equal(got, still) {
			wrong++
		}
	}
	f.fact("%d bytes at 0x%08x: %d of %d reads while running differ from the one while halted (%d began asleep)", liveBytes, at, wrong, liveReads, asleep)
	f.short("%d of %d differ", wrong, liveReads)
	f.value("differing_reads", float64(wrong))
	f.judge(wrong == 0, "the ELF file is compared with the flash while the core runs", "comparing the ELF file with the flash fails on this part: --force goes on without; stacks are read halted and are right")
	for _, s := range b.image {
		if s.Addr <= at && at-s.Addr < uint32(len(s.Data)) {
			if n := min(liveBytes, len(s.Data)-int(at-s.Addr)); !bytes.Equal(still[:n], s.Data[at-s.Addr:][:n]) {
				f.fact("the flash is not what the ELF file says")
				f.Verdict = Differs
			}
		}
	}
	return f, nil
}
