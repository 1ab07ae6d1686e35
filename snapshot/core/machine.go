package core

import "github.com/mprof/mprof/snapshot"

// machine says where the registers of an architecture stand in the note
// NT_PRSTATUS (struct elf_prstatus of Linux, as bfd and gdb write it for cores
// without an operating system, too): behind 72 bytes of signals, ids and times.
type machine struct {
	number    uint16 // e_machine
	arch      snapshot.Arch
	layouts   []layout
	registers []snapshot.Reg // of each word; noReg: passed over
	// absent tells that a word cannot be what the register held: the writer
	// did not know it.
	absent func(r snapshot.Reg, v uint32) bool
}

// layout is how one size of the note is laid out: where the thread's id is (0: it
// has none), where the registers are, and how many of them.
type layout struct{ size, id, registers, words uint32 }

const noReg = snapshot.Reg(255)

var machines = []machine{
	{
		number: 40, arch: snapshot.CortexM, // EM_ARM: r0-r15, CPSR (xPSR here), orig_r0; pr_fpvalid follows
		layouts:   []layout{{148, 24, 72, 18}, {72, 0, 0, 18}},
		registers: append(run(snapshot.R0, 16), snapshot.XPSR, noReg),
		absent: func(r snapshot.Reg, v uint32) bool {
			return r == snapshot.XPSR && v == 0 // the T bit is 1 wherever an instruction is executed
		},
	},
	{
		number: 243, arch: snapshot.RV32, // EM_RISCV: pc, x1-x31; pr_fpvalid follows
		// gdb 13 writes the registers of a RISC-V hart without an operating system
		// into the note of an i386: there is room for 17.
		layouts:   []layout{{204, 24, 72, 32}, {144, 24, 72, 17}, {128, 0, 0, 32}},
		registers: append([]snapshot.Reg{snapshot.PC}, run(snapshot.X0+1, 31)...),
		absent:    func(snapshot.Reg, uint32) bool { return false },
	},
}

// run lists n registers from first on.
func run(first snapshot.Reg, n int) []snapshot.Reg {
	regs := make([]snapshot.Reg, n)
	for i := range regs {
		regs[i] = first + snapshot.Reg(i)
	}
	return regs
}
