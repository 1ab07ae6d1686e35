package symbol

import (
	"cmp"
	"slices"
	"strings"
)

// Function is the physical function around pc: by the symbol table, with the
// name and the place of definition that DWARF gives. It reads the DWARF of the
// unit around pc; Bounds does not.
func (im *Image) Function(pc uint32) (Function, bool) {
	at := im.Lookup(pc)
	if len(at) == 0 {
		return Function{}, false
	}
	return at[len(at)-1].Function, true
}

// Bounds is the range of the function symbol around pc. It never reads DWARF.
func (im *Image) Bounds(pc uint32) (Range, bool) {
	if s := im.symbols.at(pc &^ 1); s != nil {
		return s.Range, true
	}
	return Range{}, false
}

// Lookup lists the functions at pc, the innermost inlined one first, the
// physical one last; nil where nothing is known of pc. For a return address
// pass the address before it. The result is kept per pc and not to be
// modified. The first lookup in a compile unit reads its DWARF (about 1 ms for
// 20 kB of .debug_info).
func (im *Image) Lookup(pc uint32) []Location {
	pc &^= 1
	im.mu.Lock()
	defer im.mu.Unlock()
	if at, ok := im.located[pc]; ok {
		return at
	}
	at := im.locate(pc)
	im.located[pc] = at
	return at
}

func (im *Image) locate(pc uint32) []Location {
	if !im.holdsCode(pc) {
		if s := im.symbols.elsewhere(pc); s != nil {
			return []Location{{Function: Function{Name: demangled(s.name), Linkage: s.name, Low: s.Low, High: s.High}}}
		}
		return nil
	}
	symbol := im.symbols.at(pc)
	if d := im.debugData(); d != nil {
		if at := d.locate(pc, symbol); at != nil {
			return at
		}
	}
	if symbol == nil {
		return nil
	}
	return []Location{im.locateAssembly(pc, symbol)}
}

// debugData opens the DWARF once. Callers hold im.mu.
func (im *Image) debugData() *debugInfo {
	if !im.debugOpen {
		im.debugOpen = true
		im.debug, im.debugErr = openDebug(im)
	}
	return im.debug
}

// match says how well an entry's piece of code fits the symbol table.
type match int

const (
	none    match = iota // the symbol there is another function: an entry of dropped code
	bounds               // another name, the same bounds
	unnamed              // no symbol there
	named                // a symbol of that name
)

// candidate is a subprogram entry around an address.
type candidate struct {
	unit  *unit
	scope *scope
	piece Range
	def   definition
	match match
}

// locate unfolds the inlined calls of the best subprogram entry around pc; nil
// where no entry that can be trusted is there.
func (d *debugInfo) locate(pc uint32, symbol *codeSymbol) []Location {
	best := d.best(pc, d.claiming(pc))
	if best.match == none {
		best = d.best(pc, d.silent)
	}
	if best.match == none {
		return nil
	}
	physical := physicalFunction(best.def, best.piece, symbol)
	return d.unfold(best.unit, best.scope.path(pc), physical, pc)
}

// maxCandidates bounds the entries around one address that are considered; of
// dropped code there can be some, where flash is at 0.
const maxCandidates = 1 << 12

// best finds the subprogram entry around pc, of the given units, that fits the
// symbols best; of those that fit alike, the one with the smallest piece.
func (d *debugInfo) best(pc uint32, units []*unit) (best candidate) {
	tried := 0
	for _, u := range units {
		d.readScopes(u)
		u.scopes.around(pc, func(piece Range, s *scope) {
			if tried++; tried > maxCandidates || best.match == named && piece.size() >= best.piece.size() {
				return
			}
			def := d.define(s.subprogram)
			m := d.image.match(piece, def)
			if m > best.match || m == best.match && m != none && piece.size() < best.piece.size() {
				best = candidate{u, s, piece, def, m}
			}
		})
	}
	return best
}

// match compares a piece of a subprogram with the symbols. Linkers leave
// the entries of dropped functions behind, at address 0 plus their offset in
// the dropped section, which on many parts is inside the flash.
func (im *Image) match(piece Range, def definition) match {
	s := im.symbols.at(piece.Low)
	switch {
	case s == nil && (piece.Low > 1 || !im.symbols.present):
		return unnamed
	case s == nil:
		return none
	case slices.ContainsFunc(s.aliases, func(alias string) bool { return sameFunction(alias, def) }):
		return named
	case s.sized && s.Range == piece:
		return bounds
	}
	return none
}

// sameFunction tells whether a symbol can be the function that DWARF
// describes: same linkage name but for a suffix (foo.cold, foo.isra.0), or,
// where DWARF gives no linkage name, a name that is in the mangled one.
func sameFunction(symbol string, def definition) bool {
	if def.linkage != "" {
		return symbol == def.linkage || strings.HasPrefix(symbol, def.linkage+".")
	}
	if symbol == def.name || strings.HasPrefix(symbol, def.name+".") {
		return true
	}
	plain := def.name[strings.LastIndexByte(def.name, ':')+1:]
	return plain != "" && strings.HasPrefix(symbol, "_Z") && strings.Contains(symbol, plain)
}

// physicalFunction joins what the symbol table and DWARF say.
func physicalFunction(def definition, piece Range, symbol *codeSymbol) Function {
	f := Function{Name: def.name, Linkage: def.linkage, Low: piece.Low, High: piece.High, File: def.file, Line: def.line}
	if symbol != nil && symbol.Low <= piece.Low {
		f.Low, f.High = symbol.Low, symbol.High
		f.Linkage = symbol.name
		if i := slices.IndexFunc(symbol.aliases, func(alias string) bool { return sameFunction(alias, def) }); i >= 0 {
			f.Linkage = symbol.aliases[i]
		}
	}
	f.Linkage = cmp.Or(f.Linkage, def.name)
	f.Name = cmp.Or(f.Name, demangled(f.Linkage))
	return f
}

// unfold makes locations of a path of scopes, physical first: the innermost
// executes the line of the instruction, each other one its call of the next.
func (d *debugInfo) unfold(u *unit, path []*scope, physical Function, pc uint32) []Location {
	table := d.lineTable(u)
	at := make([]Location, 0, len(path))
	for i := len(path) - 1; i >= 0; i-- {
		l := Location{Function: physical, Inlined: i > 0}
		if i > 0 {
			def := d.define(path[i].subprogram)
			l.Name, l.Linkage = def.name, cmp.Or(def.linkage, def.name)
			l.File, l.Line = def.file, def.line
		}
		if i == len(path)-1 {
			if row, ok := table.at(pc, Range{physical.Low, physical.High}); ok {
				l.CallFile, l.CallLine, l.CallColumn = table.file(int(row.file)), int(row.line), int(row.column)
			}
		} else {
			inner := path[i+1]
			l.CallFile, l.CallLine, l.CallColumn = table.file(inner.callFile), inner.callLine, inner.callColumn
		}
		at = append(at, l)
	}
	return at
}

// locateAssembly is for code without a subprogram entry: the symbol, and the
// line where a unit without any subprogram (assembler) has one.
func (im *Image) locateAssembly(pc uint32, symbol *codeSymbol) Location {
	l := Location{Function: Function{Name: demangled(symbol.name), Linkage: symbol.name, Low: symbol.Low, High: symbol.High}}
	d := im.debugData()
	if d == nil {
		return l
	}
	for _, u := range d.covering(pc) {
		if len(u.scopes.list) > 0 {
			continue
		}
		table := d.lineTable(u)
		row, ok := table.at(pc, symbol.Range)
		if !ok {
			continue
		}
		l.CallFile, l.CallLine, l.CallColumn = table.file(int(row.file)), int(row.line), int(row.column)
		if start, ok := table.at(symbol.Low, symbol.Range); ok {
			l.File, l.Line = table.file(int(start.file)), int(start.line)
		}
		break
	}
	return l
}
