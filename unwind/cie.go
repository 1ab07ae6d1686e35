package unwind

import (
	"errors"
	"fmt"
)

// section is .debug_frame or .eh_frame.
type section struct {
	name string
	data []byte
	addr uint32 // of .eh_frame; 0 for .debug_frame
	eh   bool
}

// cie is a Common Information Entry (DWARF 4 §6.4.1; versions 1, 3 and 4; for
// .eh_frame LSB Core 5.0 §10.6.1).
type cie struct {
	codeAlign  uint32
	dataAlign  int32
	ra         uint32 // column of the return address
	encoding   uint8  // of the addresses in FDEs
	augmented  bool   // FDEs carry augmentation data
	signal     bool   // augmentation S: the PC of such a frame is exact
	begin, end int    // initial instructions

	initial *row // after the initial instructions, nil until needed
}

// fde is a Frame Description Entry: the instructions for [low, high).
type fde struct {
	cie        *cie
	offset     int // of the entry in its section
	low, high  uint32
	begin, end int // instructions
}

// entry is the head that CIE and FDE share.
type entry struct {
	offset int  // of the length field
	id     int  // offset of the CIE it belongs to, -1 for a CIE
	end    int  // offset after the entry
	wide   bool // 64-bit DWARF
}

var (
	errReserved  = errors.New("reserved length")
	errPointer   = errors.New("CIE pointer leads out of the section")
	errNotCIE    = errors.New("CIE pointer leads to no CIE")
	errSegmented = errors.New("segmented addresses")
)

// nextEntry reads the length and the id of the entry at the cursor and leaves
// the cursor behind them. ok is false at the end of the section.
func (s *section) nextEntry(c *cursor) (e entry, ok bool) {
	e.offset = c.off
	length := uint64(c.u32())
	if length == 0xffffffff {
		e.wide, length = true, c.u64()
	} else if length >= 0xfffffff0 {
		c.fail(errReserved)
	}
	if length == 0 || c.err != nil {
		return e, false
	}
	if length > uint64(c.end-c.off) {
		c.fail(errTruncated)
		return e, false
	}
	e.end = c.off + int(length)
	field := c.off
	id, none := uint64(0), uint64(0xffffffff)
	if e.wide && !s.eh {
		id, none = c.u64(), 0xffffffffffffffff
	} else {
		id = uint64(c.u32())
	}
	if s.eh {
		none = 0
	}
	switch {
	case id == none:
		e.id = -1
	case s.eh && id <= uint64(field):
		e.id = field - int(id)
	case !s.eh && id < uint64(len(s.data)):
		e.id = int(id)
	default:
		c.fail(errPointer)
	}
	return e, c.err == nil
}

// readCIE reads the entry at offset.
func (s *section) readCIE(offset int) (*cie, error) {
	c := newCursor(s.name, s.data)
	c.off = offset
	e, ok := s.nextEntry(&c)
	if c.err != nil {
		return nil, c.err
	}
	if !ok || e.id != -1 {
		c.off = offset
		c.fail(errNotCIE)
		return nil, c.err
	}
	c.end = e.end
	k := &cie{end: e.end}
	version := c.u8()
	if version != 1 && version != 3 && version != 4 {
		c.fail(fmt.Errorf("CIE version %d", version))
	}
	augmentation := c.text()
	if augmentation == "eh" { // GCC 2: a pointer, no data
		c.u32()
		augmentation = ""
	}
	if version == 4 {
		if n := c.u8(); n != 4 {
			c.fail(fmt.Errorf("address size %d", n))
		}
		if c.u8() != 0 {
			c.fail(errSegmented)
		}
	}
	k.codeAlign = c.register()
	k.dataAlign = c.signed()
	if version == 1 {
		k.ra = uint32(c.u8())
	} else {
		k.ra = c.register()
	}
	s.readAugmentation(&c, k, augmentation)
	k.begin = c.off
	return k, c.err
}

// signed reads an SLEB128 that must fit 32 bits.
func (c *cursor) signed() int32 {
	v := c.sleb()
	if v != int64(int32(v)) {
		c.fail(errLEB)
		return 0
	}
	return int32(v)
}

// readAugmentation reads the augmentation data of a CIE. After a z its length
// is known, so letters that are not can be stepped over.
func (s *section) readAugmentation(c *cursor, k *cie, augmentation string) {
	if augmentation == "" {
		return
	}
	if augmentation[0] != 'z' {
		c.fail(fmt.Errorf("augmentation %q", augmentation))
		return
	}
	k.augmented = true
	n := c.uleb()
	if n > uint64(c.end-c.off) {
		c.fail(errTruncated)
		return
	}
	after := c.off + int(n)
	for _, letter := range augmentation[1:] {
		switch letter {
		case 'R':
			k.encoding = c.u8()
		case 'L':
			c.u8()
		case 'P':
			if encoding := c.u8(); encoding != peOmit {
				c.pointerValue(encoding & peFormat)
			}
		case 'S':
			k.signal = true
		default:
			c.off = after
			return
		}
	}
	if c.err == nil {
		c.off = after
	}
}

// readFDE reads what follows the head of an FDE.
func (s *section) readFDE(c cursor, e entry, k *cie) (fde, error) {
	c.end = e.end
	f := fde{cie: k, offset: e.offset, end: e.end}
	f.low = c.pointer(k.encoding, s.addr)
	size := c.pointerValue(k.encoding & peFormat)
	f.high = f.low + size
	if f.high < f.low {
		c.fail(fmt.Errorf("range 0x%08x+0x%x wraps", f.low, size))
	}
	if k.augmented {
		c.block()
	}
	f.begin = c.off
	return f, c.err
}
