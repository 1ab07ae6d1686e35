package probe

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Fields of IDR, the identification register of an access port (ADIv5 section
// 6.2.1): class and type.
const (
	idrClassMEM = 8
	idrTypeAHB3 = 1
	idrTypeAHB5 = 5
	idrTypeAHBH = 8 // AHB5 with enhanced HPROT
)

func idrClass(idr uint32) uint32 { return idr >> 13 & 0xF }
func idrType(idr uint32) uint32  { return idr & 0xF }

// isAHB says whether a port reaches the memory of a Cortex-M.
func isAHB(idr uint32) bool {
	t := idrType(idr)
	return idrClass(idr) == idrClassMEM && (t == idrTypeAHB3 || t == idrTypeAHB5 || t == idrTypeAHBH)
}

// dpVersion is DPIDR.VERSION; 3 and more has ports of ADIv6.
func dpVersion(dpidr uint32) uint32 { return dpidr >> 12 & 0xF }

// findAP chooses the access port: the one of the options, or the first AHB-AP
// that walking finds.
func (p *Probe) findAP(ctx context.Context) error {
	p.ap = accessPort{v6: dpVersion(p.dpidr) >= 3}
	if p.options.AP != nil {
		return p.useAP(ctx, *p.options.AP)
	}
	var seen []string
	found, err := p.walk(ctx, func(index, idr uint32) bool {
		p.ap.index, p.ap.idr = index, idr
		seen = append(seen, fmt.Sprintf("0x%x (IDR 0x%08x)", index, idr))
		return isAHB(idr)
	})
	if err != nil || found {
		return err
	}
	if len(seen) == 0 {
		return errors.New("probe: the debug port has no access port: debugging may be locked")
	}
	return fmt.Errorf("probe: no access port is an AHB-AP: %s", strings.Join(seen, ", "))
}

// useAP checks the port that the options name.
func (p *Probe) useAP(ctx context.Context, index uint32) error {
	p.ap.index = index
	idr, err := p.readID(ctx, index)
	if err != nil {
		return err
	}
	if idrClass(idr) != idrClassMEM {
		return fmt.Errorf("probe: access port 0x%x is no MEM-AP (IDR 0x%08x)", index, idr)
	}
	p.ap.idr = idr
	return nil
}

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

// walk shows every port that is there to visit, until it returns true.
func (p *Probe) walk(ctx context.Context, visit func(index, idr uint32) bool) (found bool, err error) {
	if p.ap.v6 {
		return p.walkROM(ctx, visit)
	}
	const ports = 256
	first, err := p.readID(ctx, 0)
	if err != nil {
		return false, err
	}
	if first != 0 && visit(0, first) {
		return true, nil
	}
	ids := make([]uint32, 0, ports)
	for next := uint32(1); next < ports; next += uint32(len(ids)) {
		if ids, err = p.readIDs(ctx, next, ports, ids[:0]); err != nil {
			return false, err
		}
		for i, idr := range ids {
			if idr != 0 && visit(next+uint32(i), idr) {
				return true, nil
			}
		}
	}
	return false, nil
}

// readIDs reads IDR of as many ports of ADIv5 from first as one packet holds.
func (p *Probe) readIDs(ctx context.Context, first, end uint32, dst []uint32) ([]uint32, error) {
	p.Invalidate()
	most := uint32(min((p.PacketLimit()-3)/6, (p.PacketLimit()-3)/4, MaxTransfers/2))
	reqs := p.reqs[:0]
	for i := first; i < end && i < first+most; i++ {
		reqs = append(reqs, Req{WriteSELECT, i<<24 | uint32(BankID)}, Req{Op: ReadDRW})
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
