package symbol

import (
	"cmp"
	"debug/dwarf"
)

// scope is a function that occupies addresses: a DW_TAG_subprogram, or a
// DW_TAG_inlined_subroutine inside one.
type scope struct {
	subprogram dwarf.Offset // entry that leads to the name
	ranges     []Range
	callFile   int // -1: not said
	callLine   int
	callColumn int
	inlined    []*scope
}

// contains returns the piece of the scope around pc.
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

// subprogram is what an entry of a function says of it; origin is
// DW_AT_abstract_origin or DW_AT_specification, 0 for none.
type subprogram struct {
	name, linkage string
	qualifier     string // "ns::Class::" of the entries around it
	declFile      int    // -1: not said
	declLine      int    // 0: not said
	origin        dwarf.Offset
}

// level is an open entry of the walk.
type level struct {
	scope     *scope // that inlined calls below belong to
	qualifier string
	function  string // around local classes and lambdas
}

// readScopes walks all entries of a unit once.
func (d *debugInfo) readScopes(u *unit) {
	if u.read.scopes {
		return
	}
	u.read.scopes = true
	u.names = map[dwarf.Offset]*subprogram{}
	r := d.data.Reader()
	r.Seek(u.offset)
	var open []level
	for {
		e, err := r.Next()
		if err != nil {
			d.fault("unit at 0x%x: %v", u.offset, err)
			return
		}
		if e == nil || e.Offset >= u.end {
			return
		}
		if e.Tag == 0 {
			if open = open[:max(0, len(open)-1)]; len(open) == 0 {
				return
			}
			continue
		}
		var outer level
		if len(open) > 0 {
			outer = open[len(open)-1]
		}
		inner := d.enter(u, e, outer)
		if e.Children {
			open = append(open, inner)
		} else if len(open) == 0 {
			return
		}
	}
}

// enter notes what the entry contributes and returns the level of its
// children.
func (d *debugInfo) enter(u *unit, e *dwarf.Entry, outer level) level {
	switch e.Tag {
	case dwarf.TagSubprogram:
		p := readSubprogram(e, outer.qualifier)
		if u.rust { // rustc leaves the linkage name out where it is the plain name: #[no_mangle]
			p.qualifier = ""
		}
		u.names[e.Offset] = p
		s := &scope{subprogram: e.Offset, ranges: d.ranges(e)}
		if len(s.ranges) > 0 {
			u.scopes = append(u.scopes, s)
		}
		return level{s, outer.qualifier, p.name}
	case dwarf.TagInlinedSubroutine:
		origin, ok := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset)
		if !ok || outer.scope == nil {
			return outer
		}
		s := &scope{subprogram: origin, ranges: d.ranges(e)}
		s.callFile = integer(e, dwarf.AttrCallFile, -1)
		s.callLine, s.callColumn = integer(e, dwarf.AttrCallLine, 0), integer(e, dwarf.AttrCallColumn, 0)
		if len(s.ranges) > 0 {
			outer.scope.inlined = append(outer.scope.inlined, s)
		}
		return level{s, outer.qualifier, outer.function}
	case dwarf.TagNamespace, dwarf.TagModule:
		return outer.inside(e, "(anonymous namespace)")
	case dwarf.TagClassType, dwarf.TagStructType, dwarf.TagUnionType, dwarf.TagInterfaceType, dwarf.TagEnumerationType:
		return outer.inside(e, "{lambda}")
	}
	return outer
}

// inside is the level of the members of a namespace or class. Of classes
// without name only the closures of lambdas have functions worth naming.
func (l level) inside(e *dwarf.Entry, unnamed string) level {
	name, _ := e.Val(dwarf.AttrName).(string)
	if l.function != "" {
		l.qualifier, l.function = l.qualifier+l.function+"::", ""
	}
	l.qualifier += cmp.Or(name, unnamed) + "::"
	return l
}

// integer is a small constant attribute, otherwise where it is absent or
// makes no sense.
func integer(e *dwarf.Entry, attr dwarf.Attr, otherwise int) int {
	v, ok := e.Val(attr).(int64)
	if !ok || v < 0 || v > 1<<31-1 {
		return otherwise
	}
	return int(v)
}

func readSubprogram(e *dwarf.Entry, qualifier string) *subprogram {
	p := &subprogram{qualifier: qualifier}
	p.name, _ = e.Val(dwarf.AttrName).(string)
	p.linkage, _ = e.Val(dwarf.AttrLinkageName).(string)
	if p.linkage == "" {
		p.linkage, _ = e.Val(attrMIPSLinkageName).(string)
	}
	p.declFile, p.declLine = integer(e, dwarf.AttrDeclFile, -1), integer(e, dwarf.AttrDeclLine, 0)
	if o, ok := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset); ok {
		p.origin = o
	} else if o, ok := e.Val(dwarf.AttrSpecification).(dwarf.Offset); ok {
		p.origin = o
	}
	return p
}

// attrMIPSLinkageName is what DW_AT_linkage_name was before DWARF 4.
const attrMIPSLinkageName = dwarf.Attr(0x2007)

// definition is a subprogram with everything that its chain of origins says.
type definition struct {
	name, linkage string // linkage "" where DWARF has none
	file          string
	line          int
}

// maxOrigins bounds a chain: abstract origin, its specification, and slack.
// Real chains have three; a damaged file can have a circle.
const maxOrigins = 8

// define follows the chain of origins from the entry at off, which may be in
// another unit (LTO). What the definition says wins over the declaration in a
// class; compilers leave out what both have in common.
func (d *debugInfo) define(off dwarf.Offset) definition {
	var def definition
	var plain, qualifier string
	for range maxOrigins {
		u := d.unitOf(off)
		if u == nil {
			break
		}
		d.readScopes(u)
		p := u.names[off]
		if p == nil {
			break
		}
		if plain == "" && p.name != "" {
			plain = p.name
		}
		if p.name != "" {
			qualifier = p.qualifier
		}
		if def.linkage == "" {
			def.linkage = p.linkage
		}
		if def.line == 0 {
			def.line = p.declLine
		}
		if def.file == "" {
			def.file = d.lineTable(u).file(p.declFile)
		}
		if p.origin == 0 {
			break
		}
		off = p.origin
	}
	if def.linkage == "" && plain != "" {
		def.linkage = d.linkage()[qualifier+plain]
	}
	switch {
	case def.linkage != "":
		def.name = demangled(def.linkage)
	case plain != "":
		def.name = qualifier + plain
	}
	return def
}
