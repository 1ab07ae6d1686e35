package symbol

import (
	"bytes"
	"cmp"
	"fmt"
)

// fileTable is the directories and files of a line table. Paths are put
// together when they are asked for: a small damaged table can claim more of
// them than there is memory.
type fileTable struct {
	sections      lineSections
	compDir, name string // of the unit
	dirs          []text
	files         []lineFile
	relative      bool           // DWARF 5: directories are relative to the first
	paths         map[int]string // by file number
}

type lineFile struct {
	name text
	dir  uint64
}

// text is a string of the table itself, or where it stands.
type text struct {
	inline  string
	section []byte
	offset  uint64
}

func (t text) String() string {
	if t.section == nil {
		return t.inline
	}
	return stringIn(t.section, t.offset)
}

func (t *fileTable) add(name text, dir uint64) { t.files = append(t.files, lineFile{name, dir}) }

// path is the full path of a file number, "" where there is none.
func (t *fileTable) path(n int) string {
	if n < 0 || n >= len(t.files) {
		return ""
	}
	if p, ok := t.paths[n]; ok {
		return p
	}
	f := t.files[n]
	p := f.name.String()
	if f.dir < uint64(len(t.dirs)) {
		p = joinPath(t.directory(f.dir), p)
	}
	if t.paths == nil {
		t.paths = map[int]string{}
	}
	t.paths[n] = p
	return p
}

// directory 0 is the compilation directory, the others are relative to it.
func (t *fileTable) directory(n uint64) string {
	dir := t.dirs[n].String()
	switch {
	case !t.relative && n > 0:
		return joinPath(t.compDir, dir)
	case !t.relative:
		return t.compDir
	case n > 0:
		return joinPath(t.directory(0), dir)
	case !isAbs(dir):
		return cmp.Or(t.compDir, dir)
	}
	return dir
}

// readLists reads include_directories and file_names of DWARF 2 to 4. File
// numbers start at 1.
func (t *fileTable) readLists(c *cursor) {
	t.dirs = []text{{inline: t.compDir}}
	for c.err == nil {
		dir := c.cstring()
		if dir == "" {
			break
		}
		t.dirs = append(t.dirs, text{inline: dir})
	}
	t.add(text{inline: t.name}, 0)
	for c.err == nil {
		name := c.cstring()
		if name == "" {
			return
		}
		dir := c.uleb()
		c.uleb() // time
		c.uleb() // length
		t.add(text{inline: name}, dir)
	}
}

// Content types (DWARF 5, table 7.27).
const (
	lnctPath           = 1
	lnctDirectoryIndex = 2
)

// readEntries reads the directory and file entries of DWARF 5.
func (t *fileTable) readEntries(c *cursor, offsetSize int) {
	t.relative = true
	t.eachEntry(c, offsetSize, func(name text, _ uint64) { t.dirs = append(t.dirs, name) })
	t.eachEntry(c, offsetSize, t.add)
}

func (t *fileTable) eachEntry(c *cursor, offsetSize int, yield func(name text, dir uint64)) {
	type field struct{ content, form uint64 }
	format := make([]field, c.u8())
	for i := range format {
		format[i] = field{c.uleb(), c.uleb()}
	}
	n := c.uleb()
	if c.err == nil && (n > uint64(len(c.data)) || n > 0 && len(format) == 0) { // an entry takes a byte at least
		c.err = fmt.Errorf("%d entries in %d bytes", n, len(c.data))
	}
	for i := uint64(0); i < n && c.err == nil; i++ {
		var name text
		var dir uint64
		for _, f := range format {
			s, v := t.value(c, form(f.form), offsetSize)
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

func (t *fileTable) value(c *cursor, f form, offsetSize int) (s text, v uint64) {
	switch f {
	case formString:
		return text{inline: c.cstring()}, 0
	case formLineStrp:
		return text{section: t.sections.lineStr, offset: c.stringOffset(t.sections.lineStr, offsetSize)}, 0
	case formStrp:
		return text{section: t.sections.str, offset: c.stringOffset(t.sections.str, offsetSize)}, 0
	case formUdata:
		return text{}, c.uleb()
	case formData1, formData2, formData4, formData8:
		size, _ := encoding{}.size(f)
		return text{}, c.number(size)
	case formData16:
		c.bytes(16)
	case formBlock:
		c.bytes(c.uleb())
	default:
		if c.err == nil {
			c.err = fmt.Errorf("form 0x%x in a file entry is unknown", uint16(f))
		}
	}
	return text{}, 0
}

// stringOffset reads an offset into a section of strings, and checks that one
// stands there.
func (c *cursor) stringOffset(section []byte, size int) uint64 {
	off := c.number(size)
	if c.err == nil && (off >= uint64(len(section)) || bytes.IndexByte(section[off:min(uint64(len(section)), off+maxString)], 0) < 0) {
		c.err = fmt.Errorf("string offset 0x%x leads to no string", off)
	}
	return off
}
