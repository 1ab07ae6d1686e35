package cortexm

import (
	"slices"

	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/snapshot"
)

// steps builds the transfers of a sample for one probe and access port. Every
// sequence begins with SELECT at BD0-BD3 and TAR in the debug registers, and
// leaves them so (cmsis-dap.md section 3).
type steps struct {
	data, memory uint32 // SELECT for BD0-BD3 and for TAR, DRW
	identity     uint32 // SELECT for CFG, BASE, IDR
	clock        bool
	swift        bool // registers were always ready one SWD transfer after they were asked for
}

func (c *Core) steps(l limits) steps {
	return steps{data: c.p.SelectWord(probe.BankData), memory: c.p.SelectWord(probe.BankTransfer), identity: c.p.SelectWord(probe.BankID), clock: l.clock}
}

// aim makes the access port sure again, before the halt: 3 SWD transfers. A
// target that was reset may have lost TAR, and a halt that went elsewhere would
// be a write to the program's memory.
func (s steps) aim(t *transfer) {
	t.write(probe.WriteSELECT, s.memory)
	t.write(probe.WriteTAR, addrDHCSR)
	t.write(probe.WriteSELECT, s.data)
}

// halt reads DHCSR for what the core was doing, halts it and waits for S_HALT,
// with the match mask that the guard before has left. From the halt write on 3
// SWD transfers.
func (s steps) halt(t *transfer) {
	t.role = roleRegisters
	t.read(probe.ReadBD0, mark{meaning: statusBefore})
	t.stamped(probe.WriteBD0, dhcsrHalt, s.clock, haltStamp)
	t.match(probe.ReadBD0, sHalt)
}

// registers reads registers, the last one checked in any case. It stays in DCRDR.
func (s steps) registers(t *transfer, regs []snapshot.Reg) {
	for i, r := range regs {
		s.register(t, r, i == len(regs)-1)
	}
}

// window reads words and resumes the core. SELECT stays at TAR, DRW, so
// that a value match on BD2 in a later transfer reads AP register 8, which is
// zero, and fails: no second window is read. For n words in r runs n+2*r+3 SWD
// transfers up to the resume.
func (s steps) window(t *transfer, all []Extent) {
	if len(all) > 0 {
		t.write(probe.WriteSELECT, s.memory)
		for _, e := range all {
			t.readWindow(e.Low, e.High)
		}
		s.resumeByDRW(t)
		return
	}
	t.stamped(probe.WriteBD0, dhcsrRun, s.clock, resumeStamp)
	t.write(probe.WriteSELECT, s.memory)
}

// ready makes everything as the guard of a sample leaves it.
func (s steps) ready() *transfer {
	t := &transfer{}
	s.aim(t)
	t.mask(sHalt)
	return t
}

// selectMemory sets SELECT for TAR and DRW, unless t did so.
func (s steps) selectMemory(t *transfer) {
	if !slices.Contains(t.reqs, probe.Req{Op: probe.WriteSELECT, Data: s.memory}) {
		t.write(probe.WriteSELECT, s.memory)
	}
}

// resumeByDRW lets the core run with SELECT at TAR, DRW.
func (s steps) resumeByDRW(t *transfer) {
	t.write(probe.WriteTAR, addrDHCSR)
	t.stamped(probe.WriteDRW, dhcsrRun, s.clock, resumeStamp)
}

// look reads whether the core stands still, whatever state DP and AP are in.
func (s steps) look() *transfer {
	t := &transfer{}
	t.write(probe.WriteABORT, abortClear)
	t.write(probe.WriteSELECT, s.memory)
	t.write(probe.WriteTAR, addrDHCSR)
	t.read(probe.ReadDRW, mark{meaning: statusBefore})
	return t
}

// guard lets the core run whatever state DP and AP are in, aims again, reads
// whether it does, and leaves the match mask for the next halt. The write through DRW moves TAR to DCRSR, which does
// not matter to BD0-BD3: they take its upper 28 bits.
func (s steps) guard() *transfer {
	t := &transfer{role: roleGuard}
	t.write(probe.WriteABORT, abortClear)
	t.write(probe.WriteSELECT, s.memory)
	s.resumeByDRW(t)
	t.write(probe.WriteSELECT, s.data)
	t.read(probe.ReadBD0, mark{meaning: statusAfter})
	t.mask(sHalt)
	return t
}
