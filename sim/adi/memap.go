package adi

// Registers of a MEM-AP (ADIv5.2, C2.6).
const (
	regCSW  = 0x00
	regTAR  = 0x04
	regDRW  = 0x0c
	regBD0  = 0x10
	regBD3  = 0x1c
	regCFG  = 0xf4
	regBASE = 0xf8
	regIDR  = 0xfc
)

// CSW fields (ADIv5.2, C2.6.4).
const (
	cswSize     = 7 << 0
	cswAddrInc  = 3 << 4
	cswSingle   = 1 << 4
	cswPacked   = 2 << 4
	cswDeviceEn = 1 << 6
	cswWritable = 0xff000000 | cswAddrInc | cswSize
	cswReset    = 0x23000002 // word, no increment; HPROT data, privileged
)

// AccessPort describes a MEM-AP: where it is and what it masters.
type AccessPort struct {
	Addr uint32 // its number (ADIv5) or its address (ADIv6)
	IDR  uint32
	BASE uint32 // debug base address on its bus
	Bus  Bus
	// Locked: debug access is disabled, CSW.DeviceEn reads as 0.
	Locked bool
}

// memAP holds the registers of one.
type memAP struct {
	AccessPort
	csw, tar uint32
}

// up says whether the debug domain has power.
func (p *Port) up() bool { return p.status()&CDBGPWRUPACK != 0 }

// readAP performs an AP read. An error response sets STICKYERR and gives 0,
// which no later transfer can fetch before ABORT clears the flag.
func (p *Port) readAP(req uint8) uint32 {
	if !p.up() {
		p.RaiseError()
		return 0
	}
	if p.v6() {
		return p.readSpace(p.sel&^0xf | uint32(req&(A2|A3)))
	}
	m := p.port(p.sel >> 24)
	if m == nil {
		return 0 // no such AP: it reads as zero
	}
	return p.readMEM(m, p.register(req))
}

// port finds an access port by its number or address.
func (p *Port) port(addr uint32) *memAP {
	for _, m := range p.aps {
		if m.Addr == addr {
			return m
		}
	}
	return nil
}

// readMEM reads a register of a MEM-AP.
func (p *Port) readMEM(m *memAP, reg uint8) uint32 {
	switch reg {
	case regCSW:
		if m.Locked {
			return m.csw
		}
		return m.csw | cswDeviceEn
	case regTAR:
		return m.tar
	case regDRW:
		return p.transfer(m, false, 0)
	case regBASE:
		return m.BASE
	case regIDR:
		return m.IDR
	case regCFG:
		return 0 // little-endian, 32-bit addresses and data
	}
	if reg >= regBD0 && reg <= regBD3 {
		return p.banked(m, reg, false, 0)
	}
	return 0
}

func (p *Port) writeAP(req uint8, v uint32) {
	if !p.up() {
		p.RaiseError()
		return
	}
	if p.v6() {
		p.writeSpace(p.sel&^0xf|uint32(req&(A2|A3)), v)
		return
	}
	if m := p.port(p.sel >> 24); m != nil {
		p.writeMEM(m, p.register(req), v)
	}
}

func (p *Port) writeMEM(m *memAP, reg uint8, v uint32) {
	switch {
	case reg == regCSW:
		m.writeCSW(v)
	case reg == regTAR:
		m.tar = v
	case reg == regDRW:
		p.transfer(m, true, v)
	case reg >= regBD0 && reg <= regBD3:
		p.banked(m, reg, true, v)
	}
}

// writeCSW keeps to what is implemented: sizes 8, 16 and 32 bits, single and
// packed increments. A reserved size reads back as a word.
func (m *memAP) writeCSW(v uint32) {
	v &= cswWritable
	if v&cswSize > 2 {
		v = v&^cswSize | 2
	}
	if v&cswAddrInc == cswAddrInc {
		v &^= cswAddrInc
	}
	m.csw = v
}

// banked is BD0 to BD3: the word at TAR[31:4] + 4n. TAR never changes.
func (p *Port) banked(m *memAP, reg uint8, write bool, v uint32) uint32 {
	return p.access(m, m.tar&^0xf|uint32(reg&0xc), 4, write, v)
}

// transfer is an access through DRW: one access, or in packed mode as many as
// fill the word, TAR moving on after each that the bus accepts.
func (p *Port) transfer(m *memAP, write bool, v uint32) uint32 {
	size := 1 << (m.csw & cswSize)
	n := 1
	if m.csw&cswAddrInc == cswPacked {
		n = 4 / size
	}
	var got uint32
	for range n {
		addr := m.tar
		shift := addr & 3 &^ uint32(size-1) * 8 // byte lanes (ADIv5.2, C2.2.6)
		if addr&uint32(size-1) != 0 {
			p.RaiseError()
			return 0
		}
		mask := uint32(1<<(8*size) - 1)
		got |= p.access(m, addr, size, write, v>>shift&mask) & mask << shift
		if p.ctrl&STICKYERR != 0 {
			return 0
		}
		if m.csw&cswAddrInc != 0 {
			increment := p.cfg.TARBlock - 1
			m.tar = addr&^increment | (addr+uint32(size))&increment
		}
	}
	return got
}

// access is one access to the bus; it keeps the AP busy for AccessCycles.
func (p *Port) access(m *memAP, addr uint32, size int, write bool, v uint32) uint32 {
	p.busy = p.cfg.Cycles() + p.cfg.AccessCycles
	ok := false
	if write {
		ok = m.Bus.Write(addr, size, v)
	} else {
		v, ok = m.Bus.Read(addr, size)
	}
	if !ok {
		p.RaiseError()
		return 0
	}
	return v
}
