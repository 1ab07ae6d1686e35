package profile

import "strings"

// Rows builds the tables of a profile whose functions have names already: one that
// was read from a file. Equal rows are one, in the order of first use.
type Rows struct {
	profile Profile
	tables  tables
}

// NewRows starts without any.
func NewRows() *Rows {
	r := &Rows{}
	r.tables = newTables(&r.profile)
	return r
}

// Function is the row of f. Without a file and a label, functions of one name are told
// apart by the address of their code.
func (r *Rows) Function(f Function, addr uint32) FunctionIndex {
	f.Name = strings.ToValidUTF8(f.Name, "\uFFFD")
	return r.tables.function(f, addr)
}

// Symbol is the row of s.
func (r *Rows) Symbol(s Symbol) SymbolIndex { return r.tables.symbol(s) }

// Frame is the row of f.
func (r *Rows) Frame(f Frame) FrameIndex { return r.tables.frame(f) }

// Stack is the row of a stack that ends with f.
func (r *Rows) Stack(caller StackIndex, f FrameIndex) StackIndex { return r.tables.stack(caller, f) }

// Stacks counts the rows of stacks.
func (r *Rows) Stacks() int { return len(r.profile.Stacks) }

// Functions is how many different ones there are.
func (r *Rows) Functions() int { return len(r.profile.Functions) }

// Finish returns a profile of the tables alone, whose names are unique. The rows are
// used up.
func (r *Rows) Finish() *Profile {
	r.tables.uniqueNames()
	return &r.profile
}
