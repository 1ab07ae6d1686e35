package probe

import (
	"context"
	"errors"
)

// Fields of IDR, the identification register of an access port (ADIv5.2 section
// C1.3): class and type.
const (
	idrClassMEM = 8
	idrTypeAHB3 = 1
	idrTypeAHB5 = 5
	idrTypeAHBH = 8 // AHB5 with enhanced HPROT
)

// readIDR is the op byte of IDR, in BankID.
const readIDR = APnDP | RnW | 0xC

func idrClass(idr uint32) uint32 { return idr >> 13 & 0xF }
func idrType(idr uint32) uint32  { return idr & 0xF }

// isAHB says whether a port reaches the memory of a Cortex-M.
func isAHB(idr uint32) bool {
	t := idrType(idr)
	return idrClass(idr) == idrClassMEM && (t == idrTypeAHB3 || t == idrTypeAHB5 || t == idrTypeAHBH)
}

// dpVersion is DPIDR.VERSION; 3 and more has ports of ADIv6.
func dpVersion(dpidr uint32) uint32 { return dpidr >> 12 & 0xF }

// readID reads IDR of one port; a port that faults is not there and reads 0.
func (p *Probe) readID(ctx context.Context, index uint32) (uint32, error) {
	port := accessPort{index: index, v6: p.ap.v6}
	return p.readPort(ctx, port.selectWord(BankID)|0xC)
}

// readPort reads an access port register: SELECT takes bits 31 to 4 of reg and
// the request bits 3 and 2.
func (p *Probe) readPort(ctx context.Context, reg uint32) (uint32, error) {
	p.Invalidate()
	a, err := p.transfer(ctx, Req{WriteSELECT, reg &^ 0xF}, Req{Op: APnDP | RnW | byte(reg&0xC)})
	var refused *TransferError
	if errors.As(err, &refused) && refused.Ack == FAULT {
		return 0, p.Abort(ctx, AbortSticky)
	}
	if err != nil {
		return 0, err
	}
	return a.Data[0], nil
}

// visitAP looks at one access port; true ends the walk, and so does an error.
type visitAP func(index, idr uint32) (found bool, err error)

// walk shows every port that is there to visit, until it returns true.
func (p *Probe) walk(ctx context.Context, visit visitAP) (found bool, err error) {
	if p.ap.v6 {
		return p.walkROM(ctx, visit)
	}
	const ports = 256
	first, err := p.readID(ctx, 0)
	if err != nil {
		return false, err
	}
	if first != 0 {
		if found, err := visit(0, first); found || err != nil {
			return found, err
		}
	}
	ids := make([]uint32, 0, ports)
	for next := uint32(1); next < ports; next += uint32(len(ids)) {
		if ids, err = p.readIDs(ctx, next, ports, ids[:0]); err != nil {
			return false, err
		}
		for i, idr := range ids {
			if idr == 0 {
				continue
			}
			if found, err := visit(next+uint32(i), idr); found || err != nil {
				return found, err
			}
		}
	}
	return false, nil
}

// readIDs reads IDR of as many ports of ADIv5 from first as one packet holds.
func (p *Probe) readIDs(ctx context.Context, first, end uint32, dst []uint32) ([]uint32, error) {
	p.Invalidate()
	most := uint32(min((p.PacketLimit()-transferHeader)/6, (p.PacketLimit()-transferHeader)/4, MaxTransfers/2))
	reqs := p.reqs[:0]
	for i := first; i < end && i < first+most; i++ {
		reqs = append(reqs, Req{WriteSELECT, i<<24 | uint32(BankID)}, Req{Op: readIDR})
	}
	p.reqs = reqs
	a, err := p.transfer(ctx, reqs...)
	var refused *TransferError
	if errors.As(err, &refused) && refused.Ack == FAULT {
		dst = append(dst, p.answer.Data...)
		dst = append(dst, 0) // the port after the last word is the one that faults
		return dst, p.Abort(ctx, AbortSticky)
	}
	if err != nil {
		return nil, err
	}
	return append(dst, a.Data...), nil
}
