package unwind

import (
	"errors"
	"fmt"
)

// Pointer encodings of .eh_frame (LSB Core 5.0 §10.5, DW_EH_PE_*). The low
// four bits are the format, the next three what it is relative to.
const (
	peAbsptr   = 0x00
	peUleb128  = 0x01
	peUdata2   = 0x02
	peUdata4   = 0x03
	peUdata8   = 0x04
	peSleb128  = 0x09
	peSdata2   = 0x0a
	peSdata4   = 0x0b
	peSdata8   = 0x0c
	peFormat   = 0x0f
	pePcrel    = 0x10
	peRelative = 0x70
	peIndirect = 0x80
	peOmit     = 0xff
)

var errIndirect = errors.New("indirect pointer")

// pointer reads an address in the given encoding; at is the address of the
// section. Only absolute and pc-relative pointers occur in a linked program
// without a dynamic loader; of the others the value is refused, not guessed.
func (c *cursor) pointer(encoding uint8, at uint32) uint32 {
	if encoding == peOmit {
		return 0
	}
	base := uint32(0)
	switch encoding & peRelative {
	case 0:
	case pePcrel:
		base = at + uint32(c.off)
	default:
		c.fail(fmt.Errorf("pointer encoding 0x%02x", encoding))
		return 0
	}
	v := c.pointerValue(encoding & peFormat)
	if encoding&peIndirect != 0 {
		c.fail(errIndirect)
		return 0
	}
	return base + v
}

// pointerValue reads the value alone: also the length of an FDE, which has
// the format of its address but is relative to nothing.
func (c *cursor) pointerValue(format uint8) uint32 {
	switch format {
	case peAbsptr, peUdata4, peSdata4:
		return c.u32()
	case peUleb128:
		return uint32(c.uleb())
	case peSleb128:
		return uint32(c.sleb())
	case peUdata2:
		return uint32(c.u16())
	case peSdata2:
		return uint32(int16(c.u16()))
	case peUdata8, peSdata8:
		return uint32(c.u64())
	}
	c.fail(fmt.Errorf("pointer format 0x%x", format))
	return 0
}
