package symbol

import (
	"cmp"
	"debug/dwarf"
	"fmt"
	"slices"
	"sort"
)

// debugInfo is the DWARF of an image. Opening it reads one entry per unit;
// the rest of a unit is read when a pc inside it is first looked up.
type debugInfo struct {
	data   *dwarf.Data
	lines  lineSections
	units  []*unit // by offset
	image  *Image
	faults []string // damage found on the way, one sentence each
	index  linkageIndex
}

func (d *debugInfo) linkage() linkageIndex {
	if d.index == nil {
		d.index = newLinkageIndex(d.image.symbols.functions)
	}
	return d.index
}

// unit is one DW_TAG_compile_unit or DW_TAG_partial_unit.
type unit struct {
	offset  dwarf.Offset // of its first entry
	end     dwarf.Offset // of what follows it
	entry   *dwarf.Entry
	compDir string
	rust    bool
	ranges  []Range
	table   *lineTable
	scopes  []*scope // physical functions
	names   map[dwarf.Offset]*subprogram
	read    struct{ lines, scopes bool }
}

// openDebug prepares the DWARF; nil without error where there is none.
func openDebug(im *Image) (d *debugInfo, err error) {
	info, _, ok := im.Section(".debug_info")
	if !ok {
		if info, _, ok = im.Section(".zdebug_info"); !ok {
			return nil, nil
		}
	}
	data, err := im.file.DWARF()
	if err != nil {
		return nil, err
	}
	d = &debugInfo{data: data, image: im}
	d.lines.line = im.debugSection("line")
	d.lines.str = im.debugSection("str")
	d.lines.lineStr = im.debugSection("line_str")
	for _, span := range unitSpans(info) {
		if u := d.openUnit(span); u != nil {
			d.units = append(d.units, u)
		}
	}
	return d, nil
}

func (im *Image) debugSection(name string) []byte {
	data, _, ok := im.Section(".debug_" + name)
	if !ok {
		data, _, _ = im.Section(".zdebug_" + name)
	}
	return data
}

// unitSpan is where the entries of a unit lie in .debug_info.
type unitSpan struct{ first, end uint64 }

// unitSpans walks the unit headers (DWARF 5, 7.5.1): debug/dwarf steps from
// unit to unit only by way of all entries.
func unitSpans(info []byte) (spans []unitSpan) {
	for off := uint64(0); off < uint64(len(info)); {
		c := &cursor{data: info[off:]}
		length, offsetSize := uint64(c.u32()), uint64(4)
		if length == 0xffffffff {
			length, offsetSize = c.u64(), 8
		}
		if c.err != nil || length > uint64(len(c.data)) {
			return spans
		}
		end := uint64(len(info)) - uint64(len(c.data)) + length
		version := c.u16()
		unitType := uint8(1)
		if version >= 5 {
			unitType = c.u8()
		}
		c.bytes(1 + offsetSize) // address_size and debug_abbrev_offset, in either order
		switch unitType {
		case 4, 5: // skeleton, split_compile: dwo_id
			c.bytes(8)
		case 2, 6: // type, split_type: signature and type_offset
			c.bytes(8 + offsetSize)
		}
		first := uint64(len(info)) - uint64(len(c.data))
		if c.err == nil && first < end && unitType != 2 && unitType != 6 {
			spans = append(spans, unitSpan{first, end})
		}
		off = end
	}
	return spans
}

// openUnit reads the entry of a unit; nil where it is none or damaged.
func (d *debugInfo) openUnit(span unitSpan) *unit {
	r := d.data.Reader()
	r.Seek(dwarf.Offset(span.first))
	e, err := r.Next()
	if err != nil {
		d.fault("unit at 0x%x: %v", span.first, err)
		return nil
	}
	if e == nil || e.Tag != dwarf.TagCompileUnit && e.Tag != dwarf.TagPartialUnit && e.Tag != dwarf.TagSkeletonUnit {
		return nil
	}
	u := &unit{offset: dwarf.Offset(span.first), end: dwarf.Offset(span.end), entry: e}
	u.compDir, _ = e.Val(dwarf.AttrCompDir).(string)
	u.rust = integer(e, dwarf.AttrLanguage, 0) == languageRust
	u.ranges = d.ranges(e)
	return u
}

// languageRust is DW_LANG_Rust (DWARF 5, table 7.17).
const languageRust = 0x1c

// fault notes damage, each kind of it once.
func (d *debugInfo) fault(format string, args ...any) {
	s := fmt.Sprintf(format, args...)
	if len(d.faults) < 8 && !slices.Contains(d.faults, s) {
		d.faults = append(d.faults, s)
	}
}

// ranges are the address ranges of an entry that lie in code. GNU as describes
// assembly functions by their symbols, Thumb bit and all; it is cleared.
func (d *debugInfo) ranges(e *dwarf.Entry) []Range {
	pairs, err := d.data.Ranges(e)
	if err != nil {
		d.fault("ranges of the entry at 0x%x: %v", e.Offset, err)
	}
	var out []Range
	for _, p := range pairs {
		if p[1] <= 1<<32 {
			thumb := p[0] & 1
			if r := clampedRange(p[0]-thumb, p[1]-p[0]); p[1] > p[0] && d.image.inCode(r) {
				out = append(out, r)
			}
		}
	}
	return out
}

// unitOf finds the unit that holds an entry.
func (d *debugInfo) unitOf(off dwarf.Offset) *unit {
	i := sort.Search(len(d.units), func(i int) bool { return d.units[i].offset > off })
	if i == 0 || off >= d.units[i-1].end {
		return nil
	}
	return d.units[i-1]
}

// covering lists the units that may hold pc, those that say so first. A unit
// entry without any address says nothing, so it may hold any.
func (d *debugInfo) covering(pc uint32) []*unit {
	var found, silent []*unit
	for _, u := range d.units {
		switch {
		case slices.ContainsFunc(u.ranges, func(r Range) bool { return r.Contains(pc) }):
			found = append(found, u)
		case u.entry.AttrField(dwarf.AttrLowpc) == nil && u.entry.AttrField(dwarf.AttrRanges) == nil:
			silent = append(silent, u)
		}
	}
	return append(found, silent...)
}

// claiming lists the units whose ranges hold pc.
func (d *debugInfo) claiming(pc uint32) (found []*unit) {
	for _, u := range d.units {
		if slices.ContainsFunc(u.ranges, func(r Range) bool { return r.Contains(pc) }) {
			found = append(found, u)
		}
	}
	return found
}

// lineTable of a unit, nil where it has none.
func (d *debugInfo) lineTable(u *unit) *lineTable {
	if u == nil || u.read.lines {
		if u == nil {
			return nil
		}
		return u.table
	}
	u.read.lines = true
	off, ok := u.entry.Val(dwarf.AttrStmtList).(int64)
	if !ok || off < 0 {
		return nil
	}
	name, _ := u.entry.Val(dwarf.AttrName).(string)
	t, err := d.lines.decodeLines(uint64(off), u.compDir, name)
	if err != nil {
		d.fault("%v", err)
	}
	if t == nil {
		return nil
	}
	t.sequences = slices.DeleteFunc(t.sequences, func(s lineSequence) bool { return !d.image.inCode(s.Range) })
	slices.SortStableFunc(t.sequences, func(a, b lineSequence) int { return cmp.Compare(a.Low, b.Low) })
	u.table = t
	return t
}
