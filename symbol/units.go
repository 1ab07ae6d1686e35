package symbol

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
)

// debugInfo is the DWARF of an image. Opening it walks the headers of units
// and reads the first entry of each: 1 to 3 us a unit. .debug_aranges, which
// would say the same, are not used: clang leaves them out, and where they are,
// reading them takes as long.
type debugInfo struct {
	sections debugSections
	image    *Image
	units    []*unit // by offset
	claims   intervals[*unit]
	silent   []*unit  // those that say no addresses: any may be theirs
	faults   []string // damage found on the way, one sentence each

	abbreviations     map[abbreviationKey]*abbreviations
	abbreviationBytes int // decoded for them
	headBytes         int // looked at for first entries
	rangesRead        int // elements of range lists
	subprograms       int // in all units that were read
	fields            []field

	tables    map[uint64]*lineTable // by offset in .debug_line
	lineBytes uint64                // decoded for them
	mangled   map[string]string     // linkage names found by plain ones

	interrupts     map[uint16]string // by number
	interruptsRead bool
}

// openDebug prepares the DWARF; nil without error where there is none.
func openDebug(im *Image) (*debugInfo, error) {
	if !im.hasDebug("info") {
		return nil, nil
	}
	d := newDebugInfo(im)
	if err := d.sections.load(im, d.fault); err != nil {
		return nil, err
	}
	d.openUnits()
	return d, nil
}

func newDebugInfo(im *Image) *debugInfo {
	return &debugInfo{image: im, abbreviations: map[abbreviationKey]*abbreviations{}, mangled: map[string]string{}, tables: map[uint64]*lineTable{}}
}

// openUnits reads the headers and first entries of all units.
func (d *debugInfo) openUnits() {
	units, err := unitHeaders(d.sections.info)
	if err != nil {
		d.fault("%v", err)
	}
	for _, u := range units {
		ok, err := d.readHead(u)
		if err != nil {
			d.fault("unit at .debug_info+0x%x: %v", u.header, err)
		}
		if !ok || err != nil {
			continue
		}
		d.units = append(d.units, u)
		for _, r := range u.ranges {
			d.claims.add(r, u)
		}
		if u.silent {
			d.silent = append(d.silent, u)
		}
	}
	d.claims.sort()
}

// fault notes damage, each kind of it once.
func (d *debugInfo) fault(format string, args ...any) {
	if len(d.faults) >= 8 {
		return
	}
	if s := fmt.Sprintf(format, args...); !slices.Contains(d.faults, s) {
		d.faults = append(d.faults, s)
	}
}

// unitOf finds the unit that holds an entry.
func (d *debugInfo) unitOf(off uint32) *unit {
	i := sort.Search(len(d.units), func(i int) bool { return d.units[i].first > off })
	if i == 0 || off >= d.units[i-1].end {
		return nil
	}
	return d.units[i-1]
}

// claiming lists the units whose ranges hold pc, by offset.
func (d *debugInfo) claiming(pc uint32) (found []*unit) {
	d.claims.around(pc, func(_ Range, u *unit) {
		if !slices.Contains(found, u) {
			found = append(found, u)
		}
	})
	slices.SortFunc(found, func(a, b *unit) int { return cmp.Compare(a.header, b.header) })
	return found
}

// covering lists the units that may hold pc, those that say so first.
func (d *debugInfo) covering(pc uint32) []*unit {
	return append(d.claiming(pc), d.silent...)
}

// decodeLines decodes the table of a unit. Tables that overlap, as no compiler
// writes them, are limited by the bytes that they take in all.
func (d *debugInfo) decodeLines(off uint64, u *unit) (*lineTable, error) {
	c := cursor{data: d.sections.line[min(off, uint64(len(d.sections.line))):]}
	length := uint64(c.u32())
	if length == 0xffffffff {
		length = c.u64()
	}
	if d.lineBytes += min(length, uint64(len(c.data))); d.lineBytes > 4*uint64(len(d.sections.line)) {
		return nil, fmt.Errorf("line table at .debug_line+0x%x: overlaps others", off)
	}
	return d.sections.lines().decodeLines(off, d.text(u, u.head.unit.compDir), d.text(u, u.head.name))
}

// lineTable of a unit, nil where it has none.
func (d *debugInfo) lineTable(u *unit) *lineTable {
	if u == nil {
		return nil
	}
	if u.read.lines {
		return u.table
	}
	u.read.lines = true
	off, ok := u.head.unit.stmtList.offset()
	if !ok {
		return nil
	}
	if t, ok := d.tables[off]; ok { // partial units share that of their compile unit
		u.table = t
		return t
	}
	t, err := d.decodeLines(off, u)
	if err != nil {
		d.fault("%v", err)
	}
	d.tables[off] = t
	if t == nil {
		return nil
	}
	t.sequences = slices.DeleteFunc(t.sequences, func(s lineSequence) bool { return !d.image.inCode(s.Range) })
	slices.SortStableFunc(t.sequences, func(a, b lineSequence) int { return cmp.Compare(a.Low, b.Low) })
	u.table = t
	return t
}
