package symbol

import "fmt"

// attr is the name of an attribute (DWARF 5, table 7.5).
type attr uint16

const (
	attrName           attr = 0x03
	attrStmtList       attr = 0x10
	attrLowPC          attr = 0x11
	attrHighPC         attr = 0x12
	attrLanguage       attr = 0x13
	attrConstValue     attr = 0x1c
	attrCompDir        attr = 0x1b
	attrProducer       attr = 0x25
	attrAbstractOrigin attr = 0x31
	attrDeclFile       attr = 0x3a
	attrDeclLine       attr = 0x3b
	attrSpecification  attr = 0x47
	attrRanges         attr = 0x55
	attrCallColumn     attr = 0x57
	attrCallFile       attr = 0x58
	attrCallLine       attr = 0x59
	attrLinkageName    attr = 0x6e
	attrStrOffsetsBase attr = 0x72
	attrAddrBase       attr = 0x73
	attrRnglistsBase   attr = 0x74

	attrMIPSLinkageName attr = 0x2007 // what DW_AT_linkage_name was before DWARF 4
	attrGNURangesBase   attr = 0x2132
	attrGNUAddrBase     attr = 0x2133
)

// entry is a debugging information entry (DIE) with the attributes that
// symbolisation needs, undecoded.
type entry struct {
	offset   uint32 // in .debug_info
	tag      tag
	children bool

	name, linkage                  value
	constValue                     value // of an enumerator
	low, high, ranges              value
	origin, specification          value
	declFile, declLine             value
	callFile, callLine, callColumn value

	unit unitAttributes
}

// unitAttributes stand in the first entry of a unit only.
type unitAttributes struct {
	producer, compDir, stmtList, language value
	strOffsets, addrBase, rnglists        value
}

// keep notes the value of an attribute.
func (e *entry) keep(a attr, v value) {
	switch a {
	case attrName:
		e.name = v
	case attrLinkageName, attrMIPSLinkageName:
		e.linkage = v
	case attrConstValue:
		e.constValue = v
	case attrLowPC:
		e.low = v
	case attrHighPC:
		e.high = v
	case attrRanges:
		e.ranges = v
	case attrAbstractOrigin:
		e.origin = v
	case attrSpecification:
		e.specification = v
	case attrDeclFile:
		e.declFile = v
	case attrDeclLine:
		e.declLine = v
	case attrCallFile:
		e.callFile = v
	case attrCallLine:
		e.callLine = v
	case attrCallColumn:
		e.callColumn = v
	default:
		e.unit.keep(a, v)
	}
}

func (u *unitAttributes) keep(a attr, v value) {
	switch a {
	case attrProducer:
		u.producer = v
	case attrCompDir:
		u.compDir = v
	case attrStmtList:
		u.stmtList = v
	case attrLanguage:
		u.language = v
	case attrStrOffsetsBase:
		u.strOffsets = v
	case attrAddrBase, attrGNUAddrBase:
		u.addrBase = v
	case attrRnglistsBase:
		u.rnglists = v
	}
}

// entries reads the entries of a unit one after the other.
type entries struct {
	unit  *unit
	table *abbreviations
	c     cursor
	end   uint64 // offset in .debug_info of what follows c.data

	enumerators bool // are wanted, too
}

// next reads an entry. tag 0 ends a list of children; ok is false at the end
// of the unit, and where entry or abbreviation are damaged, which err says.
// Entries of no interest come with their tag alone.
func (r *entries) next(e *entry) (ok bool, err error) {
	if len(r.c.data) == 0 {
		return false, nil
	}
	at := r.end - uint64(len(r.c.data))
	*e = entry{offset: uint32(at)}
	code := r.c.uleb()
	if code == 0 && r.c.err == nil {
		return true, nil
	}
	a := r.table.code(code)
	if a == nil && r.c.err == nil {
		return false, fmt.Errorf(".debug_info+0x%x: abbreviation %d is not declared", at, code)
	}
	if r.c.err == nil {
		r.unit.readEntry(&r.c, r.end, a, e, a.tag.wanted() || r.enumerators && a.tag == tagEnumerator)
	}
	if r.c.err != nil {
		return false, fmt.Errorf(".debug_info+0x%x: %w", at, r.c.err)
	}
	return true, nil
}

// readEntry reads the attributes of an entry, if they are wanted; end is the
// offset behind c.data.
func (u *unit) readEntry(c *cursor, end uint64, a *abbreviation, e *entry, wanted bool) {
	e.tag, e.children = a.tag, a.children
	if a.fixed != variable && !wanted {
		c.bytes(uint64(a.fixed))
		return
	}
	for i := range a.fields {
		f := &a.fields[i]
		v := u.encoding.read(c, f.form, f.implicit, end-uint64(len(c.data)))
		if wanted {
			e.keep(f.attr, v)
		}
	}
}

// reference is the entry that a value leads to, 0 where it leads to none in
// this .debug_info (DWARF 5, 7.5.5.5).
func (u *unit) reference(v value) uint32 {
	switch v.form {
	case formRef1, formRef2, formRef4, formRef8, formRefUdata:
		if v.n < uint64(u.end-u.header) {
			return u.header + uint32(v.n)
		}
	case formRefAddr:
		if v.n < 1<<32 {
			return uint32(v.n)
		}
	}
	return 0
}

// integer is a small constant, otherwise where it is absent or makes no sense.
func (v value) integer(otherwise int) int {
	switch v.form {
	case formData1, formData2, formData4, formData8, formUdata, formSdata, formImplicitConst:
		if v.n <= 1<<31-1 {
			return int(v.n)
		}
	}
	return otherwise
}

// offset into a section: DW_FORM_sec_offset, before DWARF 4 a constant.
func (v value) offset() (uint64, bool) {
	switch v.form {
	case formSecOffset, formData4, formData8:
		return v.n, true
	}
	return 0, false
}
