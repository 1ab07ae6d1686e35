package unwind

import "github.com/mprof/mprof/snapshot"

// maxRegisters is the largest number of registers that a machine has.
const maxRegisters = 32

// machine is what the engine needs to know of an architecture: DWARF's
// register numbers and the rules of its calling standard, as data.
type machine struct {
	columns  uint32         // DWARF registers 0..columns-1 are followed
	sp       uint32         // column of the stack pointer
	link     uint32         // column of the register that a call puts the return address into
	kept     uint32         // columns that keep their values across a call if no rule names them
	handlers uint32         // columns that the handlers of traps keep, too, and that matter to the code which they interrupt
	align    uint32         // the stack pointer is a multiple of it
	codeMask uint32         // clears what a return address carries beside the address
	codeBit  uint32         // and this bit of it is always set
	capture  []snapshot.Reg // of each column
	pc       snapshot.Reg
	chain    *framePointer // nil: no frame pointer makes a chain
	ends     []uint32      // return addresses that mean that there is no caller, after codeMask

	// calls tells how the code before a return address looks.
	// For a direct call, target is where it leads.
	calls func(c *code, ra uint32) (site callSite, target uint32)
	// branch decodes a direct call or unconditional jump: w is the eight bytes
	// at addr, little-endian, zero where there is no more code.
	branch func(addr uint32, w uint64) (target uint32, ok bool)
	// boundary tells a return address that is none: the mark that an exception
	// entry leaves for its handler. nil: there is none.
	boundary func(ra uint32) bool
	// cross goes from a handler to what it interrupted: b is the frame between
	// the two, mark the return address that led here. nil: no handler is known.
	cross func(w *walk, b *Frame, mark uint32) (Stop, bool)
	// trap tells whether the function in fn is entered by a trap and returns by
	// an instruction of its own, so that no return address tells. nil: none does.
	trap func(c *code, fn Range) bool
	// special goes on from a return address that is none but leads elsewhere than
	// to an exception. handled is false where it is an ordinary one. nil: all are.
	special func(w *walk, ra uint32) (stop Stop, ok, handled bool)
	// helper gives the rule at pc in a routine that does a part of the prologue or
	// epilogue of others, which is no function by the calling standard. nil: there
	// is none.
	helper func(c *code, fn Range, pc uint32) (Rule, bool)
	// step applies the effect of the instruction at addr to f. nil: code
	// without call frame information cannot be analysed.
	step func(c *code, f *frameState, addr uint32) (to flow, ok bool)
}

// machines are those that programs can be for.
var machines = [snapshot.NumArchs]*machine{snapshot.CortexM: &armM, snapshot.RV32: &rv32}

// callSite is what the code before a return address is.
type callSite uint8

const (
	noCall       callSite = iota // something else
	directCall                   // a call to a known address
	indirectCall                 // a call through a register
	unreadable                   // not in the image
)

// registers holds the values of one frame by DWARF column.
type registers struct {
	value [maxRegisters]uint32
	have  uint32
}

func (r *registers) get(column uint32) (uint32, bool) {
	if column >= maxRegisters {
		return 0, false
	}
	return r.value[column], r.have&(1<<column) != 0
}

func (r *registers) set(column, v uint32) {
	r.value[column] = v
	r.have |= 1 << column
}

// load takes the registers of a snapshot.
func (m *machine) load(r *registers, s *snapshot.Snapshot) {
	r.have = 0
	for column, reg := range m.capture {
		if v, ok := s.Regs.Value(reg); ok {
			r.set(uint32(column), v)
		}
	}
}
