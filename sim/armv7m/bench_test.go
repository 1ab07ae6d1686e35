package armv7m

import (
	"debug/elf"
	"testing"
)

// program loads an ELF file into 64 KiB of ROM at 0 and RAM at 0x20000000.
func program(t testing.TB, file string, cfg Config) *Core {
	t.Helper()
	f, err := elf.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rom, ram := make([]byte, 0x10000), make([]byte, 0x10000)
	for _, p := range f.Progs {
		to := rom
		if p.Vaddr >= 0x20000000 {
			to = ram
		}
		if p.Filesz == 0 {
			continue
		}
		if _, err := p.ReadAt(to[p.Vaddr&0xffff:][:p.Filesz], 0); err != nil {
			t.Fatal(err)
		}
	}
	cfg.Regions = []Region{{Base: 0, Data: rom, ROM: true}, {Base: 0x20000000, Data: ram}}
	c, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// shadow is a Tracer that does what a shadow call stack has to do at least.
type shadow struct {
	stack []uint32
	depth int
	core  *Core
	spent uint64
}

func (s *shadow) Call(from, to, ret, sp uint32) {
	s.spent += s.core.Cycles()
	if s.depth < len(s.stack) {
		s.stack[s.depth] = ret
		s.depth++
	}
}

func (s *shadow) Jump(from, to, sp uint32) {
	s.spent += s.core.Cycles()
	if s.depth > 0 && s.stack[s.depth-1] == to {
		s.depth--
	}
}
func (s *shadow) Enter(exc int, ret, frame, excReturn, to uint32) {}
func (s *shadow) Leave(exc int, frame, excReturn, to uint32)      {}

func benchmark(b *testing.B, c *Core) {
	c.Run(1_000_000) // decode
	start := c.Instructions()
	b.ResetTimer()
	for b.Loop() {
		c.Run(c.Cycles() + 1_000_000)
	}
	n := float64(c.Instructions() - start)
	b.ReportMetric(n/b.Elapsed().Seconds()/1e6, "Minstr/s")
	b.ReportMetric(float64(b.N)*1e6/b.Elapsed().Seconds()/1e6, "Mcycles/s")
}

func BenchmarkCore(b *testing.B) {
	benchmark(b, program(b, "testdata/bench/bench.elf", Config{}))
}

func BenchmarkCoreTraced(b *testing.B) {
	s := &shadow{stack: make([]uint32, 1024)}
	c := program(b, "testdata/bench/bench.elf", Config{
		Tracer: s,
		Leaves: func(from, to uint32) bool { return false },
	})
	s.core = c
	benchmark(b, c)
}

// BenchmarkCoreVFP is a loop of VADD, VMUL, VFMA, VLDR, VSTR and B.
func BenchmarkCoreVFP(b *testing.B) {
	c := vfpMachine(b, 0xee71, 0x0a21, 0xee61, 0x2a21, 0xeee1, 0x0a21, 0xedd2, 0x0a02, 0xedc2, 0x0a02, 0xe7f4)
	c.WriteReg(2, 0x20000100)
	c.s[2], c.s[3] = 0x3fc90fdb, 0x402df854
	benchmark(b, c)
}

// TestProgram compares with what the same C code computes on the host.
func TestProgram(t *testing.T) {
	const result, rounds = 0x20001204, 0x20001208
	c := program(t, "testdata/bench/bench.elf", Config{})
	for range 20_000_000 {
		c.Step()
		if n, _ := c.ReadBus(rounds, 4); n == 3 {
			break
		}
	}
	if v, _ := c.ReadBus(result, 4); v != 0x69c6ee26 {
		t.Errorf("result after 3 rounds 0x%08x, want 0x69c6ee26", v)
	}
}
