package probe

import "context"

// Registers of a CoreSight component and of a class 9 ROM table (ADIv6
// sections C1.1, D3.2).
const (
	romEntries     = 512
	regIDR         = 0xDFC // of an access port
	regDEVARCH     = 0xFBC
	regCIDR1       = 0xFF4
	classCoreSight = 9
	archROM        = 0x0AF7 // DEVARCH.ARCHID of a ROM table
	romDepth       = 4
)

// DP banks at address 0 (ADIv6 section B2.2): DPIDR1 holds ASIZE, the width of
// addresses, in bits 6 to 0; BASEPTR0 the address of the first component in bits
// 31 to 12, and VALID in bit 0.
const (
	bankDPIDR1   = 1
	bankBASEPTR0 = 2
	basePtrValid = 1
)

// clearSELECT1 makes the upper half of access port addresses 0 on a port where
// they have one: what it holds after power-on is unknown (ADIv6 section B2.2.12).
func (p *Probe) clearSELECT1(ctx context.Context) error {
	if dpVersion(p.dpidr) < 3 {
		return nil
	}
	p.Invalidate()
	a, err := p.transfer(ctx, Req{WriteSELECT, bankDPIDR1}, Req{Op: ReadDPIDR})
	if err != nil || a.Data[0]&0x7F <= 32 {
		return err
	}
	_, err = p.transfer(ctx, Req{WriteSELECT, bankSELECT1}, Req{WriteCTRLSTAT, 0}, Req{WriteSELECT, 0})
	return err
}

// walkROM walks the ROM tables in the address space of the access ports.
func (p *Probe) walkROM(ctx context.Context, visit visitAP) (bool, error) {
	p.Invalidate()
	a, err := p.transfer(ctx, Req{WriteSELECT, bankBASEPTR0}, Req{Op: ReadDPIDR}, Req{WriteSELECT, 0})
	if err != nil {
		return false, err
	}
	if a.Data[0]&basePtrValid == 0 {
		return false, nil
	}
	return p.walkComponent(ctx, a.Data[0]&^0xFFF, romDepth, visit)
}

// walkComponent looks at one 4 KiB component: a table of more, or a port.
func (p *Probe) walkComponent(ctx context.Context, base uint32, depth int, visit visitAP) (bool, error) {
	class, err := p.readPort(ctx, base+regCIDR1)
	if err != nil {
		return false, err
	}
	arch, err := p.readPort(ctx, base+regDEVARCH)
	if err != nil {
		return false, err
	}
	if class>>4&0xF == classCoreSight && arch&0xFFFF == archROM {
		return p.walkTable(ctx, base, depth, visit)
	}
	idr, err := p.readPort(ctx, base+regIDR)
	if err != nil || idrClass(idr) != idrClassMEM {
		return false, err
	}
	return visit(base, idr)
}

// walkTable follows the entries: bits 1 and 0 both set for one that is there,
// bits 31 to 12 its distance from the table; 0 ends the table.
func (p *Probe) walkTable(ctx context.Context, base uint32, depth int, visit visitAP) (bool, error) {
	if depth == 0 {
		return false, nil
	}
	for i := range uint32(romEntries) {
		entry, err := p.readPort(ctx, base+4*i)
		if err != nil || entry == 0 {
			return false, err
		}
		if entry&3 != 3 {
			continue
		}
		if found, err := p.walkComponent(ctx, base+entry&^0xFFF, depth-1, visit); found || err != nil {
			return found, err
		}
	}
	return false, nil
}
