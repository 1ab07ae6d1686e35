package unwind

import (
	"math"
	"slices"
)

// how says where a value of the caller is (DWARF 4 §6.4.1). The number that
// goes with it is n.
type how uint8

const (
	unspecified   how = iota // the table says nothing: what the ABI says
	undefined                // lost
	sameValue                // still in the register
	atOffset                 // in memory at CFA + n
	valOffset                // is CFA + n
	inRegister               // in register n
	atExpression             // in memory at the expression's address
	valExpression            // is the expression's value
	fromRegister             // CFA only: register reg + n
	fromMain                 // CFA only: MSP + n, while the process stack is in use

	// Not of DWARF: what the instructions of exception handlers show.
	onProcess // in memory at PSP + n; farBelow: somewhere below PSP
	asMark    // still in the register, if that holds an exception return

	noCaller // CFA only: there is no way out of the code, for the Reason n
)

// farBelow is the distance from PSP of a word that lies somewhere below it.
const farBelow = math.MinInt32

// regRule is the rule of one column.
type regRule struct {
	column uint32
	how    how
	n      int32
	expr   []byte
}

// cfaRule is fromRegister or valExpression; unspecified before the first
// DW_CFA_def_cfa.
type cfaRule struct {
	how  how
	reg  uint32
	n    int32
	expr []byte
}

// row is one line of the virtual unwind table: valid from loc up to the next
// row. regs is sorted by column and never changed in place, so rows share it.
type row struct {
	loc  uint32
	cfa  cfaRule
	regs []regRule
}

// maxColumns bounds the registers of one row: ARM numbers to 319 (d31 is 287).
const maxColumns = 320

func (r *row) find(column uint32) (int, bool) {
	return slices.BinarySearchFunc(r.regs, column, func(x regRule, c uint32) int {
		switch {
		case x.column < c:
			return -1
		case x.column > c:
			return 1
		}
		return 0
	})
}

// rule gives the rule of a column.
func (r *row) rule(column uint32) regRule {
	if i, ok := r.find(column); ok {
		return r.regs[i]
	}
	return regRule{column: column}
}

// with returns the row with the rule of one column replaced.
func (r *row) with(x regRule) row {
	i, ok := r.find(x.column)
	next := *r
	if ok {
		next.regs = slices.Clone(r.regs)
		next.regs[i] = x
		return next
	}
	next.regs = make([]regRule, 0, len(r.regs)+1)
	next.regs = append(next.regs, r.regs[:i]...)
	next.regs = append(next.regs, x)
	next.regs = append(next.regs, r.regs[i:]...)
	return next
}
