package symbol

import "fmt"

// tag of an entry (DWARF 5, table 7.3), those that are read here.
type tag uint16

const (
	tagClassType         tag = 0x02
	tagEnumerationType   tag = 0x04
	tagCompileUnit       tag = 0x11
	tagStructureType     tag = 0x13
	tagUnionType         tag = 0x17
	tagInlinedSubroutine tag = 0x1d
	tagEnumerator        tag = 0x28
	tagModule            tag = 0x1e
	tagSubprogram        tag = 0x2e
	tagInterfaceType     tag = 0x38
	tagNamespace         tag = 0x39
	tagPartialUnit       tag = 0x3c
	tagSkeletonUnit      tag = 0x4a
)

// wanted tells whether anything is read from entries of this tag; of others
// only the length matters.
func (t tag) wanted() bool {
	switch t {
	case tagClassType, tagEnumerationType, tagCompileUnit, tagStructureType, tagUnionType, tagInlinedSubroutine, tagModule,
		tagSubprogram, tagInterfaceType, tagNamespace, tagPartialUnit, tagSkeletonUnit:
		return true
	}
	return false
}

// abbreviation is a declaration of .debug_abbrev (DWARF 5, 7.5.3): what
// attributes the entries with its code have.
type abbreviation struct {
	tag      tag
	children bool
	fields   []field
	fixed    int // bytes that an entry takes behind its code, variable where that depends on the entry
}

type field struct {
	attr     attr
	form     form
	implicit int64
}

// abbreviations is the table of a unit. Compilers number them from 1 on.
type abbreviations struct {
	dense  []abbreviation
	sparse map[uint64]*abbreviation
	err    error // the table ends early
}

func (t *abbreviations) code(n uint64) *abbreviation {
	if n-1 < uint64(len(t.dense)) {
		return &t.dense[n-1]
	}
	return t.sparse[n]
}

// readAbbreviation reads one declaration, its fields into room; code 0 ends the
// table.
func (e encoding) readAbbreviation(c *cursor, room []field) (code uint64, a abbreviation) {
	if code = c.uleb(); code == 0 || c.err != nil {
		return 0, a
	}
	a.tag, a.fields = tag(c.uleb()), room[:0]
	a.children = c.u8() != 0
	for c.err == nil {
		f := field{attr: attr(c.uleb()), form: form(c.uleb())}
		if f.form == formImplicitConst {
			f.implicit = c.sleb()
		}
		if f.attr == 0 && f.form == 0 {
			break
		}
		n, ok := e.size(f.form)
		switch {
		case !ok && c.err == nil:
			c.err = fmt.Errorf("form 0x%x of attribute 0x%x is unknown", uint16(f.form), uint16(f.attr))
		case n == variable || a.fixed == variable:
			a.fixed = variable
		default:
			a.fixed += n
		}
		a.fields = append(a.fields, f)
	}
	return code, a
}

// abbreviationsAt decodes the table at an offset, once for all units that
// share it.
func (d *debugInfo) abbreviationsAt(off uint64, e encoding) (*abbreviations, error) {
	key := abbreviationKey{off, e}
	t, ok := d.abbreviations[key]
	if !ok {
		t = &abbreviations{}
		t.err = d.readAbbreviations(t, off, e)
		d.abbreviations[key] = t
	}
	return t, t.err
}

// readAbbreviations decodes a table. Tables that overlap, as no compiler writes
// them, are limited by the bytes that they take in all.
func (d *debugInfo) readAbbreviations(t *abbreviations, off uint64, e encoding) error {
	c, err := d.abbreviationCursor(off)
	if err != nil {
		return err
	}
	for {
		left := len(c.data)
		at := len(d.sections.abbrev) - left
		code, a := e.readAbbreviation(c, nil)
		if d.abbreviationBytes += left - len(c.data); d.abbreviationBytes > 4*len(d.sections.abbrev)+1<<16 {
			return fmt.Errorf(".debug_abbrev+0x%x: its tables overlap", off)
		}
		switch {
		case c.err != nil:
			return fmt.Errorf(".debug_abbrev+0x%x: %w", at, c.err)
		case code == 0:
			return nil
		case code == uint64(len(t.dense))+1:
			t.dense = append(t.dense, a)
			continue
		case t.sparse == nil:
			t.sparse = map[uint64]*abbreviation{}
		}
		t.sparse[code] = &a
	}
}

type abbreviationKey struct {
	off uint64
	encoding
}

// abbreviationOf finds the declaration of one code without keeping the table;
// it is valid until the next call.
// The heads of all units together may look at limited bytes.
func (d *debugInfo) abbreviationOf(off, code uint64, e encoding) (*abbreviation, error) {
	c, err := d.abbreviationCursor(off)
	if err != nil {
		return nil, err
	}
	for {
		at := uint64(len(d.sections.abbrev) - len(c.data))
		left := len(c.data)
		n, a := e.readAbbreviation(c, d.fields)
		d.fields = a.fields[:0]
		if d.headBytes += left - len(c.data); d.headBytes > 8*len(d.sections.abbrev)+1<<20 {
			return nil, fmt.Errorf(".debug_abbrev+0x%x: its tables overlap", at)
		}
		switch {
		case c.err != nil:
			return nil, fmt.Errorf(".debug_abbrev+0x%x: %w", at, c.err)
		case n == 0:
			return nil, fmt.Errorf(".debug_abbrev+0x%x: code %d is not declared", off, code)
		case n == code:
			found := a
			return &found, nil
		}
	}
}

func (d *debugInfo) abbreviationCursor(off uint64) (*cursor, error) {
	if off >= uint64(len(d.sections.abbrev)) {
		return nil, fmt.Errorf(".debug_abbrev+0x%x: outside of the section (%d bytes)", off, len(d.sections.abbrev))
	}
	return &cursor{data: d.sections.abbrev[off:]}, nil
}
