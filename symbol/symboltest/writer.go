// Package symboltest makes ELF files whose contents are known, for tests. In: a
// size. Out: the file, and a stack of it with the functions that are on it.
package symboltest

import "encoding/binary"

// writer appends little-endian fields.
type writer struct{ data []byte }

func (w *writer) len() uint32        { return uint32(len(w.data)) }
func (w *writer) u8(v ...byte)       { w.data = append(w.data, v...) }
func (w *writer) u16(v uint16)       { w.data = binary.LittleEndian.AppendUint16(w.data, v) }
func (w *writer) u32(v uint32)       { w.data = binary.LittleEndian.AppendUint32(w.data, v) }
func (w *writer) cstring(s string)   { w.data = append(append(w.data, s...), 0) }
func (w *writer) put(at, v uint32)   { binary.LittleEndian.PutUint32(w.data[at:], v) }
func (w *writer) begin() (at uint32) { w.u32(0); return w.len() - 4 }

// end fills in the length of what follows a begin.
func (w *writer) end(at uint32) { w.put(at, w.len()-at-4) }

func (w *writer) uleb(v uint32) {
	for ; v >= 0x80; v >>= 7 {
		w.u8(byte(v) | 0x80)
	}
	w.u8(byte(v))
}

func (w *writer) align(n uint32) {
	for w.len()%n != 0 {
		w.u8(0)
	}
}

// section of an ELF file.
type section struct {
	name          string
	typ, flags    uint32
	addr          uint32
	link, entsize uint32
	info          uint32
	data          []byte
}

const (
	typeProgbits = 1
	typeSymtab   = 2
	typeStrtab   = 3
	flagAlloc    = 2
	flagExec     = 4
)

// assemble makes an executable of sections; those with an address are loaded.
func assemble(sections []section, entry uint32) []byte {
	w := &writer{}
	w.u8(0x7f, 'E', 'L', 'F', 1, 1, 1)
	w.data = append(w.data, make([]byte, 9)...)
	w.u16(2)  // ET_EXEC
	w.u16(40) // EM_ARM
	w.u32(1)
	w.u32(entry)
	var loaded uint16
	for _, s := range sections {
		if s.flags&flagAlloc != 0 {
			loaded++
		}
	}
	w.u32(52)
	shoff := w.begin()
	w.u32(0x05000200)
	for _, v := range []uint16{52, 32, loaded, 40, uint16(len(sections) + 2), uint16(len(sections) + 1)} {
		w.u16(v)
	}
	programs := w.len()
	w.data = append(w.data, make([]byte, 32*int(loaded))...)
	var names writer
	names.u8(0)
	headers := &writer{data: make([]byte, 40)}
	for _, s := range append(sections, section{name: ".shstrtab", typ: typeStrtab}) {
		w.align(4)
		if s.name == ".shstrtab" {
			names.cstring(s.name)
			s.data = names.data
		}
		if s.flags&flagAlloc != 0 {
			for i, v := range []uint32{1, w.len(), s.addr, s.addr, uint32(len(s.data)), uint32(len(s.data)), 5, 4} {
				w.put(programs+uint32(4*i), v)
			}
			programs += 32
		}
		name := names.len()
		if s.name == ".shstrtab" {
			name -= uint32(len(s.name) + 1)
		} else {
			names.cstring(s.name)
		}
		for _, v := range []uint32{name, s.typ, s.flags, s.addr, w.len(), uint32(len(s.data)), s.link, s.info, 1, s.entsize} {
			headers.u32(v)
		}
		w.data = append(w.data, s.data...)
	}
	w.align(4)
	w.put(shoff, w.len())
	return append(w.data, headers.data...)
}
