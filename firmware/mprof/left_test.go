package mprof_test

import "testing"

// TestLeft: a loop to which longjmp returns again and again. What was left comes off
// the stack at once, so that the calls after it are where they belong.
func TestLeft(t *testing.T) {
	const turns = 40
	for _, flags := range [][]string{{"-mcpu=cortex-m4", "-O2"}, {"-mcpu=cortex-m4", "-O0"}, {"-mcpu=cortex-m0", "-Os"}, {"-mcpu=cortex-m3", "-O3", "-flto"}} {
		m := buildMachine(t, append(flags, "-DREPEAT=40", "-DLEAVES=7", "-Wno-infinite-recursion")...)
		w := &window{machine: m}
		h := m.finish(t, m.start(t, modeCall))
		got := map[string]int{}
		for _, r := range h.records {
			got[w.name(r.Func, r.Context, r.Depth)]++
		}
		left := 0
		for i := range turns {
			n := i%7 + 1
			left += n
			for depth := range n {
				name := w.name(m.symbols["helper"]&^1, 0, uint16(depth+1))
				if got[name]--; got[name] == 0 {
					delete(got, name)
				}
			}
		}
		if got["outer 0 0"] != turns || got["inner 0 1"] != 2*turns || len(got) != 2 {
			t.Errorf("%v: beyond the calls before longjmp %v", flags, got)
		}
		if s := h.status; int(s.Unmatched) != left || s.Dropped != 0 || s.TooDeep != 0 {
			t.Errorf("%v: %+v, want %d unmatched", flags, s, left)
		}
	}
}
