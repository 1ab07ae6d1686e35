package unwind

import (
	"errors"
	"fmt"
)

var (
	errStack    = errors.New("expression stack under- or overflow")
	errSteps    = errors.New("expression does not end")
	errDivide   = errors.New("division by 0")
	errRegister = errors.New("register not known")
	errMemory   = errors.New("memory not captured")
)

const (
	maxExprStack = 32
	maxExprSteps = 1024
)

// evaluator is the stack machine of DWARF 4 §2.5 on 32-bit values.
type evaluator struct {
	cursor
	stack [maxExprStack]uint32
	n     int
	walk  *walk
	mem   *memory
}

// evaluate runs expr with the values of push on its stack and returns the top.
func (w *walk) evaluate(expr []byte, push ...uint32) (uint32, error) {
	e := &w.eval
	*e = evaluator{cursor: newCursor("expression", expr), walk: w, mem: &w.mem}
	for _, v := range push {
		e.push(v)
	}
	for step := 0; e.more(); step++ {
		if step == maxExprSteps {
			e.fail(errSteps)
			break
		}
		e.step(e.u8())
	}
	return e.pop(), e.err
}

func (e *evaluator) push(v uint32) {
	if e.n == maxExprStack {
		e.fail(errStack)
		return
	}
	e.stack[e.n] = v
	e.n++
}

func (e *evaluator) pop() uint32 {
	if e.n == 0 {
		e.fail(errStack)
		return 0
	}
	e.n--
	return e.stack[e.n]
}

// pick pushes the entry i below the top.
func (e *evaluator) pick(i int) {
	if i >= e.n {
		e.fail(errStack)
		return
	}
	e.push(e.stack[e.n-1-i])
}

func (e *evaluator) step(op uint8) {
	switch {
	case op >= opLit0 && op <= opLit31:
		e.push(uint32(op - opLit0))
	case op >= opBreg0 && op <= opBreg31:
		e.breg(uint32(op - opBreg0))
	case op >= opAddr && op <= opConsts && op != opDeref:
		e.constant(op)
	case op >= opAnd && op <= opXor && op != opNeg && op != opNot && op != opPlusUconst, op >= opEq && op <= opNe:
		b := e.pop()
		a := e.pop()
		e.push(e.binary(op, a, b))
	case op == opBra || op == opSkip:
		e.branch(op)
	case op == opDeref:
		e.load(4)
	case op == opDerefSize:
		e.load(int(e.u8()))
	default:
		e.unary(op)
	}
}

// constant pushes the literals of §2.5.1.1.
func (e *evaluator) constant(op uint8) {
	switch op {
	case opAddr, opConst4u, opConst4s:
		e.push(e.u32())
	case opConst1u:
		e.push(uint32(e.u8()))
	case opConst1s:
		e.push(uint32(int8(e.u8())))
	case opConst2u:
		e.push(uint32(e.u16()))
	case opConst2s:
		e.push(uint32(int16(e.u16())))
	case opConst8u, opConst8s:
		e.push(uint32(e.u64()))
	case opConstu:
		e.push(uint32(e.uleb()))
	case opConsts:
		e.push(uint32(e.sleb()))
	default:
		e.fail(fmt.Errorf("expression operation 0x%02x", op))
	}
}

// unary runs the operations that take at most the top of the stack, and those
// that move entries (§2.5.1.3, §2.5.1.4).
func (e *evaluator) unary(op uint8) {
	switch op {
	case opNop:
	case opBregx:
		e.breg(e.register())
	case opDup:
		e.pick(0)
	case opDrop:
		e.pop()
	case opOver:
		e.pick(1)
	case opPick:
		e.pick(int(e.u8()))
	case opSwap:
		a, b := e.pop(), e.pop()
		e.push(a)
		e.push(b)
	case opRot:
		a, b, c := e.pop(), e.pop(), e.pop()
		e.push(a)
		e.push(c)
		e.push(b)
	case opAbs:
		if v := e.pop(); int32(v) < 0 {
			e.push(-v)
		} else {
			e.push(v)
		}
	case opNeg:
		e.push(-e.pop())
	case opNot:
		e.push(^e.pop())
	case opPlusUconst:
		e.push(e.pop() + uint32(e.uleb()))
	default:
		e.fail(fmt.Errorf("expression operation 0x%02x", op))
	}
}

// binary computes a op b; a was the second entry, b the top.
func (e *evaluator) binary(op uint8, a, b uint32) uint32 {
	switch op {
	case opAnd:
		return a & b
	case opDiv:
		if b == 0 {
			e.fail(errDivide)
			return 0
		}
		return uint32(int64(int32(a)) / int64(int32(b)))
	case opMinus:
		return a - b
	case opMod:
		if b == 0 {
			e.fail(errDivide)
			return 0
		}
		return a % b
	case opMul:
		return a * b
	case opOr:
		return a | b
	case opPlus:
		return a + b
	case opShl:
		return a << b
	case opShr:
		return a >> b
	case opShra:
		return uint32(int32(a) >> b)
	case opXor:
		return a ^ b
	}
	return compare(op, int32(a), int32(b))
}

// compare gives 1 where the relation of §2.5.1.5 holds.
func compare(op uint8, a, b int32) uint32 {
	var holds bool
	switch op {
	case opEq:
		holds = a == b
	case opGe:
		holds = a >= b
	case opGt:
		holds = a > b
	case opLe:
		holds = a <= b
	case opLt:
		holds = a < b
	case opNe:
		holds = a != b
	}
	if holds {
		return 1
	}
	return 0
}

// branch moves the cursor by a signed 16-bit distance, DW_OP_bra only if the
// top is not 0.
func (e *evaluator) branch(op uint8) {
	distance := int(int16(e.u16()))
	to := e.off + distance
	if op == opBra && e.pop() == 0 || e.err != nil {
		return
	}
	if to < 0 || to > e.end {
		e.fail(errTruncated)
		return
	}
	e.off = to
}

func (e *evaluator) breg(column uint32) {
	n := uint32(e.sleb())
	v, ok := e.walk.get(column)
	if !ok {
		e.fail(errRegister)
		return
	}
	e.push(v + n)
}

func (e *evaluator) load(size int) {
	addr := e.pop()
	v, ok := e.mem.load(addr, size)
	if !ok {
		e.fail(errMemory)
		return
	}
	e.push(v)
}
