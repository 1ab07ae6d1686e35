package symbol

import "fmt"

// unit is one DW_TAG_compile_unit or DW_TAG_partial_unit. Opening it reads its
// first entry; the rest is read when an address inside it is first looked up.
type unit struct {
	encoding
	header, first, end uint32 // offsets in .debug_info: of the unit, its first entry, what follows it
	abbrev             uint64 // of its abbreviations

	head     entry // the first entry
	low      uint64
	language int
	ranges   []Range
	silent   bool // the first entry says no addresses

	strOffsets, addrBase, rnglists uint64 // bases of the tables of DWARF 5, 7.26 to 7.28

	read        struct{ lines, scopes bool }
	table       *lineTable
	subprograms []subprogram // by offset
	scopes      intervals[*scope]
}

// Unit types (DWARF 5, table 7.2).
const (
	unitCompile      = 1
	unitType         = 2
	unitSkeleton     = 4
	unitSplitCompile = 5
	unitSplitType    = 6
)

// maxUnits bounds the units of a program. A unit takes 1 kB of memory; firmware
// has some hundred, the largest some thousand.
const maxUnits = 1 << 16

// unitHeaders walks the unit headers (DWARF 5, 7.5.1) without looking at
// entries or abbreviations. Type units are passed over. The error says where
// the walk had to end before the section does.
func unitHeaders(info []byte) (units []*unit, err error) {
	for off := uint64(0); off < uint64(len(info)); {
		c := &cursor{data: info[off:]}
		u := &unit{header: uint32(off)}
		kind, err := u.readHeader(c)
		if err != nil {
			return units, fmt.Errorf(".debug_info+0x%x: %w", off, err)
		}
		u.first = u.end - uint32(len(c.data))
		if kind != unitType && kind != unitSplitType && len(c.data) > 0 && u.version >= 2 && u.version <= 5 {
			units = append(units, u)
		}
		if off = uint64(u.end); len(units) == maxUnits {
			return units, fmt.Errorf(".debug_info+0x%x: more than %d units", off, maxUnits)
		}
	}
	return units, nil
}

// readHeader leaves in c the entries of the unit.
func (u *unit) readHeader(c *cursor) (kind uint8, err error) {
	all := uint64(len(c.data))
	u.offsetSize = 4
	length := uint64(c.u32())
	if length == 0xffffffff {
		u.offsetSize, length = 8, c.u64()
	}
	prefix := all - uint64(len(c.data))
	if c.err == nil && length > uint64(len(c.data)) {
		return 0, fmt.Errorf("unit of %d bytes passes the end of the section", length)
	}
	u.end = u.header + uint32(prefix+length)
	c.data = c.data[:min(length, uint64(len(c.data)))]
	u.version = c.u16()
	if c.err == nil && (u.version < 2 || u.version > 5) {
		c.data = nil // the next unit may be of a version that is known
		return 0, nil
	}
	kind = unitCompile
	if u.version >= 5 {
		kind, u.addrSize = c.u8(), c.u8()
		u.abbrev = c.number(int(u.offsetSize))
	} else {
		u.abbrev = c.number(int(u.offsetSize))
		u.addrSize = c.u8()
	}
	switch kind {
	case unitSkeleton, unitSplitCompile: // dwo_id
		c.bytes(8)
	case unitType, unitSplitType: // signature and type_offset
		c.bytes(8 + uint64(u.offsetSize))
	}
	if c.err == nil && u.addrSize != 4 && u.addrSize != 8 {
		return 0, fmt.Errorf("addresses of %d bytes", u.addrSize)
	}
	return kind, c.err
}

// readHead reads the first entry. ok is false where it is no unit's.
func (d *debugInfo) readHead(u *unit) (ok bool, err error) {
	c := cursor{data: d.sections.info[u.first:u.end]}
	code := c.uleb()
	if code == 0 || c.err != nil {
		return false, c.err
	}
	a, err := d.abbreviationOf(u.abbrev, code, u.encoding)
	if err != nil {
		return false, err
	}
	u.head.offset = u.first
	u.readEntry(&c, uint64(u.end), a, &u.head, true)
	if c.err != nil {
		return false, c.err
	}
	switch u.head.tag {
	case tagCompileUnit, tagPartialUnit, tagSkeletonUnit:
	default:
		return false, nil
	}
	u.bases()
	u.low, _ = d.address(u, u.head.low)
	u.language = u.head.unit.language.integer(0)
	u.silent = !u.head.low.present() && !u.head.ranges.present()
	u.ranges = d.ranges(nil, u, &u.head)
	return true, nil
}

// bases of the unit's tables, behind the header of the first where it does not
// say: of split DWARF.
func (u *unit) bases() {
	base := func(v value) uint64 {
		if off, ok := v.offset(); ok {
			return off
		}
		if u.version < 5 {
			return 0
		}
		if u.offsetSize == 8 {
			return 16
		}
		return 8
	}
	u.strOffsets, u.addrBase, u.rnglists = base(u.head.unit.strOffsets), base(u.head.unit.addrBase), base(u.head.unit.rnglists)
}
