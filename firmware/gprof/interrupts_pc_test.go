package gprof_test

import (
	"math/rand/v2"
	"testing"
)

// nested makes a call that others interrupt, which others interrupt in turn. It notes every call in made.
func nested(r *rand.Rand, levels int, made map[[2]uint32]uint32, clears bool) operation {
	key := [2]uint32{0x1000 + uint32(r.IntN(12))*0x40 | 1, 0x1100 + uint32(r.IntN(3))*0x100 | 1}
	made[key]++
	o := do(call, key[0], key[1])
	for range r.IntN(5) {
		o.at = append(o.at, uint32(r.IntN(14)))
		switch {
		case clears && r.IntN(6) == 0:
			o.interrupts = append(o.interrupts, do([]uint32{reset, request}[r.IntN(2)]))
		case r.IntN(5) == 0 || levels == 0:
			o.interrupts = append(o.interrupts, do(hit, 0x1000+uint32(r.IntN(0x400)), 1))
		default:
			o.interrupts = append(o.interrupts, nested(r, levels-1, made, clears))
		}
	}
	return o
}

// Calls that are interrupted by calls at each exclusive access: every one is counted once, at its arc.
func TestNestedCalls(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 2))
		made := map[[2]uint32]uint32{}
		ops := []operation{do(memory, 100000), do(on, 0x1000, 0x2000, 16, 997)}
		for range 40 {
			ops = append(ops, nested(r, 3, made, false))
		}
		h := run(t, []string{"exclusive", "masked"}[seed%2], append(ops, do(dump))...)[0]
		got := h.calls(t)
		for key, n := range made {
			if got[key] != n {
				t.Fatalf("seed %d: %x: %d, want %d", seed, key, got[key], n)
			}
		}
		if len(got) != len(made) || h.ArcsLost != 0 {
			t.Fatalf("seed %d: %d arcs of %d, %d calls lost", seed, len(got), len(made), h.ArcsLost)
		}
	}
}

// The same with little room: what is not counted at an arc is counted as lost.
func TestNestedCallsWithoutRoom(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 3))
		made := map[[2]uint32]uint32{}
		const counters, hash = 512, 36
		ops := []operation{do(memory, counters+hash+16*uint32(r.IntN(20))), do(on, 0x1000, 0x2000, 16, 997)}
		total := uint32(0)
		for range 40 {
			ops = append(ops, nested(r, 2, made, false))
		}
		for _, n := range made {
			total += n
		}
		h := run(t, []string{"exclusive", "masked"}[seed%2], append(ops, do(dump))...)[0]
		sum := h.ArcsLost
		for key, n := range h.calls(t) {
			if n > made[key] {
				t.Fatalf("seed %d: %x: %d of %d calls", seed, key, n, made[key])
			}
			sum += n
		}
		if sum != total {
			t.Fatalf("seed %d: %d calls, %d of them lost; there were %d", seed, sum, h.ArcsLost, total)
		}
	}
}

// Who clears may interrupt a call anywhere. What is counted then belongs to calls that were under way or came later;
// the chains stay in order (held.check), and after a last clearing every call counts.
func TestClearedInTheMidst(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 4))
		made, after := map[[2]uint32]uint32{}, map[[2]uint32]uint32{}
		ops := []operation{do(memory, 100000), do(on, 0x1000, 0x2000, 16, 997)}
		for range 30 {
			ops = append(ops, nested(r, 3, made, true), do(dump))
		}
		ops = append(ops, do(hit, 0x1000, 1), do(reset))
		for range 10 {
			ops = append(ops, nested(r, 3, after, false))
		}
		all := run(t, []string{"exclusive", "masked"}[seed%2], append(ops, do(dump))...)
		for _, h := range all[:len(all)-1] {
			for key, n := range h.calls(t) {
				if n > made[key] {
					t.Fatalf("seed %d: %x: %d of %d calls", seed, key, n, made[key])
				}
			}
		}
		h := all[len(all)-1]
		for key, n := range h.calls(t) {
			if n != after[key] {
				t.Fatalf("seed %d: %x: %d, want %d", seed, key, n, after[key])
			}
		}
		if len(h.calls(t)) != len(after) {
			t.Fatalf("seed %d: %d arcs of %d", seed, len(h.calls(t)), len(after))
		}
	}
}
