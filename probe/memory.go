package probe

import (
	"context"
	"encoding/binary"
	"fmt"
)

// tarPage is how far TAR counts by itself: the increment is only promised
// within 1 KiB (ADIv5.2 section C2.2.2).
const tarPage = 1 << 10

// chunk is how much memory is planned at a time.
const chunk = 16 << 10

// ReadWord reads the word at addr, a multiple of 4.
func (p *Probe) ReadWord(ctx context.Context, addr uint32) (uint32, error) {
	if addr&3 != 0 {
		return 0, fmt.Errorf("probe: read word 0x%08x: not a multiple of 4", addr)
	}
	var b [4]byte
	if err := p.ReadMemory(ctx, addr, b[:]); err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint32(b[:]), nil
}

// ReadMemory fills dst from target memory at addr. It reads whole words: those
// that hold the first and the last byte are read once each as words. On an
// error the words before it are in dst, and the error says how many.
func (p *Probe) ReadMemory(ctx context.Context, addr uint32, dst []byte) error {
	if err := checkRange("read", addr, len(dst)); err != nil {
		return err
	}
	words := 0
	for done := 0; done < len(dst); {
		at := addr + uint32(done)
		n := min(len(dst)-done, chunk-int(at%tarPage))
		got, err := p.readChunk(ctx, at, dst[done:done+n])
		words += got
		if err != nil {
			p.clear(ctx, err)
			return fmt.Errorf("probe: read 0x%08x+%d: after %d words: %w", addr, len(dst), words, err)
		}
		done += n
	}
	return nil
}

// checkRange rejects a range that goes past the end of the address space.
func checkRange(action string, addr uint32, n int) error {
	if uint64(addr)+uint64(n) > 1<<32 {
		return fmt.Errorf("probe: %s 0x%08x+%d: past the end of the address space", action, addr, n)
	}
	return nil
}

// readChunk reads what one plan holds and returns how many words came.
func (p *Probe) readChunk(ctx context.Context, addr uint32, dst []byte) (words int, err error) {
	first := addr &^ 3
	n := (len(dst) + int(addr-first) + 3) / 4
	if err := p.planRead(ctx, first, n); err != nil {
		return 0, err
	}
	var b [4]byte
	err = p.run(ctx, func(data []uint32) {
		for _, v := range data {
			binary.LittleEndian.PutUint32(b[:], v)
			if at := 4*words - int(addr-first); at < 0 {
				copy(dst, b[-at:])
			} else {
				copy(dst[at:], b[:])
			}
			words++
		}
	})
	if err == nil && words != n {
		err = fmt.Errorf("%d words of %d: %w", words, n, ErrResponse)
	}
	p.cache.aimed = false
	return words, err
}

// planRead fills p.batch with the reads of n words. A read of several packets
// has SELECT set before: with a wrong bank, the TAR of a later packet would be
// a write to a banked data register.
func (p *Probe) planRead(ctx context.Context, first uint32, n int) error {
	b := &p.batch
	b.reset(p.PacketLimit())
	p.cache.aimed = false
	p.reqs = p.appendSelect(p.appendAim(p.reqs[:0], cswWordInc, first), BankTransfer)
	for _, r := range p.reqs {
		b.add(r)
	}
	for i := range n {
		at := first + uint32(4*i)
		if i > 0 && at%tarPage == 0 {
			b.add(Req{WriteTAR, at})
		}
		b.add(Req{Op: ReadDRW})
	}
	if len(b.ends) == 0 || len(p.reqs) == 1 {
		return nil
	}
	setUp := p.reqs[:len(p.reqs)-1]
	if err := p.aim(ctx, setUp); err != nil {
		return err
	}
	return p.planRead(ctx, first, n)
}

// WriteWord writes the word at addr, a multiple of 4.
func (p *Probe) WriteWord(ctx context.Context, addr, v uint32) error {
	if addr&3 != 0 {
		return fmt.Errorf("probe: write word 0x%08x: not a multiple of 4", addr)
	}
	var b [4]byte
	binary.LittleEndian.PutUint32(b[:], v)
	return p.WriteMemory(ctx, addr, b[:])
}

// WriteMemory writes src to target memory at addr: whole words where it can,
// single bytes at unaligned ends. After an error it is not known which of the
// words after the first failure were written.
func (p *Probe) WriteMemory(ctx context.Context, addr uint32, src []byte) error {
	if err := checkRange("write", addr, len(src)); err != nil {
		return err
	}
	for done := 0; done < len(src); {
		at := addr + uint32(done)
		n, write := min(len(src)-done, chunk)&^3, p.writeWords
		if at&3 != 0 || n == 0 {
			n, write = min(len(src)-done, 4-int(at&3)), p.writeBytes
		}
		if err := write(ctx, at, src[done:done+n]); err != nil {
			p.clear(ctx, err)
			return fmt.Errorf("probe: write 0x%08x+%d: at 0x%08x: %w", addr, len(src), at, err)
		}
		done += n
	}
	return nil
}

// writeWords writes aligned words. Every packet sets TAR itself, so that one
// that is not executed does not lead the next ones astray.
func (p *Probe) writeWords(ctx context.Context, addr uint32, src []byte) error {
	if err := p.SelectBank(ctx, BankTransfer, addr); err != nil {
		return err
	}
	b := &p.batch
	b.reset(p.PacketLimit())
	for i := 0; i < len(src); i += 4 {
		at := addr + uint32(i)
		tar, drw := Req{WriteTAR, at}, Req{WriteDRW, binary.LittleEndian.Uint32(src[i:])}
		switch {
		case i == 0: // TAR is there
		case at%tarPage == 0 && b.fits(tar, drw):
			b.add(tar)
		case at%tarPage == 0 || !b.fits(drw):
			b.cut()
			b.add(tar)
		}
		b.add(drw)
	}
	p.cache.aimed = false
	return p.run(ctx, func([]uint32) {})
}

// writeBytes writes bytes within one word. Each goes on its own lane of the
// bus (ADIv5.2 section C2.2.6).
func (p *Probe) writeBytes(ctx context.Context, addr uint32, src []byte) error {
	reqs := p.appendSelect(p.appendAim(p.reqs[:0], cswByteInc, addr), BankTransfer)
	for i, v := range src {
		lane := (addr + uint32(i)) & 3
		reqs = append(reqs, Req{WriteDRW, uint32(v) << (8 * lane)})
	}
	p.reqs, p.cache.aimed = reqs, false
	return p.aim(ctx, reqs)
}
