package export

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mprof/mprof/profile"
)

// gmonSymbol is a row of the table: code from Addr to the next row.
type gmonSymbol struct {
	addr  uint32
	name  string
	entry bool // addr is where it begins
}

// WriteGmonSymbols writes the functions of a profile as a symbol table for gprof: lines as nm
// prints them, for gprof --external-symbol-table (-S). With it gprof names all code as the
// profile does. By itself it takes no local symbols with a dot in their names (clones such
// as parse.isra.0), none of code in .data, and none where two are at one address as one would like; their
// time goes to the function before, and that of the last symbol of all is lost (gprof
// 2.40, corefile.c and hist.c).
func WriteGmonSymbols(w io.Writer, p *profile.Profile) error {
	if err := p.Check(); err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	for _, s := range gmonSymbols(p) {
		fmt.Fprintf(b, "%08x T %s\n", s.addr, s.name)
	}
	return b.Flush()
}

// gmonSymbols lists what has code, what calls it that is no function, and a last one, by address.
// Of a function whose bounds are not known, as in a file of pprof, the row begins at the first address
// that was seen.
func gmonSymbols(p *profile.Profile) []gmonSymbol {
	all := []gmonSymbol{{addr: lastRoot + 2, name: "<end>"}}
	for _, f := range p.Frames {
		function := &p.Functions[f.Function]
		switch {
		case f.Symbol != profile.None:
			s := &p.Symbols[f.Symbol]
			all = append(all, gmonSymbol{s.Low &^ 1, gmonName(cmp.Or(s.Name, function.Name)), true})
		case f.Depth == 0 && f.Addr != 0 && f.Addr < endRoots:
			all = append(all, gmonSymbol{f.Addr &^ 1, gmonName(cmp.Or(function.Linkage, function.Name)), false})
		}
	}
	for name, addr := range gmonRoots(p) {
		all = append(all, gmonSymbol{addr, gmonName(name), true})
	}
	slices.SortFunc(all, func(a, b gmonSymbol) int { return cmp.Or(cmp.Compare(a.addr, b.addr), cmp.Compare(a.name, b.name)) })
	return slices.CompactFunc(all, func(a, b gmonSymbol) bool { return a.addr == b.addr || !b.entry && a.name == b.name })
}

// gmonNameLimit is below the length of a line that gprof reads.
const gmonNameLimit = 900

// gmonName is a name without blanks, which end it.
func gmonName(name string) string {
	name = strings.Join(strings.Fields(name), "_")
	return name[:min(len(name), gmonNameLimit)]
}
