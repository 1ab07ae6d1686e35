package sampling

import (
	"fmt"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/symbol"
	"github.com/mprof/mprof/unwind"
)

// Names are the names of a program; those of exceptions belong to the
// architecture.
func Names(a snapshot.Arch, of *symbol.Program) profile.Symbolizer {
	if a == snapshot.RV32 {
		return riscvNames{of}
	}
	return of
}

// riscvNames names traps by mcause.
type riscvNames struct{ *symbol.Program }

// Names of mcause (RISC-V Privileged Architecture, "Machine Cause Register",
// table of trap causes).
var (
	riscvInterrupts = map[uint16]string{1: "supervisor software interrupt", 3: "machine software interrupt", 5: "supervisor timer interrupt",
		7: "machine timer interrupt", 9: "supervisor external interrupt", 11: "machine external interrupt"}
	riscvExceptions = map[uint16]string{0: "instruction address misaligned", 1: "instruction access fault", 2: "illegal instruction", 3: "breakpoint",
		4: "load address misaligned", 5: "load access fault", 6: "store address misaligned", 7: "store access fault", 8: "environment call from user mode",
		9: "environment call from supervisor mode", 11: "environment call from machine mode", 12: "instruction page fault", 13: "load page fault",
		15: "store page fault"}
)

// HandlerAt is Handler: a trap's handler has no name in a vector table.
func (n riscvNames) HandlerAt(exc uint16, _ uint32) (exception, alias string) {
	return n.Handler(exc), ""
}

// Handler names a trap by its number in a frame.
func (riscvNames) Handler(exc uint16) string {
	code := exc &^ unwind.TrapInterrupt
	if exc == unwind.TrapUnknown {
		return "trap"
	}
	if exc&unwind.TrapInterrupt != 0 {
		if name := riscvInterrupts[code]; name != "" {
			return name
		}
		return fmt.Sprintf("interrupt %d", code)
	}
	if name := riscvExceptions[code]; name != "" {
		return name
	}
	return fmt.Sprintf("exception %d", code)
}
