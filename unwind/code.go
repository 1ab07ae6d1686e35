package unwind

import (
	"encoding/binary"
	"sort"
)

// code answers what the unwinder asks of the program's image.
type code struct {
	p     *Program
	m     *machine
	buf   [4]byte
	gp    *content    // see global
	calls callTargets // nil until asked for
	gates gateways    // likewise

	analysed  *frameCache
	returning map[uint32]bool // entries of functions, and whether they return
	handing   map[uint32]bool // and whether they jump elsewhere
	tailCalls map[tailCall]bool
}

// contains tells whether addr is in an executable section.
func (c *code) contains(addr uint32) bool { return c.at(addr).Contains(addr) }

// holds tells whether [low, high) is in one executable section.
func (c *code) holds(low, high uint32) bool {
	r := c.at(low)
	return r.Contains(low) && high <= r.High
}

func (c *code) at(addr uint32) Range {
	n := sort.Search(len(c.p.Code), func(i int) bool { return c.p.Code[i].High > addr })
	if n == len(c.p.Code) {
		return Range{}
	}
	return c.p.Code[n]
}

func (c *code) half(addr uint32) (uint16, bool) {
	if c.p.ReadCode == nil || !c.p.ReadCode(addr, c.buf[:2]) {
		return 0, false
	}
	return binary.LittleEndian.Uint16(c.buf[:]), true
}

func (c *code) word(addr uint32) (uint32, bool) {
	if c.p.ReadCode == nil || !c.p.ReadCode(addr, c.buf[:4]) {
		return 0, false
	}
	return binary.LittleEndian.Uint32(c.buf[:]), true
}

// function gives the bounds of the function symbol around pc.
func (c *code) function(pc uint32) (Range, bool) {
	if c.p.Function == nil {
		return Range{}, false
	}
	return c.p.Function(pc)
}

// outermost tells whether pc lies in a function that has no caller. Without a
// symbol the function is taken to be the FDE around it, r.
func (c *code) outermost(pc uint32, r Range) bool {
	if f, ok := c.function(pc); ok {
		r = f
	}
	for _, entry := range c.p.Outermost {
		if r.Contains(entry & c.m.codeMask) {
			return true
		}
	}
	return false
}
