package unwind

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// DecodeError says where a section of unwind information stops making sense.
type DecodeError struct {
	Section string // ".debug_frame", ".eh_frame" or ".ARM.exidx"
	Offset  uint32 // from the start of the section
	Err     error
}

func (e *DecodeError) Error() string {
	return fmt.Sprintf("unwind: %s+0x%x: %v", e.Section, e.Offset, e.Err)
}

func (e *DecodeError) Unwrap() error { return e.Err }

var (
	errTruncated = errors.New("truncated")
	errLEB       = errors.New("LEB128 number does not fit")
)

// cursor reads little-endian fields of a section. The first error sticks:
// everything after it reads as 0, and err says where it was.
type cursor struct {
	section string
	data    []byte // the whole section: offsets are those of the section
	off     int
	end     int
	err     error
}

func newCursor(section string, data []byte) cursor {
	return cursor{section: section, data: data, end: len(data)}
}

func (c *cursor) more() bool { return c.err == nil && c.off < c.end }

// fail records the first error, at the present offset.
func (c *cursor) fail(err error) {
	if c.err == nil {
		c.err = &DecodeError{Section: c.section, Offset: uint32(c.off), Err: err}
	}
}

// take returns the next n bytes, nil after an error.
func (c *cursor) take(n int) []byte {
	if c.err != nil {
		return nil
	}
	if n < 0 || n > c.end-c.off {
		c.fail(errTruncated)
		return nil
	}
	p := c.data[c.off : c.off+n : c.off+n]
	c.off += n
	return p
}

func (c *cursor) u8() uint8 {
	if p := c.take(1); p != nil {
		return p[0]
	}
	return 0
}

func (c *cursor) u16() uint16 {
	if p := c.take(2); p != nil {
		return binary.LittleEndian.Uint16(p)
	}
	return 0
}

func (c *cursor) u32() uint32 {
	if p := c.take(4); p != nil {
		return binary.LittleEndian.Uint32(p)
	}
	return 0
}

func (c *cursor) u64() uint64 {
	if p := c.take(8); p != nil {
		return binary.LittleEndian.Uint64(p)
	}
	return 0
}

// uleb reads an unsigned LEB128 number (DWARF 4 §7.6).
func (c *cursor) uleb() uint64 {
	var v uint64
	for shift := uint(0); ; shift += 7 {
		b := c.u8()
		if c.err != nil {
			return 0
		}
		if shift > 63 || shift == 63 && b > 1 {
			c.fail(errLEB)
			return 0
		}
		v |= uint64(b&0x7f) << shift
		if b&0x80 == 0 {
			return v
		}
	}
}

// sleb reads a signed LEB128 number (DWARF 4 §7.6).
func (c *cursor) sleb() int64 {
	var v int64
	for shift := uint(0); ; {
		b := c.u8()
		if c.err != nil {
			return 0
		}
		if shift > 63 {
			c.fail(errLEB)
			return 0
		}
		v |= int64(b&0x7f) << shift
		shift += 7
		if b&0x80 == 0 {
			if shift < 64 && b&0x40 != 0 {
				v |= -1 << shift
			}
			return v
		}
	}
}

// register reads a register number or another ULEB128 that must fit 32 bits.
func (c *cursor) register() uint32 {
	v := c.uleb()
	if v > 0xffffffff {
		c.fail(errLEB)
		return 0
	}
	return uint32(v)
}

// block reads a ULEB128 length and as many bytes (DW_FORM_exprloc).
func (c *cursor) block() []byte {
	n := c.uleb()
	if n > uint64(len(c.data)) {
		c.fail(errTruncated)
		return nil
	}
	return c.take(int(n))
}

// text reads a string up to its NUL.
func (c *cursor) text() string {
	if c.err != nil {
		return ""
	}
	n := bytes.IndexByte(c.data[c.off:c.end], 0)
	if n < 0 {
		c.fail(errTruncated)
		return ""
	}
	s := string(c.data[c.off : c.off+n])
	c.off += n + 1
	return s
}
