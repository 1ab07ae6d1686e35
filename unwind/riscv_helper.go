package unwind

// GCC's -msave-restore leaves prologues to routines of libgcc (__riscv_save_N),
// which are called with t0 as the link register. They have no branches. Epilogues
// it leaves to others, which are jumped to: they are the end of a function like
// any that several have in common. LLVM (-Oz, rustc's opt-level z) puts sequences
// that functions have in common into OUTLINED_FUNCTION_N, called with t0 as well;
// the call frame information that it writes for these says that they return to ra.

// helpers is the method for the routines of a machine that are no functions by
// its calling standard.
type helpers struct{ m *machine }

func openHelpers(u *Unwinder) finder {
	if u.machine.helper == nil {
		return nil
	}
	return helpers{u.machine}
}

func (h helpers) find(c *code, pc uint32) (Rule, Range, bool) {
	fn, ok := c.function(pc)
	if !ok || !fn.Contains(pc) || pc&1 != 0 {
		return Rule{}, Range{}, false
	}
	rule, ok := h.m.helper(c, fn, pc)
	return rule, Range{}, ok
}

// maxRoutine bounds the instructions of such a routine. Those of libgcc have 13
// registers and what goes with them; what LLVM outlines is short as a rule.
const maxRoutine = 128

// saving is rv32 for a routine that t0 leads back from.
var saving = &machine{columns: rv32Columns, sp: rvSP, link: rvT0, kept: rvKept | 1<<rvRA}

// rvHelper runs the routine in fn from its entry to pc.
func rvHelper(c *code, fn Range, pc uint32) (Rule, bool) {
	f := entryState(saving)
	var before frameState
	var last rvOp
	rule, found := Rule{}, false
	end := f.routineRV(c, fn.Low, func(at uint32, op rvOp, state *frameState) {
		if at == pc {
			rule, found = state.rule(saving)
			if found && last.kind == rvSub && last.rd == rvSP {
				rule.fromDifference(&before, last)
			}
		}
		last, before = op, *state
	})
	if !end || !found || f.reg[rvT0] != (content{kind: entryOf, n: rvT0}) {
		return Rule{}, false
	}
	rule.method = FromPrologue
	if rule.where(rvRA).how == unspecified {
		rule.saves = append([]save{{column: rvRA, how: sameValue}}, rule.saves...)
	}
	return rule, true
}

// fromDifference makes the CFA that of a stack pointer from which a register was
// just taken: entries of several sizes come together there, and what the register
// holds says by which of them the routine was entered.
func (r *Rule) fromDifference(before *frameState, op rvOp) {
	n := -int32(before.reg[rvSP].n)
	expr := appendSLEB([]byte{opBreg0 + rvSP}, n)
	expr = append(expr, opBreg0+op.rs2, 0, opPlus)
	r.cfa, r.off = valExpression, r.expression(expr)
}

// routineRV runs a routine that is called with t0 as its link register up to its
// return, and shows each instruction with the state before it.
func (f *frameState) routineRV(c *code, at uint32, show func(at uint32, op rvOp, before *frameState)) bool {
	after := *f
	for range maxRoutine {
		op, ok := c.fetchRV(at)
		if !ok {
			return false
		}
		if show != nil {
			show(at, op, &after)
		}
		switch op.kind {
		case rvJump:
			if op.rd != 0 {
				return false
			}
			at = op.target
			continue
		case rvJumpReg:
			if op.rd != 0 || op.rs1 != rvT0 || op.imm != 0 {
				return false
			}
			*f = after
			return true
		case rvBranchIf, rvTrapReturn, rvStop:
			return false
		}
		after.applyRV(c, op)
		at += op.size
	}
	return false
}
