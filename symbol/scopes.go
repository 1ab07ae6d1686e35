package symbol

import (
	"cmp"
	"errors"
)

// scope is a function that occupies addresses: a DW_TAG_subprogram, or a
// DW_TAG_inlined_subroutine inside one.
type scope struct {
	subprogram uint32 // offset of the entry that leads to the name
	ranges     []Range
	callFile   int // -1: not said
	callLine   int
	callColumn int
	inlined    []*scope
}

// contains returns the piece of an inlined scope around pc.
func (s *scope) contains(pc uint32) (Range, bool) {
	for _, r := range s.ranges {
		if r.Contains(pc) {
			return r, true
		}
	}
	return Range{}, false
}

// path lists the scopes around pc, s first, the innermost last. Where
// siblings overlap, the smaller piece is the more exact.
func (s *scope) path(pc uint32) []*scope {
	path := []*scope{s}
	for {
		var next *scope
		var size uint32
		for _, child := range s.inlined {
			if r, ok := child.contains(pc); ok && (next == nil || r.size() < size) {
				next, size = child, r.size()
			}
		}
		if next == nil {
			return path
		}
		path = append(path, next)
		s = next
	}
}

// subprogram is what an entry of a function says of it, undecoded.
type subprogram struct {
	offset             uint32
	name, linkage      value
	declFile, declLine value
	origin             uint32 // DW_AT_abstract_origin or DW_AT_specification, 0 for none
	within             *enclosure
}

// enclosure is a namespace, class or function around an entry.
type enclosure struct {
	outer    *enclosure
	name     value
	unnamed  string // what to call it without a name
	function bool   // it counts only around classes: of local ones and lambdas
}

// level is an open entry of the walk.
type level struct {
	scope  *scope // that inlined calls below belong to
	within *enclosure
}

// maxSubprograms bounds the entries of functions that are kept, of all units.
const maxSubprograms = 1 << 21

// maxNesting bounds how deep entries are nested.
const maxNesting = 1 << 12

// readScopes walks all entries of a unit once: about 10 ms for 1 MB.
func (d *debugInfo) readScopes(u *unit) {
	if u.read.scopes {
		return
	}
	u.read.scopes = true
	defer u.scopes.sort()
	table, err := d.abbreviationsAt(u.abbrev, u.encoding)
	if err != nil {
		d.fault("unit at .debug_info+0x%x: %v", u.header, err)
		return
	}
	r := entries{unit: u, table: table, c: cursor{data: d.sections.info[u.first:u.end]}, end: uint64(u.end)}
	var open []level
	for {
		var e entry
		ok, err := r.next(&e)
		if err != nil || len(open) > maxNesting {
			d.fault("unit at .debug_info+0x%x: %v", u.header, cmp.Or(err, errNesting))
			return
		}
		if !ok {
			return
		}
		if e.tag == 0 {
			if open = open[:max(0, len(open)-1)]; len(open) == 0 {
				return
			}
			continue
		}
		var outer level
		if len(open) > 0 {
			outer = open[len(open)-1]
		}
		inner := outer
		if e.tag.wanted() {
			inner = d.enter(u, &e, outer)
		}
		if e.children {
			open = append(open, inner)
		} else if len(open) == 0 {
			return
		}
	}
}

var errNesting = errors.New("its entries are nested too deep")

// enter notes what the entry contributes and returns the level of its
// children.
func (d *debugInfo) enter(u *unit, e *entry, outer level) level {
	switch e.tag {
	case tagSubprogram:
		if d.subprograms++; d.subprograms > maxSubprograms {
			d.fault("more than %d functions", maxSubprograms)
			return level{&scope{}, outer.within}
		}
		p := subprogram{
			offset: e.offset, name: e.name, linkage: e.linkage, declFile: e.declFile, declLine: e.declLine,
			origin: cmp.Or(u.reference(e.origin), u.reference(e.specification)), within: outer.within,
		}
		if p.name.present() || p.linkage.present() || p.origin != 0 {
			u.subprograms = append(u.subprograms, p)
		}
		ranges := d.ranges(nil, u, e)
		if len(ranges) == 0 && !e.children {
			return outer
		}
		s := &scope{subprogram: e.offset}
		for _, r := range ranges {
			u.scopes.add(r, s)
		}
		if !e.children {
			return outer
		}
		return level{s, &enclosure{outer: outer.within, name: e.name, function: true}}
	case tagInlinedSubroutine:
		origin := u.reference(e.origin)
		if origin == 0 || outer.scope == nil {
			return outer
		}
		s := &scope{subprogram: origin, ranges: d.ranges(nil, u, e)}
		s.callFile = e.callFile.integer(-1)
		s.callLine, s.callColumn = e.callLine.integer(0), e.callColumn.integer(0)
		if len(s.ranges) > 0 {
			outer.scope.inlined = append(outer.scope.inlined, s)
		}
		return level{s, outer.within}
	case tagNamespace, tagModule:
		outer.within = &enclosure{outer: outer.within, name: e.name, unnamed: "(anonymous namespace)"}
	case tagClassType, tagStructureType, tagUnionType, tagInterfaceType, tagEnumerationType:
		if e.children { // of classes without name only the closures of lambdas have functions worth naming
			outer.within = &enclosure{outer: outer.within, name: e.name, unnamed: "{lambda}"}
		}
	}
	return outer
}
