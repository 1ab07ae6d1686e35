package symbol

import (
	"cmp"
	"slices"
	"strings"
)

// definition is a subprogram with everything that its chain of origins says.
type definition struct {
	name, linkage string // linkage "" where DWARF has none
	file          string
	line          int
}

// maxOrigins bounds a chain: abstract origin, its specification, and slack.
// Real chains have three; a damaged file can have a circle.
const maxOrigins = 8

// Languages (DWARF 5, table 7.17).
const (
	languageCPlusPlus   = 0x04
	languageCPlusPlus03 = 0x19
	languageCPlusPlus11 = 0x1a
	languageRust        = 0x1c
	languageCPlusPlus14 = 0x21
	languageCPlusPlus17 = 0x2a
	languageCPlusPlus20 = 0x2b
)

// mangles tells whether functions of the unit's language have linkage names
// that differ from theirs.
func (u *unit) mangles() bool {
	switch u.language {
	case languageCPlusPlus, languageCPlusPlus03, languageCPlusPlus11, languageCPlusPlus14, languageCPlusPlus17, languageCPlusPlus20:
		return true
	}
	return false
}

// subprogramAt finds what the entry at off says.
func (u *unit) subprogramAt(off uint32) *subprogram {
	i, ok := slices.BinarySearchFunc(u.subprograms, off, func(p subprogram, off uint32) int { return cmp.Compare(p.offset, off) })
	if !ok {
		return nil
	}
	return &u.subprograms[i]
}

// define follows the chain of origins from the entry at off, which may be in
// another unit (LTO). What the definition says wins over the declaration in a
// class; compilers leave out what both have in common.
func (d *debugInfo) define(off uint32) definition {
	var def definition
	var plain, qualifier string
	var named *unit
	for range maxOrigins {
		u := d.unitOf(off)
		if u == nil {
			break
		}
		d.readScopes(u)
		p := u.subprogramAt(off)
		if p == nil {
			break
		}
		if name := d.text(u, p.name); name != "" {
			plain, named = cmp.Or(plain, name), u
			qualifier = d.qualifier(u, p.within)
		}
		if def.linkage == "" {
			def.linkage = d.text(u, p.linkage)
		}
		if def.line == 0 {
			def.line = p.declLine.integer(0)
		}
		if def.file == "" {
			def.file = d.lineTable(u).file(p.declFile.integer(-1))
		}
		if p.origin == 0 {
			break
		}
		off = p.origin
	}
	if def.linkage == "" && named != nil && named.mangles() {
		def.linkage = d.mangledName(qualifier, plain)
	}
	switch {
	case def.linkage == "" || exported(def.linkage, plain):
		def.name = qualifier + plain
	default:
		def.name = demangled(def.linkage)
		if named != nil && named.language == languageRust && def.name != def.linkage {
			def.name = rustName(def.name, plain)
		}
	}
	return def
}

// exported tells whether a function that is called plain in its source has
// another name for the linker that is no mangled one: by #[export_name], or an
// asm label. Its name is that of the source then, as for any other function.
func exported(linkage, plain string) bool {
	return plain != "" && demangled(linkage) == linkage && linkage != plain && !strings.HasPrefix(linkage, plain+".")
}

// maxQualifiers bounds the namespaces and classes in the name of a function.
const maxQualifiers = 64

// qualifier is what stands before the name of a function: "ns::Class::".
// rustc leaves the linkage name out where it is the plain name (#[no_mangle]),
// so there is none.
func (d *debugInfo) qualifier(u *unit, e *enclosure) string {
	if u.language == languageRust {
		return ""
	}
	var names []string
	for inside := false; e != nil && len(names) < maxQualifiers; e = e.outer {
		if e.function && !inside {
			continue
		}
		inside = !e.function
		names = append(names, cmp.Or(d.text(u, e.name), e.unnamed, "?"))
	}
	if names == nil {
		return ""
	}
	slices.Reverse(names)
	return strings.Join(names, "::") + "::"
}

// mangledName finds the symbol of a C++ function by its name without
// parameters: GCC gives functions of anonymous namespaces and constructors no
// linkage name in DWARF. It is "" where none or several (overloads) have it.
func (d *debugInfo) mangledName(qualifier, plain string) string {
	wanted := qualifier + plain
	if found, ok := d.mangled[wanted]; ok {
		return found
	}
	found := d.image.symbols.mangled(wanted, plain)
	d.mangled[wanted] = found
	return found
}
