package symbol

import (
	"bytes"
	"encoding/binary"
	"runtime"
	"testing"
)

// FuzzEntries decodes units, abbreviations, entries, range lists and strings
// of any bytes, over the code of a real program.
func FuzzEntries(f *testing.F) {
	for _, name := range []string{"testdata/program5.elf", "testdata/program4.elf"} {
		im, err := Open(name)
		if err != nil {
			f.Fatal(err)
		}
		d, err := openDebug(im)
		if err != nil {
			f.Fatal(err)
		}
		s := &d.sections
		f.Add(s.info, s.abbrev, s.str, append(bytes.Clone(s.ranges), s.rnglists...), s.lineStr, s.line)
	}
	im, err := Open("testdata/program5.elf")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, info, abbrev, str, ranges, other, line []byte) {
		d := newDebugInfo(im)
		d.sections = debugSections{info: info, abbrev: abbrev, str: str, lineStr: other, strOffsets: other, addr: other, ranges: ranges, rnglists: ranges, line: line}
		useDebug(t, d)
	})
}

// useDebug asks everything of debug information; nothing may panic, and what
// is found lies in code.
func useDebug(t testing.TB, d *debugInfo) {
	d.openUnits()
	for _, u := range d.units {
		d.readScopes(u)
		d.lineTable(u)
		d.interruptsIn(u)
		for i := range u.subprograms[:min(len(u.subprograms), 200)] {
			d.define(u.subprograms[i].offset)
		}
		for _, s := range u.scopes.list {
			if !d.image.inCode(s.Range) {
				t.Fatalf("function at %+v, which is no code", s.Range)
			}
		}
	}
	for _, r := range d.image.code {
		for pc := r.Low; pc < r.High && pc-r.Low < 400; pc += 6 {
			d.locate(pc, d.image.symbols.at(pc))
		}
	}
	if len(d.faults) > 8 {
		t.Fatalf("%d faults", len(d.faults))
	}
}

// hostileLines is a DWARF 5 line table with a directory of half its size and as
// many files in it.
func hostileLines(size int) []byte {
	header := []byte{5, 0, 4, 0, 0, 0, 0, 0, 2, 1, 1, 0xfb, 14, 1, 1, 1, 8, 1}
	header = append(append(header, bytes.Repeat([]byte{'d'}, size/2)...), 0)
	header = append(header, 1, 1, 8, 0x80, 0x80, 0x20) // 2^19 names
	header = append(header, make([]byte, 1<<19)...)
	binary.LittleEndian.PutUint32(header[4:], uint32(len(header)-8))
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(header))), header...)
}

// Damaged sections that are small and claim much take little memory.
func TestHostileSections(t *testing.T) {
	im, err := Open("testdata/program5.elf")
	if err != nil {
		t.Fatal(err)
	}
	good, err := openDebug(im)
	if err != nil {
		t.Fatal(err)
	}
	const size = 1 << 20
	// unit has entries of a DWARF 4 unit, the first with abbreviation 1.
	unit := func(abbrev uint16, entries []byte) []byte {
		u := []byte{0, 0, 0, 0, 4, 0, byte(abbrev), byte(abbrev >> 8), 0, 0, 4, 1}
		u = append(u, entries...)
		binary.LittleEndian.PutUint32(u, uint32(len(u)-4))
		return u
	}
	for name, make := range map[string]func(s *debugSections){
		// The smallest units that can be, each with a table of its own.
		"units": func(s *debugSections) {
			s.abbrev = bytes.Repeat([]byte{1, 0x11, 0, 0, 0}, 1000)
			s.info = nil
			for i := 0; len(s.info) < size; i++ {
				s.info = append(s.info, unit(uint16(i%1000*5), nil)...)
			}
		},
		// One declaration without attributes: each byte is a function, or opens one.
		"functions": func(s *debugSections) {
			s.abbrev = []byte{1, 0x11, 1, 0, 0, 2, 0x2e, 0, 0, 0, 0}
			s.info = unit(0, bytes.Repeat([]byte{2}, size))
		},
		"nesting": func(s *debugSections) {
			s.abbrev = []byte{1, 0x11, 1, 0, 0, 2, 0x2e, 1, 0, 0, 0}
			s.info = unit(0, bytes.Repeat([]byte{2}, size))
		},
		// Each function has the whole section as its range list.
		"ranges": func(s *debugSections) {
			s.abbrev = []byte{1, 0x11, 1, 0, 0, 2, 0x2e, 0, 0x55, 0x17, 0, 0, 0}
			s.info = unit(0, bytes.Repeat([]byte{2, 0, 0, 0, 0}, size/5))
			s.ranges = bytes.Repeat([]byte{2, 1, 0, 8, 8, 1, 0, 8}, size/8)
		},
		// Each unit reads the whole section for its first abbreviation.
		"abbreviations": func(s *debugSections) {
			s.abbrev = bytes.Repeat([]byte{5, 0x2e, 0, 0, 0}, size/5)
			s.info = bytes.Repeat(unit(0, nil), size/12)
		},
		// Files of a line table that all have the same long directory.
		"files": func(s *debugSections) {
			s.line = hostileLines(size)
			s.abbrev = []byte{1, 0x11, 0, 0x10, 0x17, 0, 0, 0}
			s.info = unit(0, []byte{0, 0, 0, 0})
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDebugInfo(im)
			d.sections = good.sections
			make(&d.sections)
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			useDebug(t, d)
			runtime.ReadMemStats(&after)
			if took := after.TotalAlloc - before.TotalAlloc; took > 256*size {
				t.Errorf("%d bytes allocated for a section of %d", took, size)
			}
			t.Logf("%d MB, %q", (after.TotalAlloc-before.TotalAlloc)>>20, d.faults)
		})
	}
}
