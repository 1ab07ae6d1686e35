package unwind

import (
	"os"
	"testing"

	"github.com/mprof/mprof/sim/armv7m"
	"github.com/mprof/mprof/snapshot"
)

// demoSnapshots runs the demo firmware and freezes it n times, with copies of
// the stacks that unwinding reads.
func demoSnapshots(b *testing.B, n int) (*Unwinder, []*snapshot.Snapshot, int) {
	const path = "../firmware/demo/demo.elf"
	if _, err := os.Stat(path); err != nil {
		b.Skipf("%s is not built", path)
	}
	u, err := New(loadProgram(b, path))
	if err != nil {
		b.Fatal(err)
	}
	s := simulate(b, path, armv7m.V7EM)
	var out []*snapshot.Snapshot
	depth := 0
	for range n {
		s.Run(s.Cycles() + 16_411)
		live := s.freeze()
		frames, stop := u.Unwind(nil, live)
		if stop.Reason != Complete {
			continue
		}
		depth += len(frames)
		kept := &snapshot.Snapshot{Regs: live.Regs}
		for _, r := range u.Touched() {
			if r.Low < r.High {
				data := append([]byte(nil), s.ram[r.Low-ramBase:r.High-ramBase]...)
				kept.Windows = append(kept.Windows, snapshot.Window{Addr: r.Low, Data: data})
			}
		}
		out = append(out, kept)
	}
	return u, out, depth
}

// BenchmarkUnwind unwinds stacks of the demo firmware with warm rules.
func BenchmarkUnwind(b *testing.B) {
	u, snaps, depth := demoSnapshots(b, 1000)
	dst := make([]Frame, 0, MaxDepth)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		dst, _ = u.Unwind(dst[:0], snaps[i%len(snaps)])
	}
	perSecond := float64(b.N) / b.Elapsed().Seconds()
	b.ReportMetric(perSecond, "stacks/s")
	b.ReportMetric(perSecond*float64(depth)/float64(len(snaps)), "frames/s")
}

// BenchmarkFirst is the first stack of a program: the index of all FDEs is
// built and every rule is new.
func BenchmarkFirst(b *testing.B) {
	_, snaps, _ := demoSnapshots(b, 1000)
	p := loadProgram(b, "../firmware/demo/demo.elf")
	deepest := snaps[0]
	for b.Loop() {
		u, err := New(p)
		if err != nil {
			b.Fatal(err)
		}
		u.Unwind(nil, deepest)
	}
}

// A stack whose rules are known costs no allocation.
func TestNoAllocation(t *testing.T) {
	b := caller(flash + 0x307)
	u, err := New(b.program)
	if err != nil {
		t.Fatal(err)
	}
	dst := make([]Frame, 0, 16)
	if n := testing.AllocsPerRun(100, func() { dst, _ = u.Unwind(dst[:0], &b.snap); u.Touched() }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// BenchmarkSite is the first use of an address of code without call frame
// information, over all of the demo firmware: a function is analysed once.
func BenchmarkSite(b *testing.B) {
	const path = "../firmware/demo/demo.elf"
	if _, err := os.Stat(path); err != nil {
		b.Skipf("%s is not built", path)
	}
	p := loadProgram(b, path)
	p.DebugFrame, p.EHFrame = nil, nil
	n := 0
	for b.Loop() {
		u, err := New(p)
		if err != nil {
			b.Fatal(err)
		}
		for _, r := range p.Code {
			for pc := r.Low; pc < r.High; pc += 2 {
				u.find(pc)
				n++
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/address")
}
