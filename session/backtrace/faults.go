package backtrace

import (
	"fmt"

	"github.com/mprof/mprof/snapshot"
)

// Addresses of the fault registers (ARMv7-M ARM, B3.2.15 to B3.2.18).
const (
	addrCFSR  = 0xe000ed28
	addrHFSR  = 0xe000ed2c
	addrMMFAR = 0xe000ed34
	addrBFAR  = 0xe000ed38

	bitMMARVALID = 1 << 7
	bitBFARVALID = 1 << 15
)

// faultBit is a bit of a fault register.
type faultBit struct {
	bit  uint32
	text string
	at   uint32 // the register that holds the address of the access, 0: none does
	ok   uint32 // the bit that says that it does
}

var configurableFaults = []faultBit{
	{1 << 0, "instruction fetch that memory protection forbids (IACCVIOL)", 0, 0},
	{1 << 1, "data access that memory protection forbids (DACCVIOL)", addrMMFAR, bitMMARVALID},
	{1 << 3, "memory protection forbids to unstack at an exception return (MUNSTKERR)", 0, 0},
	{1 << 4, "memory protection forbids to stack at an exception entry (MSTKERR)", 0, 0},
	{1 << 5, "memory protection forbids to save the floating-point state (MLSPERR)", 0, 0},
	{1 << 8, "bus error at an instruction fetch (IBUSERR)", 0, 0},
	{1 << 9, "bus error at a data access (PRECISERR)", addrBFAR, bitBFARVALID},
	{1 << 10, "bus error at an earlier data access (IMPRECISERR)", 0, 0},
	{1 << 11, "bus error when unstacking at an exception return (UNSTKERR)", 0, 0},
	{1 << 12, "bus error when stacking at an exception entry (STKERR)", 0, 0},
	{1 << 13, "bus error when saving the floating-point state (LSPERR)", 0, 0},
	{1 << 16, "undefined instruction (UNDEFINSTR)", 0, 0},
	{1 << 17, "instruction that is not executed in this state, often a jump to an even address (INVSTATE)", 0, 0},
	{1 << 18, "exception return that makes no sense (INVPC)", 0, 0},
	{1 << 19, "coprocessor or floating-point unit that is off or not there (NOCP)", 0, 0},
	{1 << 20, "stack overflow (STKOF)", 0, 0},
	{1 << 24, "unaligned access (UNALIGNED)", 0, 0},
	{1 << 25, "division by zero (DIVBYZERO)", 0, 0},
}

var hardFaults = []faultBit{
	{1 << 1, "bus error at a read of the vector table (VECTTBL)", 0, 0},
	{1 << 30, "escalated to HardFault: the fault's own handler is off or busy (FORCED)", 0, 0},
}

// faults says what the fault registers in a dump tell, of the faults since they
// were last cleared. Nothing where the dump does not hold them, and outside of
// the handlers of faults, where they may be old.
func faults(s *snapshot.Snapshot) (out []string) {
	const hardFault, usageFault = 3, 6
	if exc := exceptionOf(s); exc < hardFault || exc > usageFault {
		return nil
	}
	for _, r := range []struct {
		addr uint32
		bits []faultBit
	}{{addrCFSR, configurableFaults}, {addrHFSR, hardFaults}} {
		v, ok := s.Word(r.addr)
		if !ok {
			continue
		}
		for _, b := range r.bits {
			if v&b.bit == 0 {
				continue
			}
			text := b.text
			if at, have := s.Word(b.at); b.at != 0 && have && v&b.ok != 0 {
				text += fmt.Sprintf(" at 0x%08x", at)
			}
			out = append(out, text)
		}
	}
	return out
}
