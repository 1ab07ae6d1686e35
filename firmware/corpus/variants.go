package corpus

import "strings"

// variants lists in which ways each program is built: every pair of compiler
// and optimisation for the programs that compilers make frames for, and
// processors, libraries and flags spread over them.
var variants = []struct{ source, ways string }{
	{"calls", `gcc-O0-m0plus-nano gcc-Og-m3-nano gcc-Os-m0plus-nano gcc-O2-m4 gcc-O3-m4 gcc-O2-m0plus-tables gcc-O0-m4-fp gcc-Os-m3-lto
		gcc-O2-m4-lto gcc-O2-m4-fp-tables gcc-O3-m4f gcc-Os-m3-tables
		clang-O0-m4 clang-Og-m3 clang-Os-m0plus-nano clang-O2-m4 clang-O3-m4f clang-O0-m0plus-fp clang-O2-m3-fp-tables clang-O2-m4-lto
		clang-O3-m0plus clang-Os-m4-tables`},
	{"library", `gcc-O0-m3 gcc-Og-m0plus gcc-Os-m4-nano gcc-O2-m4 gcc-O3-m0plus-nano gcc-Os-m0plus-fp gcc-O2-m3-lto gcc-O2-m4f-tables
		clang-O0-m0plus-nano clang-Og-m4f clang-Os-m4 clang-O2-m3 clang-O3-m4-fp clang-O2-m0plus-lto`},
	{"interrupts", `gcc-O0-m4 gcc-Og-m0plus gcc-Os-m3 gcc-O2-m0plus gcc-O2-m4f gcc-O3-m4-lto gcc-O2-m3-fp
		clang-O0-m3 clang-Os-m0plus clang-O2-m4 clang-O3-m4-fp clang-Og-m4f`},
	{"threads", `gcc-O0-m0plus gcc-Og-m4 gcc-Os-m3-fp gcc-O2-m4 gcc-O2-m4f gcc-O3-m0plus gcc-Os-m4f-lto
		clang-O0-m4 clang-Os-m0plus clang-O2-m4f clang-O3-m3`},
	{"floats", `gcc-O0-m4f gcc-Og-m4f gcc-Os-m4f gcc-O2-m4f gcc-O3-m4f gcc-O2-m4f-lto gcc-O2-m4 gcc-Os-m0plus gcc-O2-m4f-fp-tables
		clang-O0-m4f clang-Og-m4f clang-Os-m4f clang-O2-m4f clang-O3-m4f-fp clang-O2-m4f-lto clang-O2-m3`},
	{"objects", `gcc-O0-m4 gcc-Og-m3 gcc-Os-m0plus gcc-O2-m4 gcc-O3-m4f gcc-O2-m4-lto gcc-Os-m4-fp
		clang-O0-m0plus clang-Og-m4f clang-Os-m4 clang-O2-m4 clang-O3-m3-fp clang-O2-m4-lto`},
	{"bare", `gcc-O0-m4 gcc-Os-m0plus gcc-O2-m3 gcc-O2-m4 gcc-O2-m4f gcc-O3-m0plus-fp clang-O2-m4 clang-Os-m0plus clang-O0-m3-fp`},
	{"described", `gcc-O0-m0plus gcc-Os-m3 gcc-O2-m4 gcc-O3-m4f clang-O2-m4 clang-Os-m0plus-fp`},
}

// All is the whole corpus.
func All() (all []Program) {
	for _, v := range variants {
		for _, way := range strings.Fields(v.ways) {
			all = append(all, parse(v.source, way))
		}
	}
	return all
}

// Some is a part of All with every source, compiler, optimisation and
// processor in it: one program of each source where few is set, else one of
// each source and compiler.
func Some(few bool) (some []Program) {
	for i, v := range variants {
		compilers := []string{"gcc", "clang"}
		if few {
			compilers = compilers[i%2:][:1]
		}
		for j, compiler := range compilers {
			var of []Program
			for _, way := range strings.Fields(v.ways) {
				if p := parse(v.source, way); p.Compiler == compiler {
					of = append(of, p)
				}
			}
			some = append(some, of[(i+j)%len(of)])
		}
	}
	return some
}
