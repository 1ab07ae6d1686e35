package core

import (
	"strings"

	"github.com/mprof/mprof/snapshot"
)

// integerNames are those of the RISC-V calling convention for x0 to x31.
var integerNames = [32]string{"zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4", "a5",
	"a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"}

// registerNames are the registers of each architecture by lower-case name.
var registerNames = [snapshot.NumArchs]map[string]snapshot.Reg{
	snapshot.CortexM: namesOf(map[string]snapshot.Reg{"r13": snapshot.SP, "r14": snapshot.LR, "r15": snapshot.PC, "psr": snapshot.XPSR}, 0, snapshot.X0),
	snapshot.RV32:    riscvNames(),
}

// namesOf adds the names that the registers in [low, high) have themselves.
func namesOf(names map[string]snapshot.Reg, low, high snapshot.Reg) map[string]snapshot.Reg {
	for r := low; r < high; r++ {
		names[r.String()] = r
	}
	delete(names, snapshot.CONTROL.String()) // a capture has its parts one by one
	return names
}

func riscvNames() map[string]snapshot.Reg {
	names := map[string]snapshot.Reg{"fp": snapshot.X0 + 8, "pc": snapshot.PC}
	for i, name := range integerNames {
		names[name] = snapshot.X0 + snapshot.Reg(i)
	}
	return namesOf(names, snapshot.X0, snapshot.Reg(snapshot.NumRegs))
}

func registerNamed(a snapshot.Arch, name string) (snapshot.Reg, bool) {
	r, ok := registerNames[a][strings.ToLower(name)]
	return r, ok
}
