package stm32

import "github.com/mprof/mprof/sim/serial"

// stream is one of a controller's.
type stream struct {
	cr, par, fcr uint32
	m            [2]uint32 // M0AR, M1AR
	ndtr, reload uint32    // items of PSIZE to go, and as it was set
	flags        uint32

	from, to uint32 // of the peripheral side and of memory, as they move
	fifo     [16]byte
	held     int // bytes in it
}

func (s *stream) read(reg uint32) uint32 {
	switch reg {
	case sxCR:
		return s.cr
	case sxNDTR:
		return s.ndtr
	case sxPAR:
		return s.par
	case sxM0AR:
		return s.m[0]
	case sxM1AR:
		return s.m[1]
	case sxFCR:
		return s.fcr
	}
	return 0
}

// write writes a register. While the stream is on, only some bits of CR, and of
// two buffers the address of the one that is not in use, can be written.
func (s *stream) write(reg, v uint32) {
	on := s.cr&crEN != 0
	switch {
	case reg == sxCR:
		s.control(v & 0x0fefffff)
	case reg == sxM0AR && (!on || s.cr&(crDBM|crCT) == crDBM|crCT):
		s.m[0] = v
	case reg == sxM1AR && (!on || s.cr&(crDBM|crCT) == crDBM):
		s.m[1] = v
	case on:
	case reg == sxNDTR:
		s.ndtr, s.reload = v&0xffff, v&0xffff
	case reg == sxPAR:
		s.par = v
	case reg == sxFCR:
		s.fcr = s.fcr&^0x87 | v&0x87
	}
}

// control writes CR. A stream that still has a flag set does not start; one that
// is switched off in the middle says so by TCIF (RM0090, 10.3.17, 10.5.5).
func (s *stream) control(v uint32) {
	switch on := s.cr&crEN != 0; {
	case on && v&crEN == 0:
		s.cr &^= crEN
		s.flags |= flagTC
	case on:
		s.cr = s.cr&^crWhileOn | v&crWhileOn
	case v&crEN != 0 && s.flags != 0:
		s.cr = v &^ crEN
	case v&crEN != 0:
		s.cr = v
		s.start()
	default:
		s.cr = v
	}
}

// start begins where the registers say. A count that has run out begins anew.
func (s *stream) start() {
	if s.ndtr == 0 {
		s.ndtr = s.reload
	}
	s.from, s.to, s.held = s.par, s.m[s.cr>>19&1], 0
}

// fail is a bus error: the stream goes off.
func (s *stream) fail() {
	s.flags |= flagTE
	s.cr &^= crEN
}

// sizes are the bytes of an item on both sides. In direct mode memory has that
// of the peripheral.
func (s *stream) sizes() (peripheral, memory int) {
	peripheral = 1 << min(s.cr>>11&3, 2)
	if s.fcr&fcrDMDIS == 0 && s.cr>>6&3 != memToMem {
		return peripheral, peripheral
	}
	return peripheral, 1 << min(s.cr>>13&3, 2)
}

// coreCoupled is RAM that only the core reaches (RM0090, 2.3.1).
func coreCoupled(addr uint32) bool { return addr>>16 == 0x1000 }

func (s *stream) load(c serial.Core, addr uint32, size int) bool {
	v, ok := c.ReadMaster(addr&^uint32(size-1), size)
	if !ok || coreCoupled(addr) {
		return false
	}
	for i := range size {
		s.fifo[s.held] = byte(v >> (8 * i))
		s.held++
	}
	return true
}

func (s *stream) store(c serial.Core, addr uint32, size int) bool {
	var v uint32
	for i := range size {
		v |= uint32(s.fifo[i]) << (8 * i)
	}
	copy(s.fifo[:], s.fifo[size:s.held])
	s.held = max(s.held-size, 0)
	return !coreCoupled(addr) && c.WriteMaster(addr&^uint32(size-1), size, v)
}

// transfer moves one item of the peripheral's size.
func (s *stream) transfer(c serial.Core) {
	p, m := s.sizes()
	ok := true
	if s.cr>>6&3 == toPeripheral {
		for ok && s.held < p {
			ok = s.load(c, s.to, m)
			s.step(&s.to, crMINC, m)
		}
		ok = ok && s.store(c, s.from, p)
	} else {
		ok = s.load(c, s.from, p)
		ok = ok && s.flush(c, m)
	}
	if !ok {
		s.fail()
		return
	}
	s.step(&s.from, crPINC, p)
	if s.ndtr > 0 { // unless it wrote its own registers
		s.ndtr--
		s.count()
	}
}

// step moves an address behind an item where the stream says that it moves.
func (s *stream) step(addr *uint32, bit uint32, size int) {
	if s.cr&bit == 0 {
		return
	}
	if bit == crPINC && s.cr&crPINCOS != 0 {
		size = 4
	}
	*addr += uint32(size)
}

// flush writes what the FIFO holds to memory, as soon as it holds as much as its
// threshold (FCR.FTH, quarters) or the last item.
func (s *stream) flush(c serial.Core, size int) bool {
	threshold := size
	if s.fcr&fcrDMDIS != 0 {
		threshold = max(4*int(s.fcr&3+1), size)
	}
	if s.held < threshold && s.ndtr > 1 {
		return true
	}
	for s.held > 0 {
		if s.held < size {
			size = 1 // the last item does not fill one of memory's
		}
		if !s.store(c, s.to, size) {
			return false
		}
		s.step(&s.to, crMINC, size)
	}
	return true
}

// count sets the flags at the half and at the end, and begins anew where the
// stream is circular.
func (s *stream) count() {
	if s.ndtr == s.reload/2 && s.reload > 1 {
		s.flags |= flagHT
	}
	if s.ndtr > 0 {
		return
	}
	s.flags |= flagTC
	switch {
	case s.cr&crDBM != 0:
		s.cr ^= crCT
	case s.cr&crCIRC == 0:
		s.cr &^= crEN
		return
	}
	s.ndtr = s.reload
	s.from, s.to = s.par, s.m[s.cr&crDBM/crDBM*(s.cr>>19&1)]
}
