package adi

// DPIDR banks of DPv3 (ADIv6, B2.2.3 to B2.2.7).
const (
	bankDPIDR1   = 1
	bankBASEPTR0 = 2
	dpidr1       = 32 // ASIZE: addresses of 32 bits, so SELECT1 has no effect
	basePtrValid = 1  // BASEPTR0.VALID; the ROM table is at address 0
	romDEVARCH   = 0x47700af7
	memDEVARCH   = 0x47700a17
	coreSight    = 0x90 // CIDR1: class 9
)

// identification reads DP address 0, which DPv3 banks by SELECT.DPBANKSEL.
func (p *Port) identification() uint32 {
	if p.v6() {
		switch p.sel & 0xf {
		case bankDPIDR1:
			return dpidr1
		case bankBASEPTR0:
			return basePtrValid
		case 3: // BASEPTR1
			return 0
		}
	}
	return p.cfg.DPIDR
}

// readSpace reads an address of ADIv6's AP space: the ROM table in its first
// 4 KiB, an access port in those of its address, nothing elsewhere, which is
// an error.
func (p *Port) readSpace(addr uint32) uint32 {
	offset := addr & 0xfff
	if addr < 0x1000 {
		if i := int(offset / 4); i < len(p.aps) {
			return p.aps[i].Addr | 3 // present, 32-bit format
		}
		return identity(offset, romDEVARCH)
	}
	m := p.port(addr &^ 0xfff)
	if m == nil {
		p.RaiseError()
		return 0
	}
	if offset>>8 == 0xd {
		return p.readMEM(m, uint8(offset))
	}
	return identity(offset, memDEVARCH)
}

// writeSpace writes a register of a port; all else is read-only or nothing.
func (p *Port) writeSpace(addr, v uint32) {
	m := p.port(addr &^ 0xfff)
	switch {
	case addr < 0x1000:
	case m == nil:
		p.RaiseError()
	case addr>>8&0xf == 0xd:
		p.writeMEM(m, uint8(addr), v)
	}
}

// identity is the identification block of a class 9 component (ADIv6, C1.1):
// DEVARCH, CIDR0 to CIDR3, and a designer of ARM.
func identity(offset, devarch uint32) uint32 {
	switch offset {
	case 0xfbc:
		return devarch
	case 0xfd0:
		return 4 // PIDR4: JEP106 continuation
	case 0xfe4:
		return 0xb0 // PIDR1: JEP106 identity, low half
	case 0xfe8:
		return 0x0b // PIDR2: JEDEC, JEP106 identity, high half
	case 0xff0, 0xff4, 0xff8, 0xffc:
		return [...]uint32{0x0d, coreSight, 0x05, 0xb1}[(offset-0xff0)/4]
	}
	return 0
}
