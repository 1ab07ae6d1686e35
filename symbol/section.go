package symbol

import (
	"bytes"
	"compress/zlib"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Section returns the content of the named section, decompressed, and its
// address. ok is false where it is absent, empty, without content or damaged.
func (im *Image) Section(name string) (data []byte, addr uint32, ok bool) {
	s := im.file.Section(name)
	if s == nil {
		return nil, 0, false
	}
	data, err := im.content(s)
	return data, uint32(s.Addr), err == nil && len(data) > 0
}

// maxInflation bounds how much larger than in the file a section can be.
// Debug information shrinks to a third or a tenth by compression; 0xffff bytes
// of zeros that zlib makes 64 bytes of are nothing to read.
const maxInflation = 64

var errInflation = errors.New("its content is more than 64 times as large as its bytes in the file")

// content reads a section: it takes no more memory than maxInflation times the
// size in the file, and 1 MiB.
func (im *Image) content(s *elf.Section) ([]byte, error) {
	if s.Type == elf.SHT_NOBITS || s.Size == 0 {
		return nil, nil
	}
	if err := im.unchanged(); err != nil {
		return nil, err
	}
	if s.Flags&elf.SHF_COMPRESSED == 0 && s.FileSize > im.size {
		return nil, fmt.Errorf("%s: %w", s.Name, io.ErrUnexpectedEOF)
	}
	data, err := readSection(s)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	return data, nil
}

func readSection(s *elf.Section) ([]byte, error) {
	if s.Flags&elf.SHF_COMPRESSED == 0 {
		data := make([]byte, s.FileSize)
		_, err := io.ReadFull(io.NewSectionReader(s.ReaderAt, 0, int64(s.FileSize)), data)
		if err == nil && strings.HasPrefix(s.Name, ".zdebug_") && len(data) >= zdebugHeader && string(data[:4]) == "ZLIB" {
			return inflateZdebug(data)
		}
		return data, err
	}
	if s.Size > maxInflation*s.FileSize+1<<20 {
		return nil, errInflation
	}
	return readAll(s.Open(), s.Size)
}

// readAll reads size bytes, as they come: a header that promises more than
// there is takes no memory.
func readAll(r io.Reader, size uint64) ([]byte, error) {
	if size > 1<<32 {
		return nil, errInflation
	}
	var data bytes.Buffer
	data.Grow(int(min(size, 1<<20)))
	n, err := io.CopyN(&data, r, int64(size))
	if err == io.EOF {
		err = fmt.Errorf("%w: %d bytes of %d", io.ErrUnexpectedEOF, n, size)
	}
	return data.Bytes(), err
}

// zdebugHeader of a .zdebug_ section: "ZLIB" and the size, big-endian. GNU
// tools compressed so before SHF_COMPRESSED.
const zdebugHeader = 12

func inflateZdebug(data []byte) ([]byte, error) {
	size := binary.BigEndian.Uint64(data[4:])
	if size > maxInflation*uint64(len(data))+1<<20 {
		return nil, errInflation
	}
	r, err := zlib.NewReader(bytes.NewReader(data[zdebugHeader:]))
	if err != nil {
		return nil, err
	}
	return readAll(r, size)
}

// debugSections are those of DWARF that symbolisation needs, read when the
// first address is looked up.
type debugSections struct {
	info, abbrev, str, lineStr, strOffsets, addr, ranges, rnglists, line []byte
}

// load reads the sections. It fails where .debug_info cannot be read; without
// another the rest is worth something still, and fault is told.
func (s *debugSections) load(im *Image, fault func(format string, args ...any)) error {
	var err error
	if s.info, err = im.debugSection("info"); err != nil {
		return err
	}
	for name, data := range map[string]*[]byte{
		"abbrev": &s.abbrev, "str": &s.str, "line_str": &s.lineStr, "str_offsets": &s.strOffsets,
		"addr": &s.addr, "ranges": &s.ranges, "rnglists": &s.rnglists, "line": &s.line,
	} {
		if *data, err = im.debugSection(name); err != nil {
			fault("%v", err)
		}
	}
	return nil
}

// debugSection reads .debug_NAME or .zdebug_NAME, nil where there is neither.
func (im *Image) debugSection(name string) ([]byte, error) {
	for _, prefix := range []string{".debug_", ".zdebug_"} {
		if s := im.file.Section(prefix + name); s != nil && s.Size > 0 {
			return im.content(s)
		}
	}
	return nil, nil
}

// lines are the sections of line tables.
func (s *debugSections) lines() lineSections {
	return lineSections{line: s.line, str: s.str, lineStr: s.lineStr}
}

// compressedSymbols tells whether a symbol table or its strings are
// compressed, which no linker does: debug/elf would inflate them without limit.
func compressedSymbols(f *elf.File) bool {
	for _, s := range f.Sections {
		if (s.Type == elf.SHT_SYMTAB || s.Type == elf.SHT_STRTAB) && s.Flags&elf.SHF_COMPRESSED != 0 {
			return true
		}
	}
	return false
}
