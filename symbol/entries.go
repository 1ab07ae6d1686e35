package symbol

import (
	"debug/elf"
	"sort"
)

// Entry is a symbol of the symbol table as it stands there, whatever it names.
type Entry struct {
	Name             string
	Addr             uint32 // without the Thumb bit
	Size             uint32 // bytes; 0 where the table does not say
	Function, Object bool   // STT_FUNC, STT_OBJECT
	Global           bool   // STB_GLOBAL; neither STB_LOCAL nor STB_WEAK
}

// Entries lists the symbol table, without sections, files and what the image only refers to. It is nil
// where there is none, or where the file has changed.
func (im *Image) Entries() (entries []Entry) {
	if im.unchanged() != nil || compressedSymbols(im.file) {
		return nil
	}
	all, err := im.file.Symbols()
	if err != nil {
		return nil
	}
	for _, s := range all {
		kind := elf.ST_TYPE(s.Info)
		if s.Name == "" || s.Section == elf.SHN_UNDEF || kind == elf.STT_SECTION || kind == elf.STT_FILE {
			continue
		}
		addr := uint32(s.Value)
		if kind == elf.STT_FUNC && im.Machine() == elf.EM_ARM {
			addr &^= 1
		}
		entries = append(entries, Entry{s.Name, addr, uint32(s.Size), kind == elf.STT_FUNC, kind == elf.STT_OBJECT, elf.ST_BIND(s.Info) == elf.STB_GLOBAL})
	}
	return entries
}

// Span is a range that holds instructions, or data.
type Span struct {
	Range
	Data bool
}

// Spans divides r at each mapping symbol, as a disassembler does; without them all of it is instructions.
func (im *Image) Spans(r Range) (spans []Span) {
	m := &im.symbols.modes
	for at := r.Low; at < r.High; {
		end := r.High
		if i := sort.Search(len(m.addr), func(i int) bool { return m.addr[i] > at }); i < len(m.addr) {
			end = min(end, m.addr[i])
		}
		spans = append(spans, Span{Range{at, end}, !m.isCode(at)})
		at = end
	}
	return spans
}

// ImageAt is the image whose code is at addr; ok is false where none has some there.
func (p *Program) ImageAt(addr uint32) (im *Image, ok bool) {
	im = p.owner(addr)
	return im, im != nil
}
