package sim_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/mprof/mprof/firmware/demo"
	"github.com/mprof/mprof/sim"
	"github.com/mprof/mprof/sim/truth"
)

// The figures of testdata/calls.c from its listing and the table of cycles.
// Ticks that interrupt change none of it, and hooks are taken apart.
func TestCalls(t *testing.T) {
	b := newBoard(t, sim.Options{ELF: elfFile(t, "calls.elf"), Calls: []string{"leaf", "parent", "plain_leaf", "plain_parent", "systick_handler"}})
	b.Sleep(context.Background(), 50*time.Millisecond)
	// push 1+N, mov 1, bl 3, subs 1, bne 3 or 1, bx 3, pop 1+N+2.
	const turns1000 = 1000*4 - 2 + 3
	want := map[string]truth.Cost{
		"plain_leaf":      {Cycles: 3 + 1 + 3 + turns1000 + 5, Instructions: 2005},
		"leaf":            {Cycles: 5 + 1 + 2 + 1 + 1 + 3 + 1 + 3 + turns1000 + 1 + 1 + 3 + 7, Instructions: 2013},
		"systick_handler": {Cycles: 429, Instructions: 209},
		"parent":          {Cycles: 10096, Instructions: 5041},
		"plain_parent":    {Cycles: 10045, Instructions: 5017},
	}
	hooks := map[string]uint64{"leaf": 2, "parent": 6}
	seen, interrupted := map[string]int{}, map[string]int{}
	for _, c := range b.Calls() {
		seen[c.Function]++
		if c.Away.Cycles > 0 {
			interrupted[c.Function]++
		}
		if c.Net() != want[c.Function] {
			t.Fatalf("%+v: net %v, want %v", c, c.Net(), want[c.Function])
		}
		if c.HookCalls != hooks[c.Function] || c.Hooks.Cycles != 230*c.HookCalls || c.Hooks.Instructions != 112*c.HookCalls {
			t.Fatalf("%+v: hooks", c)
		}
		if ticks := c.Away.Cycles / 441; c.Away.Cycles%441 != 0 || c.Away.Instructions != 209*ticks {
			t.Fatalf("%+v: a tick is 12 cycles of entry and 429 of the handler", c)
		}
		if handler := c.Function == "systick_handler"; handler != (c.Exception == 15) || handler != (c.Thread == 0) || c.Left {
			t.Fatalf("%+v", c)
		}
		if nested := strings.HasSuffix(c.Function, "leaf"); nested != (c.Depth == 1) {
			t.Fatalf("%+v: depth", c)
		}
	}
	for f := range want {
		if seen[f] < 20 || f != "systick_handler" && interrupted[f] < 20 {
			t.Errorf("%s: %d calls, %d of them interrupted", f, seen[f], interrupted[f])
		}
	}
}

// All calls of a program with threads, interrupts and jumps: each adds up, and
// lies within the one around it.
func TestCallsOfAll(t *testing.T) {
	b := newBoard(t, sim.Options{ELF: demo.ELF, Calls: []string{"*"}})
	b.Sleep(context.Background(), 500*time.Millisecond)
	calls := b.Calls()
	threads := map[int]bool{}
	type place struct{ thread, exception, depth int }
	inner := map[place][]truth.Call{} // ended, waiting for the call around them
	away := 0
	for _, c := range calls {
		threads[c.Thread] = true
		if c.Whole.Cycles != c.Exit-c.Enter || c.Away.Cycles > c.Whole.Cycles || c.Whole.Instructions > c.Whole.Cycles || c.Away.Instructions > c.Whole.Instructions {
			t.Fatalf("%+v", c)
		}
		if c.Away.Cycles > 0 {
			away++
		}
		at := place{c.Thread, c.Exception, c.Depth}
		below := place{c.Thread, c.Exception, c.Depth + 1}
		var sum uint64
		for _, i := range inner[below] {
			if i.Enter < c.Enter || i.Exit > c.Exit {
				t.Fatalf("%+v is not within %+v", i, c)
			}
			net := i.Net()
			sum += net.Cycles
		}
		if net := c.Net(); sum > net.Cycles {
			t.Fatalf("%+v: its callees took %d of %d cycles", c, sum, net.Cycles)
		}
		inner[below] = nil
		inner[at] = append(inner[at], c)
	}
	if len(calls) < 1000 || len(threads) < 3 || away < 100 {
		t.Errorf("%d calls in %d threads, %d of them interrupted", len(calls), len(threads), away)
	}
}

func TestCallsUnknown(t *testing.T) {
	_, err := sim.New(sim.Options{ELF: elfFile(t, "calls.elf"), Calls: []string{"leaf", "nobody"}})
	if err == nil || !strings.Contains(err.Error(), "nobody") || strings.Contains(err.Error(), "leaf") {
		t.Error(err)
	}
}
