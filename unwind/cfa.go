package unwind

import (
	"errors"
	"fmt"
)

var (
	errNoState   = errors.New("DW_CFA_restore_state without DW_CFA_remember_state")
	errStates    = errors.New("too many remembered states")
	errColumns   = errors.New("too many columns")
	errNoCFA     = errors.New("CFA changed before it is defined as register and offset")
	errBackwards = errors.New("location goes backwards")
	errRestore   = errors.New("DW_CFA_restore in a CIE")
	errAdvance   = errors.New("location advances in a CIE")
)

// maxStates bounds DW_CFA_remember_state.
const maxStates = 64

// interpreter runs call frame instructions (DWARF 4 §6.4.2) and hands over a
// row whenever the location advances.
type interpreter struct {
	cursor
	sec     *section
	cie     *cie
	initial *row // nil while the CIE's own instructions run
	row     row
	states  []row
	emit    func(r row, end uint32) bool // false stops
	stopped bool
}

// rows runs an FDE from the CIE's initial row and emits every row, which is
// valid for [row.loc, end), in order of location. Rows before an error are
// right: nothing behind them changes them.
func (s *section) rows(f *fde, emit func(r row, end uint32) bool) error {
	if f.cie.initial == nil {
		in := interpreter{cursor: newCursor(s.name, s.data), sec: s, cie: f.cie}
		in.off, in.end = f.cie.begin, f.cie.end
		if err := in.run(); err != nil {
			return err
		}
		initial := in.row
		f.cie.initial = &initial
	}
	in := interpreter{cursor: newCursor(s.name, s.data), sec: s, cie: f.cie, initial: f.cie.initial, row: *f.cie.initial, emit: emit}
	in.row.loc = f.low
	in.off, in.end = f.begin, f.end
	if err := in.run(); err != nil {
		return err
	}
	if !in.stopped {
		emit(in.row, max(f.high, in.row.loc))
	}
	return nil
}

func (in *interpreter) run() error {
	for in.more() && !in.stopped {
		at := in.off
		in.step(in.u8())
		if len(in.row.regs) > maxColumns {
			in.off = at
			in.fail(errColumns)
		}
	}
	return in.err
}

func (in *interpreter) step(op uint8) {
	low := uint32(op & 0x3f)
	switch op & 0xc0 {
	case cfaAdvanceLoc:
		in.advance(uint64(low))
	case cfaOffset:
		in.set(low, atOffset, in.factored(in.uleb()))
	case cfaRestore:
		in.restore(low)
	default:
		in.extended(op)
	}
}

// extended runs the instructions whose low six bits are the opcode.
func (in *interpreter) extended(op uint8) {
	switch op {
	case cfaNop, cfaNegateRAState:
	case cfaGNUArgsSize:
		in.uleb()
	case cfaSetLoc:
		in.setLoc(in.pointer(in.cie.encoding, in.sec.addr))
	case cfaAdvanceLoc1:
		in.advance(uint64(in.u8()))
	case cfaAdvanceLoc2:
		in.advance(uint64(in.u16()))
	case cfaAdvanceLoc4:
		in.advance(uint64(in.u32()))
	case cfaMIPSAdvanceLoc8:
		in.advance(in.u64())
	case cfaRememberState:
		if len(in.states) == maxStates {
			in.fail(errStates)
			return
		}
		in.states = append(in.states, in.row)
	case cfaRestoreState:
		in.restoreState()
	case cfaDefCFA, cfaDefCFASF, cfaDefCFARegister, cfaDefCFAOffset, cfaDefCFAOffsetSF, cfaDefCFAExpression:
		in.defineCFA(op)
	default:
		in.registerRule(op)
	}
}

// registerRule runs the instructions of DWARF 4 §6.4.2.3 that name a column.
func (in *interpreter) registerRule(op uint8) {
	at := in.off - 1
	column := in.register()
	switch op {
	case cfaOffsetExtended:
		in.set(column, atOffset, in.factored(in.uleb()))
	case cfaOffsetExtendedSF:
		in.set(column, atOffset, in.factoredSigned(in.sleb()))
	case cfaGNUNegativeOffsetExtend:
		in.set(column, atOffset, -in.factored(in.uleb()))
	case cfaValOffset:
		in.set(column, valOffset, in.factored(in.uleb()))
	case cfaValOffsetSF:
		in.set(column, valOffset, in.factoredSigned(in.sleb()))
	case cfaRestoreExtended:
		in.restore(column)
	case cfaUndefined:
		in.set(column, undefined, 0)
	case cfaSameValue:
		in.set(column, sameValue, 0)
	case cfaRegister:
		in.set(column, inRegister, int32(in.register()))
	case cfaExpression:
		in.setExpression(column, atExpression)
	case cfaValExpression:
		in.setExpression(column, valExpression)
	default:
		in.off = at
		in.err = nil
		in.fail(fmt.Errorf("call frame instruction 0x%02x", op))
	}
}

// defineCFA runs the instructions of DWARF 4 §6.4.2.2.
func (in *interpreter) defineCFA(op uint8) {
	c := &in.row.cfa
	switch op {
	case cfaDefCFA:
		reg := in.register()
		*c = cfaRule{how: fromRegister, reg: reg, n: in.plain(in.uleb())}
		return
	case cfaDefCFASF:
		reg := in.register()
		*c = cfaRule{how: fromRegister, reg: reg, n: in.factoredSigned(in.sleb())}
		return
	case cfaDefCFAExpression:
		*c = cfaRule{how: valExpression, expr: in.block()}
		return
	}
	if c.how == unspecified && op == cfaDefCFARegister { // gas for RISC-V begins its CIEs so; others take the offset for 0, too
		c.how = fromRegister
	}
	if c.how != fromRegister {
		in.fail(errNoCFA)
		return
	}
	switch op {
	case cfaDefCFARegister:
		c.reg = in.register()
	case cfaDefCFAOffset:
		c.n = in.plain(in.uleb())
	case cfaDefCFAOffsetSF:
		c.n = in.factoredSigned(in.sleb())
	}
}

// advance ends the row: delta is in units of code_alignment_factor.
func (in *interpreter) advance(delta uint64) {
	if in.err != nil {
		return
	}
	to := uint64(in.row.loc) + delta*uint64(in.cie.codeAlign)
	if delta > 0xffffffff || to > 0xffffffff {
		in.fail(errBackwards)
		return
	}
	in.setLoc(uint32(to))
}

func (in *interpreter) setLoc(to uint32) {
	switch {
	case in.err != nil:
	case in.initial == nil:
		in.fail(errAdvance)
	case to < in.row.loc:
		in.fail(errBackwards)
	default:
		in.stopped = !in.emit(in.row, to)
		in.row.loc = to
	}
}

// restore gives a column the rule that the CIE's instructions left it with.
func (in *interpreter) restore(column uint32) {
	if in.initial == nil {
		in.fail(errRestore)
		return
	}
	in.row = in.row.with(in.initial.rule(column))
}

// restoreState brings back the remembered rules, the CFA's among them, as GCC
// and LLVM mean it; the location stays.
func (in *interpreter) restoreState() {
	n := len(in.states)
	if n == 0 {
		in.fail(errNoState)
		return
	}
	loc := in.row.loc
	in.row = in.states[n-1]
	in.row.loc = loc
	in.states = in.states[:n-1]
}

func (in *interpreter) set(column uint32, h how, n int32) {
	if in.err == nil {
		in.row = in.row.with(regRule{column: column, how: h, n: n})
	}
}

func (in *interpreter) setExpression(column uint32, h how) {
	expr := in.block()
	if in.err == nil {
		in.row = in.row.with(regRule{column: column, how: h, expr: expr})
	}
}

var errOffset = errors.New("offset does not fit 32 bits")

func (in *interpreter) plain(v uint64) int32 {
	if v > 0x7fffffff {
		in.fail(errOffset)
		return 0
	}
	return int32(v)
}

// factored multiplies by data_alignment_factor.
func (in *interpreter) factored(v uint64) int32 {
	if v > 0x7fffffff {
		in.fail(errOffset)
		return 0
	}
	return in.factoredSigned(int64(v))
}

func (in *interpreter) factoredSigned(v int64) int32 {
	if v != int64(int32(v)) {
		in.fail(errOffset)
		return 0
	}
	v *= int64(in.cie.dataAlign)
	if v != int64(int32(v)) {
		in.fail(errOffset)
		return 0
	}
	return int32(v)
}
