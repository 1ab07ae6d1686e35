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
	increment   = 0x3ff      // TAR counts within 1 KiB (ADIv5.2, C2.2.2)
)

// memAP holds the registers of the AHB-AP.
type memAP struct{ csw, tar uint32 }

// up says whether the debug domain has power.
func (p *Port) up() bool { return p.status()&CDBGPWRUPACK != 0 }

// readAP performs an AP read. An error response sets STICKYERR and gives 0,
// which no later transfer can fetch before ABORT clears the flag.
func (p *Port) readAP(reg uint8) uint32 {
	if !p.up() {
		p.RaiseError()
		return 0
	}
	if p.sel>>24 != 0 {
		return 0 // no such AP: it reads as zero
	}
	switch reg {
	case regCSW:
		return p.mem.csw | cswDeviceEn
	case regTAR:
		return p.mem.tar
	case regDRW:
		return p.transfer(false, 0)
	case regBASE:
		return p.cfg.BASE
	case regIDR:
		return p.cfg.IDR
	case regCFG:
		return 0 // little-endian, 32-bit addresses and data
	}
	if reg >= regBD0 && reg <= regBD3 {
		return p.banked(reg, false, 0)
	}
	return 0
}

func (p *Port) writeAP(reg uint8, v uint32) {
	if !p.up() {
		p.RaiseError()
		return
	}
	if p.sel>>24 != 0 {
		return
	}
	switch {
	case reg == regCSW:
		p.mem.writeCSW(v)
	case reg == regTAR:
		p.mem.tar = v
	case reg == regDRW:
		p.transfer(true, v)
	case reg >= regBD0 && reg <= regBD3:
		p.banked(reg, true, v)
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
func (p *Port) banked(reg uint8, write bool, v uint32) uint32 {
	return p.access(p.mem.tar&^0xf|uint32(reg&0xc), 4, write, v)
}

// transfer is an access through DRW: one access, or in packed mode as many as
// fill the word, TAR moving on after each that the bus accepts.
func (p *Port) transfer(write bool, v uint32) uint32 {
	size := 1 << (p.mem.csw & cswSize)
	n := 1
	if p.mem.csw&cswAddrInc == cswPacked {
		n = 4 / size
	}
	var got uint32
	for range n {
		addr := p.mem.tar
		shift := addr & 3 &^ uint32(size-1) * 8 // byte lanes (ADIv5.2, C2.2.6)
		if addr&uint32(size-1) != 0 {
			p.RaiseError()
			return 0
		}
		mask := uint32(1<<(8*size) - 1)
		got |= p.access(addr, size, write, v>>shift&mask) & mask << shift
		if p.ctrl&STICKYERR != 0 {
			return 0
		}
		if p.mem.csw&cswAddrInc != 0 {
			p.mem.tar = addr&^increment | (addr+uint32(size))&increment
		}
	}
	return got
}

// access is one access to the bus; it keeps the AP busy for AccessCycles.
func (p *Port) access(addr uint32, size int, write bool, v uint32) uint32 {
	p.busy = p.cfg.Cycles() + p.cfg.AccessCycles
	ok := false
	if write {
		ok = p.cfg.Bus.Write(addr, size, v)
	} else {
		v, ok = p.cfg.Bus.Read(addr, size)
	}
	if !ok {
		p.RaiseError()
		return 0
	}
	return v
}
