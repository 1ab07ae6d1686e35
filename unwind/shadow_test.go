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
	snap  snapshot.Snapshot
}

// simulate loads an ELF into a core with ROM and RAM; what is loaded runs from
// where the linker placed it.
func simulate(t testing.TB, path string, arch armv7m.Arch) *simulation {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	ram := make([]byte, 256<<10)
	cfg := armv7m.Config{Arch: arch, Regions: []armv7m.Region{{Base: 0x20000000, Data: ram}}}
	for _, p := range f.Progs {
		if p.Type != elf.PT_LOAD || p.Filesz == 0 {
			continue
		}
		data := make([]byte, p.Filesz)
		if _, err := p.ReadAt(data, 0); err != nil {
			t.Fatal(err)
		}
		cfg.Regions = append(cfg.Regions, armv7m.Region{Base: uint32(p.Paddr), Data: data, ROM: true})
		if cfg.VTOR == 0 {
			cfg.VTOR = uint32(p.Paddr)
		}
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
	s.snap.Windows = []snapshot.Window{{Addr: 0x20000000, Data: ram}}
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

// freeze takes the registers; the window is the RAM itself.
func (s *simulation) freeze() *snapshot.Snapshot {
	for _, reg := range []snapshot.Reg{snapshot.R0, snapshot.R1, snapshot.R2, snapshot.R3, snapshot.R4, snapshot.R5, snapshot.R6, snapshot.R7,
		snapshot.R8, snapshot.R9, snapshot.R10, snapshot.R11, snapshot.R12, snapshot.SP, snapshot.LR, snapshot.PC, snapshot.XPSR, snapshot.MSP,
		snapshot.PSP, snapshot.CONTROL} {
		v, _ := s.ReadReg(uint8(reg))
		s.snap.Regs.Set(reg, v)
	}
	return &s.snap
}
