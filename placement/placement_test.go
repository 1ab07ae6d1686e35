package placement

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// bruteForce tries all sets.
func bruteForce(p Problem) (value, size int64) {
	for set := range 1 << len(p.Items) {
		v, n := measure(p, func(i int) bool { return set>>i&1 != 0 })
		if n <= p.Budget && (v > value || v == value && n < size) {
			value, size = v, n
		}
	}
	return value, size
}

// measure adds up a set by the definition.
func measure(p Problem, in func(int) bool) (value, size int64) {
	paid := map[int]bool{}
	for i, it := range p.Items {
		if !in(i) {
			continue
		}
		value += it.Value
		size += it.Size
		for _, b := range it.Bridges {
			if to := p.Bridges[b].To; to < 0 || !in(to) {
				paid[b] = true
			}
		}
	}
	for b := range paid {
		size += p.Bridges[b].Size
	}
	return value, size
}

// random draws a problem as firmware has them: sizes that are multiples of
// step, a long tail of values, callees that stay and callees that may move.
func random(r *rand.Rand, items int, step int64, budget int64) Problem {
	p := Problem{Budget: budget}
	for b := range items + items/4 {
		p.Bridges = append(p.Bridges, Bridge{Size: 8 + 4*int64(b%3), To: max(-1, b-items/2)})
	}
	for range items {
		it := Item{Size: step * r.Int64N(1+600/step), Value: int64(1000 / (1 + r.IntN(1500)))}
		for range r.IntN(4) {
			it.Bridges = append(it.Bridges, r.IntN(len(p.Bridges)))
		}
		p.Items = append(p.Items, it)
	}
	return p
}

func TestChooseIsAsGoodAsTryingAllSets(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 1500 {
		p := random(r, 1+r.IntN(12), int64(1+r.IntN(4)), r.Int64N(3000))
		if r.IntN(3) == 0 {
			p.Items[0].Value = 0
			p.Items[0].Size = r.Int64N(30)
		}
		c, err := Choose(p)
		if err != nil {
			t.Fatal(err)
		}
		value, size := bruteForce(p)
		if c.Value != value || c.Size != size || !c.Exact() {
			t.Fatalf("%+v: chosen %d in %d bytes (bound %d), best %d in %d bytes", p, c.Value, c.Size, c.Bound, value, size)
		}
		if v, n := measure(p, func(i int) bool { return slices.Contains(c.Items, i) }); v != c.Value || n != c.Size {
			t.Fatalf("%+v: said %d in %d bytes, is %d in %d bytes", p, c.Value, c.Size, v, n)
		}
		bridges := int64(0)
		for _, b := range c.Bridges {
			bridges += p.Bridges[b].Size
		}
		for _, i := range c.Items {
			bridges += p.Items[i].Size
		}
		if bridges != c.Size {
			t.Fatalf("%+v: items and bridges %v %v have %d bytes, said %d", p, c.Items, c.Bridges, bridges, c.Size)
		}
	}
}

// TestChooseOfManyItems compares with the textbook's dynamic program where
// nothing has bridges, with and without room for the table.
func TestChooseOfManyItems(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, budget := range []int64{1000, 1 << 14, 1 << 16} {
		for _, step := range []int64{1, 4} {
			p := random(r, 400, step, budget)
			best := make([]int64, budget+1)
			for i := range p.Items {
				p.Items[i].Bridges = nil
				for n := budget; n >= p.Items[i].Size; n-- {
					best[n] = max(best[n], best[n-p.Items[i].Size]+p.Items[i].Value)
				}
			}
			c, err := Choose(p)
			if err != nil {
				t.Fatal(err)
			}
			if c.Value != best[budget] || !c.Exact() || c.Size > budget {
				t.Errorf("budget %d, step %d: chosen %d (bound %d) in %d bytes, best %d", budget, step, c.Value, c.Bound, c.Size, best[budget])
			}
		}
	}
}

// TestChooseWithBridges is of the size of firmware: what is found must fit, and
// must be near its own bound.
func TestChooseWithBridges(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, budget := range []int64{500, 2000, 8 << 10, 32 << 10, 64 << 10, 1 << 20, 1 << 30} {
		p := random(r, 300, 2, budget)
		c, err := Choose(p)
		if err != nil {
			t.Fatal(err)
		}
		v, n := measure(p, func(i int) bool { return slices.Contains(c.Items, i) })
		t.Logf("budget %d: %d items worth %d of at most %d in %d bytes", budget, len(c.Items), c.Value, c.Bound, c.Size)
		if n > budget || v != c.Value || n != c.Size {
			t.Errorf("budget %d: said %d in %d bytes, is %d in %d bytes", budget, c.Value, c.Size, v, n)
		}
		if c.Bound < c.Value || float64(c.Bound-c.Value) > 0.02*float64(c.Value) {
			t.Errorf("budget %d: chosen %d, bound %d", budget, c.Value, c.Bound)
		}
	}
}

func TestBoundOfASearchCutShort(t *testing.T) {
	p := random(rand.New(rand.NewPCG(7, 8)), 14, 2, 1500)
	value, _ := bruteForce(p)
	for nodes := range 200 {
		s := newSearch(&p)
		s.limit = nodes
		s.run()
		if c := s.choice(); c.Bound < value || c.Value > value || c.Size > p.Budget {
			t.Fatalf("after %d nodes: %+v; the best is %d", nodes, c, value)
		}
	}
}

func TestChooseRefuses(t *testing.T) {
	for _, test := range []struct {
		p    Problem
		want string
	}{
		{Problem{Budget: -1}, "budget of -1 bytes"},
		{Problem{Items: []Item{{Size: -4}}}, "item 0: size of -4 bytes"},
		{Problem{Items: []Item{{Value: -1}}}, "item 0: value -1"},
		{Problem{Items: []Item{{Value: 1 << 62}}, Budget: 8}, "sum is too large"},
		{Problem{Items: []Item{{Bridges: []int{0}}}}, "bridge 0: there are 0"},
		{Problem{Bridges: []Bridge{{Size: -1}}}, "bridge 0: size of -1 bytes"},
		{Problem{Bridges: []Bridge{{To: 1}}}, "to item 1: there are 0"},
	} {
		if _, err := Choose(test.p); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: error %v, want one with %q", test.p, err, test.want)
		}
	}
}
