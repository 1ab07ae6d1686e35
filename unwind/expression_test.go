package unwind

import (
	"errors"
	"testing"
)

func expressionWalk() *walk {
	b := newBoard()
	b.stack(ram, 0x11223344, 0x55667788)
	w := &walk{m: &armM}
	w.mem.reset(&b.snap)
	w.regs.set(13, ram)
	w.regs.set(7, ram+4)
	return w
}

// DWARF 4 §2.5.1, with the CFA (here 1000) on the stack as §6.4.2.3 says.
func TestExpressions(t *testing.T) {
	for _, c := range []struct {
		name string
		expr []byte
		want uint32
	}{
		{"addr", []byte{opAddr, 1, 2, 3, 4}, 0x04030201},
		{"const1u", []byte{opConst1u, 0xff}, 0xff},
		{"const1s", []byte{opConst1s, 0xff}, 0xffffffff},
		{"const2u", []byte{opConst2u, 0xfe, 0xff}, 0xfffe},
		{"const2s", []byte{opConst2s, 0xfe, 0xff}, 0xfffffffe},
		{"const4u", []byte{opConst4u, 1, 0, 0, 0x80}, 0x80000001},
		{"const4s", []byte{opConst4s, 1, 0, 0, 0x80}, 0x80000001},
		{"const8u", []byte{opConst8u, 1, 0, 0, 0, 0, 0, 0, 0}, 1},
		{"const8s", []byte{opConst8s, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, 0xffffffff},
		{"constu", []byte{opConstu, 0xe5, 0x8e, 0x26}, 624485},
		{"consts", []byte{opConsts, 0x9b, 0xf1, 0x59}, 0xfff6789b}, // -624485
		{"lit31", []byte{opLit31}, 31},
		{"breg7", []byte{opBreg0 + 7, 0x7c}, ram},
		{"bregx", []byte{opBregx, 13, 8}, ram + 8},
		{"dup", []byte{opLit0 + 3, opDup, opMul}, 9},
		{"drop", []byte{opLit0 + 3, opDrop}, 1000},
		{"over", []byte{opLit0 + 3, opOver}, 1000},
		{"pick", []byte{opLit0 + 3, opLit0 + 4, opPick, 2}, 1000},
		{"swap", []byte{opLit0 + 3, opLit0 + 4, opSwap, opMinus}, 1},
		{"rot", []byte{opLit0 + 1, opLit0 + 2, opLit0 + 3, opRot}, 2}, // 1 2 3 -> 3 1 2
		{"deref", []byte{opBreg0 + 13, 0, opDeref}, 0x11223344},
		{"deref_size", []byte{opBreg0 + 13, 0, opDerefSize, 2}, 0x3344},
		{"abs", []byte{opConst1s, 0xfb, opAbs}, 5},
		{"and", []byte{opLit0 + 12, opLit0 + 10, opAnd}, 8},
		{"div", []byte{opConst1s, 0xf6, opLit0 + 3, opDiv}, 0xfffffffd},
		{"minus", []byte{opLit0 + 12, opLit0 + 10, opMinus}, 2},
		{"mod", []byte{opLit0 + 12, opLit0 + 10, opMod}, 2},
		{"mul", []byte{opLit0 + 12, opLit0 + 10, opMul}, 120},
		{"neg", []byte{opLit0 + 1, opNeg}, 0xffffffff},
		{"not", []byte{opLit0 + 1, opNot}, 0xfffffffe},
		{"or", []byte{opLit0 + 12, opLit0 + 10, opOr}, 14},
		{"plus", []byte{opLit0 + 12, opLit0 + 10, opPlus}, 22},
		{"plus_uconst", []byte{opPlusUconst, 0x80, 1}, 1128},
		{"shl", []byte{opLit0 + 1, opLit31, opShl}, 0x80000000},
		{"shr", []byte{opConst1s, 0x80, opLit0 + 28, opShr}, 15},
		{"shra", []byte{opConst1s, 0x80, opLit0 + 28, opShra}, 0xffffffff},
		{"shift of 40", []byte{opLit0 + 1, opConst1u, 40, opShl}, 0},
		{"xor", []byte{opLit0 + 12, opLit0 + 10, opXor}, 6},
		{"eq", []byte{opLit0 + 1, opLit0 + 1, opEq}, 1},
		{"ge", []byte{opConst1s, 0xff, opLit0, opGe}, 0},
		{"gt", []byte{opLit0 + 1, opLit0, opGt}, 1},
		{"le", []byte{opLit0 + 1, opLit0, opLe}, 0},
		{"lt", []byte{opConst1s, 0xff, opLit0, opLt}, 1},
		{"ne", []byte{opLit0 + 1, opLit0, opNe}, 1},
		{"skip", []byte{opSkip, 1, 0, opLit0, opNop}, 1000},
		{"bra taken", []byte{opLit0 + 1, opBra, 1, 0, opLit0}, 1000},
		{"bra not taken", []byte{opLit0, opBra, 1, 0, opLit0}, 0},
		// The CFA of a procedure linkage table entry, as linkers write it.
		{"plt", []byte{opBreg0 + 7, 4, opBreg0 + 13, 0, opLit0 + 15, opAnd, opLit0 + 11, opGe, opLit0 + 2, opShl, opPlus}, ram + 8},
	} {
		got, err := expressionWalk().evaluate(c.expr, 1000)
		if err != nil || got != c.want {
			t.Errorf("%s: 0x%x, %v; want 0x%x", c.name, got, err, c.want)
		}
	}
}

func TestExpressionErrors(t *testing.T) {
	for _, c := range []struct {
		name  string
		expr  []byte
		cause error
	}{
		{"empty stack", []byte{opDrop, opDrop}, errStack},
		{"full stack", []byte{opDup, opSkip, 0xfc, 0xff}, errStack},
		{"loop", []byte{opSkip, 0xfd, 0xff}, errSteps},
		{"division", []byte{opLit0, opDiv}, errDivide},
		{"modulo", []byte{opLit0, opMod}, errDivide},
		{"register", []byte{opBreg0 + 5, 0}, errRegister},
		{"register 400", []byte{opBregx, 0x90, 3, 0}, errRegister},
		{"memory", []byte{opDeref}, errMemory},
		{"size 3", []byte{opBreg0 + 13, 0, opDerefSize, 3}, errMemory},
		{"branch out", []byte{opSkip, 0, 0x10}, errTruncated},
		{"operand", []byte{opConst4u, 1}, errTruncated},
		{"operation", []byte{0x9c}, nil}, // DW_OP_call_frame_cfa: ruled out by §6.4.2
	} {
		_, err := expressionWalk().evaluate(c.expr, 1000)
		if err == nil || c.cause != nil && !errors.Is(err, c.cause) {
			t.Errorf("%s: error %v, want %v", c.name, err, c.cause)
		}
	}
}
