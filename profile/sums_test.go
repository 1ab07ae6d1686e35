package profile

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// summed adds the rows of p up by their stacks, as formats without single rows do.
func summed(p *Profile) *Profile {
	out := *p
	out.Sums = p.Summed()
	var rows []Sample
	for _, s := range p.ByStack() {
		rows = append(rows, Sample{Stack: s.Stack, Count: s.Samples, Weight: s.Weight})
	}
	out.Threads = []ThreadTrack{{Name: "all", Samples: rows}}
	return &out
}

// Shares and their errors outlive the single rows.
func TestSumsKeepErrors(t *testing.T) {
	blocks := blocksOf(rand.New(rand.NewPCG(7, 8)), 50*time.Millisecond)
	single := blocksOf(rand.New(rand.NewPCG(9, 10)), 50*time.Millisecond)
	for i := range single.Threads[0].Samples {
		s := &single.Threads[0].Samples[i]
		s.Count, s.Weight = 1, time.Duration(1+i%7)*time.Millisecond
	}
	for name, p := range map[string]*Profile{"blocks": blocks, "single": single} {
		p.Functions[0].Name, p.Functions[1].Name = "a", "b"
		want := p.Top()
		if diff := cmp.Diff(want, summed(p).Top()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if diff := cmp.Diff(want, summed(summed(p)).Top()); diff != "" {
			t.Errorf("%s, twice: %s", name, diff)
		}
		if p.InBlocks() != summed(p).InBlocks() || p.IdleShare() != summed(p).IdleShare() {
			t.Errorf("%s: in blocks %v", name, p.InBlocks())
		}
		bare := summed(p)
		bare.Sums = &Sums{} // nobody knows
		if name == "blocks" && bare.Top()[0].SelfShare.Error >= want[0].SelfShare.Error {
			t.Errorf("errors of blocks do not need to be kept: %v", bare.Top()[0].SelfShare)
		}
	}
}

// Functions of one name in two files stay two, with names of their own.
func TestRows(t *testing.T) {
	r := NewRows()
	a := r.Function(Function{Name: "init", File: "a/uart.c", Line: 1}, 0)
	b := r.Function(Function{Name: "init", File: "a/spi.c", Line: 1}, 0)
	if again := r.Function(Function{Name: "init", File: "a/uart.c", Line: 1}, 0); again != a || a == b {
		t.Errorf("rows %d, %d, %d", a, b, again)
	}
	bad := r.Function(Function{Name: "x\xff"}, 0)
	at := r.Stack(None, r.Frame(Frame{Function: a, Symbol: r.Symbol(Symbol{Name: "init", Low: 4, High: 8})}))
	if again := r.Stack(None, r.Frame(Frame{Function: a, Symbol: 0})); again != at || r.Stacks() != 1 {
		t.Errorf("stack %d, again %d of %d", at, again, r.Stacks())
	}
	p := r.Finish()
	p.Threads = []ThreadTrack{{Name: "t", Samples: []Sample{{Count: 1, Stack: at}}}}
	if err := p.Check(); err != nil {
		t.Error(err)
	}
	if p.Functions[a].Name != "init (uart.c)" || p.Functions[b].Name != "init (spi.c)" || p.Functions[bad].Name != "x\uFFFD" {
		t.Errorf("%+v", p.Functions)
	}
}
