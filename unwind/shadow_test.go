package unwind

import (
	"debug/elf"
	"testing"

	"github.com/mprof/mprof/sim/armv7m"
	"github.com/mprof/mprof/sim/truth"
	"github.com/mprof/mprof/snapshot"
)

// simulation is a program on the simulated core, and its shadow call stack.
type simulation struct {
	*armv7m.Core
	truth *truth.Truth
	ram   []byte
	snap  snapshot.Snapshot
}

const ramBase = 0x20000000

// noise is a peripheral whose registers change all the time, so that no loop
// waits for ever on one.
type noise struct{ state, mask uint32 }

func (n *noise) Read(uint32, int) (uint32, bool) {
	n.state = n.state*1664525 + 1013904223 // Numerical Recipes' generator
	return (uint32(int32(n.state)>>31) ^ n.state&0xf) & n.mask, true
}

func (n *noise) Write(uint32, int, uint32) bool { return true }

// simulate loads an ELF into a core with ROM and RAM; what is loaded runs from
// where the linker placed it.
func simulate(t testing.TB, path string, arch armv7m.Arch) *simulation {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	ram := make([]byte, 1<<20)
	cfg := armv7m.Config{Arch: arch, Regions: []armv7m.Region{{Base: ramBase, Data: ram}}}
	cfg.Mounts = []armv7m.Mount{
		{Base: 0x40000000, Size: 0x20000000, Device: &noise{mask: ^uint32(0)}},
		{Base: 0xd0000000, Size: 0x1000, Device: &noise{mask: 1}}, // SIO of an RP2040, whose first register is the number of the core
	}
	for _, p := range f.Progs {
		if p.Type != elf.PT_LOAD || p.Filesz == 0 {
			continue
		}
		data := make([]byte, p.Filesz)
		if _, err := p.ReadAt(data, 0); err != nil {
			t.Fatal(err)
		}
		cfg.Regions = append(cfg.Regions, armv7m.Region{Base: uint32(p.Paddr), Data: data, ROM: true})
		if len(cfg.Regions) == 2 {
			cfg.VTOR = uint32(p.Paddr)
		}
	}
	if v := f.Section(".vector_table"); v != nil {
		cfg.VTOR = uint32(v.Addr)
	}
	s := &simulation{truth: truth.New(truthFunctions(t, f))}
	cfg.Tracer, cfg.Leaves = s.truth, s.truth.Leaves
	if s.Core, err = armv7m.New(cfg); err != nil {
		t.Fatal(err)
	}
	s.truth.Attach(s.Core)
	pc, _ := s.ReadReg(uint8(snapshot.PC))
	sp, _ := s.ReadReg(uint8(snapshot.SP))
	s.truth.Reset(pc, sp)
	s.ram = ram
	return s
}

func truthFunctions(t testing.TB, f *elf.File) (out []truth.Function) {
	t.Helper()
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range symbols {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC && s.Section < elf.SHN_LORESERVE {
			low := uint32(s.Value) &^ 1
			out = append(out, truth.Function{Name: s.Name, Low: low, High: low + uint32(s.Size)})
			if s.Size == 0 {
				out[len(out)-1].High = 0
			}
		}
	}
	return out
}

// freeze takes the registers and both stacks from their pointers upwards, as a
// sampler does: nothing below, where handlers and calls have been.
func (s *simulation) freeze() *snapshot.Snapshot {
	for _, reg := range []snapshot.Reg{snapshot.R0, snapshot.R1, snapshot.R2, snapshot.R3, snapshot.R4, snapshot.R5, snapshot.R6, snapshot.R7,
		snapshot.R8, snapshot.R9, snapshot.R10, snapshot.R11, snapshot.R12, snapshot.SP, snapshot.LR, snapshot.PC, snapshot.XPSR, snapshot.MSP,
		snapshot.PSP, snapshot.CONTROL} {
		v, _ := s.ReadReg(uint8(reg))
		s.snap.Regs.Set(reg, v)
	}
	s.snap.Windows = s.snap.Windows[:0]
	for _, reg := range []snapshot.Reg{snapshot.MSP, snapshot.PSP} {
		sp, _ := s.snap.Regs.Value(reg)
		if at := sp - ramBase; at < uint32(len(s.ram)) {
			s.snap.Windows = append(s.snap.Windows, snapshot.Window{Addr: sp, Data: s.ram[at:]})
		}
	}
	return &s.snap
}
