package unwind

import "github.com/mprof/mprof/snapshot"

// armM is a Cortex-M. DWARF numbers r0-r15 as themselves (AADWARF32 §4.1);
// r4-r11 survive a call (AAPCS32 §6.1.1).
var armM = machine{
	columns:  16,
	sp:       13,
	link:     14,
	kept:     0x0ff0,
	align:    4,
	codeMask: ^uint32(1),
	codeBit:  1, // Thumb
	capture: []snapshot.Reg{snapshot.R0, snapshot.R1, snapshot.R2, snapshot.R3, snapshot.R4, snapshot.R5, snapshot.R6, snapshot.R7,
		snapshot.R8, snapshot.R9, snapshot.R10, snapshot.R11, snapshot.R12, snapshot.SP, snapshot.LR},
	pc:       snapshot.PC,
	chain:    &framePointer{reg: 7, cfa: 8, saved: -8, ra: -4}, // of LLVM: PUSH {..., R7, LR}; ADD R7, SP, #n
	ends:     []uint32{0, 0xfffffffe},                          // LR is 0xFFFFFFFF at reset (ARMv7-M ARM, B1.5.5)
	calls:    thumbCallBefore,
	branch:   thumbBranch,
	boundary: func(ra uint32) bool { _, ok := excReturnOf(ra); return ok },
	cross:    (*walk).cross,
	special:  (*walk).otherState,
	step:     stepThumb,
}
