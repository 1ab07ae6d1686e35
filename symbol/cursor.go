package symbol

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
)

// cursor reads little-endian fields. After the first field that passes the
// end, err is set and every read yields zero.
type cursor struct {
	data []byte
	err  error
}

func (c *cursor) bytes(n uint64) []byte {
	if c.err != nil {
		return nil
	}
	if n > uint64(len(c.data)) {
		c.err, c.data = fmt.Errorf("%w: %d bytes wanted, %d left", io.ErrUnexpectedEOF, n, len(c.data)), nil
		return nil
	}
	p := c.data[:n]
	c.data = c.data[n:]
	return p
}

func (c *cursor) u8() uint8 {
	if p := c.bytes(1); p != nil {
		return p[0]
	}
	return 0
}

func (c *cursor) u16() uint16 {
	if p := c.bytes(2); p != nil {
		return binary.LittleEndian.Uint16(p)
	}
	return 0
}

func (c *cursor) u32() uint32 {
	if p := c.bytes(4); p != nil {
		return binary.LittleEndian.Uint32(p)
	}
	return 0
}

func (c *cursor) u64() uint64 {
	if p := c.bytes(8); p != nil {
		return binary.LittleEndian.Uint64(p)
	}
	return 0
}

// number reads an unsigned integer of 0 to 8 bytes. Of longer ones, which are
// no numbers, it passes over the bytes.
func (c *cursor) number(size int) (n uint64) {
	for i, b := range c.bytes(uint64(size)) {
		if i < 8 {
			n |= uint64(b) << (8 * i)
		}
	}
	return n
}

// uleb reads an unsigned LEB128 (DWARF 5, 7.6); bits past 64 are dropped.
func (c *cursor) uleb() uint64 {
	var v uint64
	for shift := uint(0); ; shift += 7 {
		b := c.u8()
		if shift < 64 {
			v |= uint64(b&0x7f) << shift
		}
		if b&0x80 == 0 {
			return v
		}
	}
}

// sleb reads a signed LEB128.
func (c *cursor) sleb() int64 {
	var v int64
	for shift := uint(0); ; {
		b := c.u8()
		if shift < 64 {
			v |= int64(b&0x7f) << shift
		}
		shift += 7
		if b&0x80 == 0 {
			if b&0x40 != 0 && shift < 64 {
				v |= -1 << shift
			}
			return v
		}
	}
}

// skipString passes over a string and its terminating zero.
func (c *cursor) skipString() {
	i := bytes.IndexByte(c.data, 0)
	c.bytes(uint64(i + 1))
	if i < 0 && c.err == nil {
		c.err, c.data = fmt.Errorf("%w: string without end", io.ErrUnexpectedEOF), nil
	}
}

// cstring reads up to and without the terminating zero.
func (c *cursor) cstring() string {
	if c.err != nil {
		return ""
	}
	i := bytes.IndexByte(c.data, 0)
	if i < 0 {
		c.err, c.data = fmt.Errorf("%w: string without end", io.ErrUnexpectedEOF), nil
		return ""
	}
	s := string(c.data[:i])
	c.data = c.data[i+1:]
	return s
}
