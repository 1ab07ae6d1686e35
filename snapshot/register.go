package snapshot

import "strconv"

// Reg numbers a register. Those of an Arm core have the numbers of DCRSR.REGSEL
// (ARMv7-M ARM, C1.6.3; ARMv8-M ARM, DCRSR), those of a RISC-V hart follow
// from 64 on. The PC is 15 for both.
type Reg uint8

const (
	R0 Reg = iota
	R1
	R2
	R3
	R4
	R5
	R6
	R7
	R8
	R9
	R10
	R11
	R12
	SP   // 13, the stack pointer in use
	LR   // 14
	PC   // 15, DebugReturnAddress: the next instruction to execute
	XPSR // 16
	MSP  // 17
	PSP  // 18
	_    // 19
	CONTROL
)

// CONTROL holds CONTROL, FAULTMASK, BASEPRI, PRIMASK from the top byte down; so
// do CONTROLS and CONTROLNS. In ARMv8-M each of the stack pointers, their limits
// and these exist once per security state; MSP, PSP and CONTROL are those of the
// state that the core is in. A core without the Security Extension has its
// limits as MSPLIMNS and PSPLIMNS.
const (
	MSPNS     Reg = 24 + iota
	PSPNS         // 25
	MSPS          // 26
	PSPS          // 27
	MSPLIMS       // 28
	PSPLIMS       // 29
	MSPLIMNS      // 30
	PSPLIMNS      // 31
	_             // 32
	FPSCR         // 33
	CONTROLS      // 34
	CONTROLNS     // 35
)

// X0 is the first of the integer registers of RISC-V: xN is X0+N. MEPC and MCAUSE
// say where the hart was and why it left there when it took the trap that it is
// in (RISC-V Privileged Architecture, "Machine-Level CSRs").
const (
	X0      Reg = 64
	MEPC    Reg = 96
	MCAUSE  Reg = 97
	NumRegs     = int(MCAUSE) + 1
)

var regNames = [NumRegs]string{SP: "sp", LR: "lr", PC: "pc", XPSR: "xpsr", MSP: "msp", PSP: "psp", CONTROL: "control",
	MSPNS: "msp_ns", PSPNS: "psp_ns", MSPS: "msp_s", PSPS: "psp_s", MSPLIMS: "msplim_s", PSPLIMS: "psplim_s",
	MSPLIMNS: "msplim_ns", PSPLIMNS: "psplim_ns", FPSCR: "fpscr", CONTROLS: "control_s", CONTROLNS: "control_ns",
	MEPC: "mepc", MCAUSE: "mcause"}

// String is the name that debuggers give the register: r0, xpsr, msp_ns, x8.
func (r Reg) String() string {
	switch {
	case r <= R12:
		return "r" + strconv.Itoa(int(r))
	case r >= X0 && r < X0+32:
		return "x" + strconv.Itoa(int(r-X0))
	case int(r) < NumRegs && regNames[r] != "":
		return regNames[r]
	}
	return "register " + strconv.Itoa(int(r))
}

// RegSet is a set of registers.
type RegSet [(NumRegs + 63) / 64]uint64

// Add adds a register.
func (s *RegSet) Add(r Reg) { s[r/64] |= 1 << (r % 64) }

// Has tells whether r is in the set.
func (s *RegSet) Has(r Reg) bool { return int(r) < NumRegs && s[r/64]&(1<<(r%64)) != 0 }

// Registers holds the registers that were captured and knows which they are.
type Registers struct {
	value [NumRegs]uint32
	have  RegSet
}

// Set records the value of reg.
func (r *Registers) Set(reg Reg, v uint32) {
	r.value[reg] = v
	r.have.Add(reg)
}

// Value returns a register and whether it was captured.
func (r *Registers) Value(reg Reg) (uint32, bool) {
	if !r.have.Has(reg) {
		return 0, false
	}
	return r.value[reg], true
}
