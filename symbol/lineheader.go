package symbol

import (
	"errors"
	"fmt"
)

// lineHeader is the header of a line number program (DWARF 2 to 5, 6.2.4).
type lineHeader struct {
	version        uint16
	offsetSize     int // 4 or 8: the DWARF format
	minInstruction uint8
	maxOps         uint8
	lineBase       int8
	lineRange      uint8
	opcodeBase     uint8
	operands       [256]uint8 // number of ULEB operands by standard opcode
	files          fileTable
	program        []byte
}

func (h *lineHeader) offset(c *cursor) uint64 {
	if h.offsetSize == 8 {
		return c.u64()
	}
	return uint64(c.u32())
}

func (h *lineHeader) read(data []byte) error {
	c := &cursor{data: data}
	h.offsetSize = 4
	length := uint64(c.u32())
	if length == 0xffffffff {
		h.offsetSize, length = 8, c.u64()
	}
	c = &cursor{data: c.bytes(length), err: c.err}
	if h.version = c.u16(); c.err == nil && (h.version < 2 || h.version > 5) {
		return fmt.Errorf("version %d is unknown", h.version)
	}
	if h.version >= 5 {
		c.u8() // address_size: DW_LNE_set_address tells its own
		c.u8() // segment_selector_size
	}
	headerLength := h.offset(c)
	rest := c.data
	h.minInstruction, h.maxOps = c.u8(), 1
	if h.version >= 4 {
		h.maxOps = c.u8()
	}
	c.u8() // default_is_stmt
	h.lineBase, h.lineRange, h.opcodeBase = int8(c.u8()), c.u8(), c.u8()
	for op := 1; op < int(h.opcodeBase); op++ {
		h.operands[op] = c.u8()
	}
	switch {
	case c.err != nil:
		return c.err
	case h.lineRange == 0, h.maxOps == 0, h.opcodeBase == 0:
		return errors.New("line_range, maximum_operations_per_instruction or opcode_base is 0")
	case headerLength > uint64(len(rest)):
		return fmt.Errorf("header length %d passes the end", headerLength)
	}
	h.program = rest[headerLength:]
	if h.version >= 5 {
		h.files.readEntries(c, h.offsetSize)
	} else {
		h.files.readLists(c)
	}
	return c.err
}
