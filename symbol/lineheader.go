package symbol

import (
	"cmp"
	"errors"
	"fmt"
)

// lineHeader is the header of a line number program (DWARF 2 to 5, 6.2.4).
type lineHeader struct {
	sections       lineSections
	compDir, name  string
	version        uint16
	offsetSize     int // 4 or 8: the DWARF format
	minInstruction uint8
	maxOps         uint8
	lineBase       int8
	lineRange      uint8
	opcodeBase     uint8
	operands       [256]uint8 // number of ULEB operands by standard opcode
	dirs           []string
	files          []string
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
		h.readEntries(c)
	} else {
		h.readLists(c)
	}
	return c.err
}

// readLists reads include_directories and file_names of DWARF 2 to 4. File
// numbers start at 1; directory 0 is the compilation directory.
func (h *lineHeader) readLists(c *cursor) {
	h.dirs = []string{h.compDir}
	for c.err == nil {
		dir := c.cstring()
		if dir == "" {
			break
		}
		h.dirs = append(h.dirs, joinPath(h.compDir, dir))
	}
	h.files = []string{joinPath(h.compDir, h.name)}
	for c.err == nil {
		name := c.cstring()
		if name == "" {
			return
		}
		dir := c.uleb()
		c.uleb() // time
		c.uleb() // length
		h.files = append(h.files, h.path(name, dir))
	}
}

func (h *lineHeader) path(name string, dir uint64) string {
	if dir < uint64(len(h.dirs)) {
		return joinPath(h.dirs[dir], name)
	}
	return name
}

// Content types (DWARF 5, table 7.27).
const (
	lnctPath           = 1
	lnctDirectoryIndex = 2
)

// readEntries reads the directory and file entries of DWARF 5. Directory 0 is
// the compilation directory, the others are relative to it.
func (h *lineHeader) readEntries(c *cursor) {
	h.eachEntry(c, func(name string, _ uint64) {
		if len(h.dirs) == 0 {
			if !isAbs(name) {
				name = cmp.Or(h.compDir, name)
			}
			h.dirs = append(h.dirs, name)
			return
		}
		h.dirs = append(h.dirs, joinPath(h.dirs[0], name))
	})
	h.eachEntry(c, func(name string, dir uint64) { h.files = append(h.files, h.path(name, dir)) })
}

func (h *lineHeader) eachEntry(c *cursor, yield func(name string, dir uint64)) {
	type field struct{ content, form uint64 }
	format := make([]field, c.u8())
	for i := range format {
		format[i] = field{c.uleb(), c.uleb()}
	}
	n := c.uleb()
	if c.err == nil && n > uint64(len(c.data)) { // an entry takes a byte at least
		c.err = fmt.Errorf("%d entries in %d bytes", n, len(c.data))
	}
	for i := uint64(0); i < n && c.err == nil; i++ {
		var name string
		var dir uint64
		for _, f := range format {
			s, v := h.value(c, form(f.form))
			switch f.content {
			case lnctPath:
				name = s
			case lnctDirectoryIndex:
				dir = v
			}
		}
		if c.err == nil {
			yield(name, dir)
		}
	}
}

func (h *lineHeader) value(c *cursor, f form) (s string, v uint64) {
	switch f {
	case formString:
		return c.cstring(), 0
	case formLineStrp:
		return h.stringAt(c, h.sections.lineStr), 0
	case formStrp:
		return h.stringAt(c, h.sections.str), 0
	case formUdata:
		return "", c.uleb()
	case formData1:
		return "", uint64(c.u8())
	case formData2:
		return "", uint64(c.u16())
	case formData4:
		return "", uint64(c.u32())
	case formData8:
		return "", c.u64()
	case formData16:
		c.bytes(16)
	case formBlock:
		c.bytes(c.uleb())
	default:
		if c.err == nil {
			c.err = fmt.Errorf("form 0x%x in a file entry is unknown", uint16(f))
		}
	}
	return "", 0
}

func (h *lineHeader) stringAt(c *cursor, section []byte) string {
	off := h.offset(c)
	if c.err != nil {
		return ""
	}
	if off >= uint64(len(section)) {
		c.err = fmt.Errorf("string offset 0x%x passes the end of its section", off)
		return ""
	}
	at := cursor{data: section[off:]}
	s := at.cstring()
	c.err = at.err
	return s
}
