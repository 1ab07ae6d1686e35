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
	if target := veneerTarget(linkage); target != "" {
		return demangled(target) + " (veneer)"
	}
	return demangle.Filter(guardUnderscores(linkage), demangle.NoClones, demangle.MaxLength(maxDemangled))
}

// veneers are how linkers name the code that they put between a call and a
// function out of its reach or in another instruction set: GNU ld, lld.
var veneers = []struct{ prefix, suffix string }{
	{"__", "_veneer"}, {"__", "_from_thumb"}, {"__", "_from_arm"},
	{"__Thumbv7ABSLongThunk_", ""}, {"__ThumbV7PILongThunk_", ""}, {"__Thumbv6MABSLongThunk_", ""}, {"__Thumbv6MPILongThunk_", ""},
}

// veneerTarget is the function that a veneer leads to, "" for other symbols.
func veneerTarget(symbol string) string {
	for _, v := range veneers {
		if len(symbol) > len(v.prefix)+len(v.suffix) && strings.HasPrefix(symbol, v.prefix) && strings.HasSuffix(symbol, v.suffix) {
			return symbol[len(v.prefix) : len(symbol)-len(v.suffix)]
		}
	}
	return ""
}

// mangled finds the symbol of a C++ function by its qualified name without
// parameters, "" where none or several (overloads) have it. plain is the last
// part of the name, which stands in the mangled one as it is, but for
// constructors (C1), destructors (D1) and operators.
func (t *symbolTable) mangled(qualified, plain string) (found string) {
	for _, f := range t.functions {
		for _, symbol := range f.aliases {
			if !strings.HasPrefix(symbol, "_Z") || !strings.Contains(symbol, plain) && !strings.HasPrefix(plain, "~") && !strings.HasPrefix(plain, "operator") {
				continue
			}
			name, err := demangle.ToString(symbol, demangle.NoParams, demangle.NoRust, demangle.NoClones, demangle.MaxLength(maxDemangled))
			switch {
			case err != nil || name != qualified:
			case found != "" && demangled(found) != demangled(symbol):
				return ""
			default:
				found = symbol
			}
		}
	}
	return found
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
