package armv7m

import "math/bits"

// The cycle model follows the Cortex-M4 TRM (ARM 100166, 3.3.1) with zero wait
// states (Config.FetchWait adds those of instruction fetches), and is the same for
// every Arch:
//
//	data processing, multiply (any), saturation, SIMD      1
//	IT, hints, barriers, CPS, MRS, MSR                     1
//	instruction whose condition fails                      1
//	branch not taken 1; taken, BL, BX, BLX                 1 + refill
//	load, LDREX, STREX, store with a register offset       2
//	store with an immediate offset                         1
//	LDM, STM, PUSH, POP, LDRD, STRD of N words             1 + N
//	TBB, TBH                                               2 + refill
//	any other write of PC                                  its own + refill
//	SDIV, UDIV                                             2 to 12
//	unaligned access: each further bus transfer            1
//	exception entry 12, return 10, tail-chaining 6
//	S0 to S15 and FPSCR to or from a frame                 17
//	floating point (TRM 7.2.3): arithmetic, moves, VCVT    1
//	multiply and accumulate, chained or fused              3
//	VDIV, VSQRT                                            14
//	VMOV with two core registers                           2
//	VLDR, VSTR, VLDM, VSTM, VPUSH, VPOP of N words         1 + N
//
// The line of S0 to S15 comes on top of the entry where state is not preserved lazily,
// of the first floating-point instruction of a handler where it is, and of a
// return that restores it.
//
// Not modelled: wait states of data, pairing of loads, folding of IT, bus contention, the
// cycle more of floating-point arithmetic whose result the next instruction
// takes, and integer instructions that go on beside VDIV and VSQRT.
const (
	costRefill    = 2
	costEntry     = 12
	costReturn    = 10
	costTailChain = 6
	costFPState   = fpWords
)

// divideCost is 2 plus 10/32 of a cycle for each bit of the quotient, rounded
// up: the divider retires several bits a cycle and ends early.
func divideCost(dividend, divisor uint32) uint64 {
	if divisor == 0 || dividend < divisor {
		return 2
	}
	n := bits.Len32(dividend) - bits.Len32(divisor) + 1
	return 2 + uint64(n*10+31)/32
}
