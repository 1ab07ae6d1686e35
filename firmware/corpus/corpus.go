// Package corpus builds programs that show every shape of stack that firmware
// has, each in many ways: two compilers, five optimisations, four processors.
// In: the sources and the Makefile beside this file, and the compilers. Out:
// paths of ELF files, for tests.
//
// All run on the simulated board and on QEMU's mps2-an385 and mps2-an386: code
// and vectors at 0, RAM at 0x20000000, no peripherals but those of the core.
// Each executes some 10^5 instructions and ends in the function Done.
package corpus

import (
	"fmt"
	"strings"
)

// Done is the function in which every program ends, an endless loop.
const Done = "corpus_done"

// Program is one program of the corpus, built in one way.
type Program struct {
	Source   string // calls, library, ...: SOURCES_ in the Makefile
	Compiler string // gcc or clang
	Opt      string // O0, Og, Os, O2, O3
	CPU      string // m0plus, m3, m4, m4f (hard float)
	LTO      bool   // link-time optimisation
	FP       bool   // -fno-omit-frame-pointer
	Nano     bool   // newlib-nano in place of newlib
	Tables   bool   // -funwind-tables: .ARM.exidx for C, too
}

// String is the name of the program: calls/clang-O2-m4f-lto-fp.
func (p Program) String() string {
	s := fmt.Sprintf("%s/%s-%s-%s", p.Source, p.Compiler, p.Opt, p.CPU)
	for _, f := range p.flags() {
		if *f.set {
			s += "-" + f.name
		}
	}
	return s
}

type flag struct {
	name, variable, value string
	set                   *bool
}

// flags are the parts of a name that may be absent, and the variables of the
// Makefile that they stand for.
func (p *Program) flags() []flag {
	return []flag{{"lto", "LTO", "yes", &p.LTO}, {"fp", "FP", "yes", &p.FP}, {"nano", "LIBRARY", "nano", &p.Nano}, {"tables", "TABLES", "yes", &p.Tables}}
}

// parse reads a name without its source.
func parse(source, variant string) Program {
	part := strings.Split(variant, "-")
	p := Program{Source: source, Compiler: part[0], Opt: part[1], CPU: part[2]}
	for _, name := range part[3:] {
		for _, f := range p.flags() {
			if f.name == name {
				*f.set = true
			}
		}
	}
	return p
}

// Clang says whether any clang is needed; gcc is needed always.
func (p Program) Clang() bool { return p.Compiler == "clang" }

// Bare says that the program is about hand-written code without call frame
// information: it spends much of its time there.
func (p Program) Bare() bool { return p.Source == "bare" || p.Source == "threads" }
