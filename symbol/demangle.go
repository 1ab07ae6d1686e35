package symbol

import (
	"strconv"
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// maxDemangled bounds a demangled name to 2^14 bytes: mangled names can grow
// exponentially.
const maxDemangled = 14

// demangled turns a C++ or Rust linkage name into what its author wrote; any
// other name comes back as it is. Rust's legacy hash goes, and so do the clone
// suffixes of C++ (.constprop.0): DWARF names have none either.
func demangled(linkage string) string {
	return demangle.Filter(guardUnderscores(linkage), demangle.NoClones, demangle.MaxLength(maxDemangled))
}

// linkageIndex finds mangled symbols by their demangled name without
// parameters. GCC gives functions of anonymous namespaces and constructors no
// linkage name in DWARF.
type linkageIndex map[string]string

// newLinkageIndex indexes the C++ functions; names that several symbols share
// (overloads) lead to "".
func newLinkageIndex(functions []codeSymbol) linkageIndex {
	index := linkageIndex{}
	for _, f := range functions {
		for _, symbol := range f.aliases {
			if !strings.HasPrefix(symbol, "_Z") {
				continue
			}
			plain, err := demangle.ToString(symbol, demangle.NoParams, demangle.NoRust, demangle.NoClones, demangle.MaxLength(maxDemangled))
			if err != nil {
				continue
			}
			if other, taken := index[plain]; taken && demangled(other) != demangled(symbol) {
				symbol = ""
			}
			index[plain] = symbol
		}
	}
	return index
}

// legacyHash is what the last element of a legacy Rust name looks like: 17
// bytes, "h" and 16 hex digits.
const legacyHash = "17h0123456789abcdefE"

// guardUnderscores keeps the leading underscore of identifiers in legacy Rust
// names (__cortex_m_rt_main): demangle takes it for a separator and drops it,
// which is right only before "$" (rustc symbol names, legacy scheme). Each
// such identifier gets a second one to drop.
func guardUnderscores(name string) string {
	if !strings.HasPrefix(name, "_ZN") || !strings.Contains(name, "_") || len(name) < len(legacyHash)+3 ||
		!strings.HasPrefix(name[len(name)-len(legacyHash):], "17h") {
		return name
	}
	var out strings.Builder
	out.WriteString("_ZN")
	rest := name[3:]
	for {
		digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
		n, err := strconv.Atoi(rest[:digits])
		if err != nil || n > len(rest)-digits {
			out.WriteString(rest)
			return out.String()
		}
		id := rest[digits : digits+n]
		if strings.HasPrefix(id, "_") && !strings.HasPrefix(id, "_$") {
			id = "_" + id
		}
		out.WriteString(strconv.Itoa(len(id)))
		out.WriteString(id)
		rest = rest[digits+n:]
	}
}
