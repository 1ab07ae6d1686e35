package symboltest

import (
	"encoding/binary"
	"fmt"
)

const (
	flash        = 0x08000000
	ramTop       = 0x20010000
	vectorWords  = 16
	functionSize = 64 // bytes of code
	perUnit      = 8  // functions
	inlines      = 4  // abstract functions of a unit
	frameSize    = 24 // bytes of stack
	bodyAt       = 8  // an address past the prologue
	callAt       = 32 // of the call instruction
)

// Program is an ELF file and a stack of it.
type Program struct {
	ELF   []byte
	DWARF int // bytes of its debug sections
	PC    uint32
	SP    uint32
	Stack []byte   // memory from SP on
	Names []string // of the stack, innermost first, inlined ones marked by a leading "+"
}

// large is a program being made.
type large struct {
	units                                                                int
	text, frame, info, abbrev, str, line, rnglists, aranges, locs, names writer
	symbols                                                              writer
	strings                                                              map[string]uint32
}

// Large makes a program of compile units as a compiler writes them (DWARF 5):
// each with its own abbreviations, types, 8 functions with parameters,
// variables and inlined calls, line table, range list and .debug_aranges; with
// call frame information and symbols. A unit has about 10 kB of DWARF. The
// stack is depth functions of as many units.
func Large(units, depth int) Program {
	l := &large{units: units, strings: map[string]uint32{}}
	l.names.u8(0)
	l.symbols.data = make([]byte, 16)
	l.code()
	l.frames()
	l.rnglistsHeader()
	for u := range units {
		l.unit(u)
	}
	l.rnglists.end(0)
	const debug = typeProgbits
	sections := []section{
		{name: ".text", typ: typeProgbits, flags: flagAlloc | flagExec, addr: flash, data: l.text.data},
		{name: ".symtab", typ: typeSymtab, link: 3, entsize: 16, info: 1, data: l.symbols.data},
		{name: ".strtab", typ: typeStrtab, data: l.names.data},
	}
	for _, s := range []struct {
		name string
		w    *writer
	}{{"frame", &l.frame}, {"info", &l.info}, {"abbrev", &l.abbrev}, {"str", &l.str}, {"line", &l.line},
		{"rnglists", &l.rnglists}, {"aranges", &l.aranges}, {"loclists", &l.locs}} {
		sections = append(sections, section{name: ".debug_" + s.name, typ: debug, data: s.w.data})
	}
	p := Program{ELF: assemble(sections, l.low(0)|1)}
	for _, s := range sections[3:] {
		p.DWARF += len(s.data)
	}
	l.stack(&p, depth)
	return p
}

func (l *large) functions() int { return l.units * perUnit }

// low is where a function starts.
func (l *large) low(i int) uint32 { return flash + 4*vectorWords + uint32(i)*functionSize }

// callee is whom a function calls: one of another unit, so that a chain of
// calls from function 0 visits many.
func (l *large) callee(i int) int { return (i + (l.units/16*perUnit+3)*1) % l.functions() }

func (l *large) name(i int) string { return fmt.Sprintf("module_%d_function_%d", i/perUnit, i%perUnit) }

// stack calls from function 0, the reset handler, inwards.
func (l *large) stack(p *Program, depth int) {
	chain := []int{0}
	for len(chain) < depth {
		chain = append(chain, l.callee(chain[len(chain)-1]))
	}
	p.SP = ramTop - uint32(depth)*frameSize
	p.PC = l.low(chain[depth-1]) + bodyAt
	for n := depth - 1; n >= 0; n-- {
		frame := make([]byte, frameSize)
		binary.LittleEndian.PutUint32(frame[frameSize-4:], 0xffffffff)
		if n > 0 {
			binary.LittleEndian.PutUint32(frame[frameSize-4:], (l.low(chain[n-1])+callAt+4)|1)
		}
		p.Stack = append(p.Stack, frame...)
		unit := chain[n] / perUnit
		if n == depth-1 { // the body is two inlined calls deep
			p.Names = append(p.Names, fmt.Sprintf("+module_%d_inner", unit), fmt.Sprintf("+module_%d_outer", unit))
		} else {
			p.Names = append(p.Names, fmt.Sprintf("+module_%d_calls", unit))
		}
		p.Names = append(p.Names, l.name(chain[n]))
	}
}

// code writes the vector table and functions: push {r4, lr}; sub sp, #16; ...;
// bl; ...; add sp, #16; pop {r4, pc}.
func (l *large) code() {
	t := &l.text
	t.u32(ramTop)
	for range vectorWords - 1 {
		t.u32(l.low(0) | 1)
	}
	for i := range l.functions() {
		low := l.low(i)
		t.u16(0xb510)
		t.u16(0xb084)
		for range callAt/2 - 2 {
			t.u16(0xbf00)
		}
		off := l.low(l.callee(i)) - (low + callAt + 4)
		j1, j2 := ^(off>>23^off>>31)&1, ^(off>>22^off>>31)&1
		t.u16(uint16(0xf000 | off>>31<<10 | off>>12&0x3ff))
		t.u16(uint16(0xd000 | j1<<13 | j2<<11 | off>>1&0x7ff))
		for range (functionSize-callAt)/2 - 4 {
			t.u16(0xbf00)
		}
		t.u16(0xb004)
		t.u16(0xbd10)
		l.symbols.u32(l.names.len())
		l.symbols.u32(low | 1)
		l.symbols.u32(functionSize)
		l.symbols.u8(0x12, 0) // global function
		l.symbols.u16(1)
		l.names.cstring(l.name(i))
	}
}

// frames writes a CIE and an FDE for each function.
func (l *large) frames() {
	f := &l.frame
	at := f.begin()
	f.u32(0xffffffff)
	f.u8(1, 0, 2, 0x7c, 14, 0x0c, 13, 0) // version 1; code 2, data -4, RA 14; CFA = r13+0
	f.align(4)
	f.end(at)
	for i := range l.functions() {
		at := f.begin()
		f.u32(0)
		f.u32(l.low(i))
		f.u32(functionSize)
		f.u8(0x41, 0x0e, 8, 0x84, 2, 0x8e, 1, 0x41, 0x0e, 24) // after push, after sub
		f.u8(0x40|(functionSize-8)/2, 0x0e, 8)                // after add
		f.align(4)
		f.end(at)
	}
}

// string puts s into .debug_str, once, and returns its offset.
func (l *large) string(s string) uint32 {
	off, ok := l.strings[s]
	if !ok {
		off = l.str.len()
		l.strings[s] = off
		l.str.cstring(s)
	}
	return off
}
