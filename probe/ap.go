package probe

import (
	"context"
	"errors"
	"fmt"
)

// Bank is a group of four access port registers, as in SELECT.APBANKSEL.
type Bank byte

const (
	BankTransfer Bank = 0x00 // CSW, TAR, DRW
	BankData     Bank = 0x10 // BD0 to BD3
	BankID       Bank = 0xF0 // CFG, BASE, IDR
)

// Fields of CSW (ADIv5.2 section C2.6.4).
const (
	cswSizeInc  uint32 = 0x37 // Size and AddrInc
	cswWordInc  uint32 = 0x12 // 32 bits, increment single
	cswByteInc  uint32 = 0x10 // 8 bits, increment single
	cswDeviceEn uint32 = 1 << 6
)

// accessPort is where the memory of the core is.
type accessPort struct {
	index   uint32 // number (ADIv5) or address (ADIv6)
	v6      bool
	idr     uint32
	cswBase uint32 // CSW without Size and AddrInc
}

// selectWord is the value of SELECT for a bank of the port. ADIv5.2 section
// B2.2.9: APSEL[31:24], APBANKSEL[7:4]; ADIv6 section B2.2.11: the address of
// four registers, those of a MEM-AP from 0xD00.
func (a accessPort) selectWord(b Bank) uint32 {
	if a.v6 {
		return a.index + 0xD00 + uint32(b)
	}
	return a.index<<24 | uint32(b)
}

// cache is what the registers of the port hold as far as we know.
type cache struct {
	selected, sized, aimed bool // whether sel, csw, tar are known
	sel, csw, tar          uint32
}

// Invalidate forgets what SELECT, CSW and TAR hold. Call it after packets of
// Exchange that changed them or that failed.
func (p *Probe) Invalidate() { p.cache = cache{} }

// APIndex is the access port in use: its number (ADIv5) or address (ADIv6).
func (p *Probe) APIndex() uint32 { return p.ap.index }

// APIDR is the identification register of the access port in use.
func (p *Probe) APIDR() uint32 { return p.ap.idr }

// SelectWord is the value of SELECT that a packet of Exchange writes for a
// bank of the access port in use.
func (p *Probe) SelectWord(b Bank) uint32 { return p.ap.selectWord(b) }

// SelectBank makes the port ready for packets of Exchange: SELECT at bank b,
// CSW at word accesses with single increment, TAR at tar. It costs nothing when
// they are there.
func (p *Probe) SelectBank(ctx context.Context, b Bank, tar uint32) error {
	reqs := p.appendAim(p.reqs[:0], cswWordInc, tar)
	reqs = p.appendSelect(reqs, b)
	p.reqs = reqs
	return p.aim(ctx, reqs)
}

// aim sends what the functions below appended.
func (p *Probe) aim(ctx context.Context, reqs []Req) error {
	if len(reqs) == 0 {
		return nil
	}
	if _, err := p.transfer(ctx, reqs...); err != nil {
		p.clear(ctx, err)
		return err
	}
	return nil
}

// appendSelect appends what it takes to have SELECT at bank b. These functions
// note the registers as set: whoever sends the requests calls Invalidate if
// that fails.
func (p *Probe) appendSelect(reqs []Req, b Bank) []Req {
	sel := p.ap.selectWord(b)
	if p.cache.selected && p.cache.sel == sel {
		return reqs
	}
	p.cache.selected, p.cache.sel = true, sel
	return append(reqs, Req{WriteSELECT, sel})
}

// appendAim appends what it takes to have CSW at size and TAR at tar, in
// whatever bank.
func (p *Probe) appendAim(reqs []Req, size, tar uint32) []Req {
	c, csw := &p.cache, p.ap.cswBase|size
	if !c.sized || c.csw != csw {
		reqs = append(p.appendSelect(reqs, BankTransfer), Req{WriteCSW, csw})
		c.sized, c.csw = true, csw
	}
	if !c.aimed || c.tar != tar {
		reqs = append(p.appendSelect(reqs, BankTransfer), Req{WriteTAR, tar})
		c.aimed, c.tar = true, tar
	}
	return reqs
}

// clear makes the port usable again after a transfer that it refused: it
// clears the sticky flags after a FAULT and gives up a transaction that is
// stuck in WAIT. Nothing helps here against silence: that is for Recover.
func (p *Probe) clear(ctx context.Context, err error) {
	p.Invalidate()
	var refused *TransferError
	if !errors.As(err, &refused) {
		return
	}
	bits := AbortSticky
	if refused.Ack == WAIT {
		bits = AbortAllStuck
	}
	if refused.Ack == WAIT || refused.Ack == FAULT {
		_ = p.Abort(ctx, bits) // the caller reports the first error
	}
}

// setUpAP reads CSW once and sets word accesses.
func (p *Probe) setUpAP(ctx context.Context) error {
	p.Invalidate()
	a, err := p.transfer(ctx, Req{WriteSELECT, p.ap.selectWord(BankTransfer)}, Req{Op: ReadCSW})
	if err != nil {
		return err
	}
	csw := a.Data[0]
	if csw&cswDeviceEn == 0 {
		return fmt.Errorf("probe: access port 0x%x (IDR 0x%08x): debug access is disabled (CSW 0x%08x): %w", p.ap.index, p.ap.idr, csw, ErrLocked)
	}
	p.ap.cswBase = csw &^ cswSizeInc
	return p.SelectBank(ctx, BankTransfer, 0)
}
