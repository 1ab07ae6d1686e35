package profile_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/unwind"
)

// Guesses are counted, have names of their own below a root of their own, and
// are part of no total of what is known.
func TestGuesses(t *testing.T) {
	p := build(t, func(b *profile.Builder) {
		b.Add(sample(10), []unwind.Frame{leaf(0x08000210), caller(0x08000110)}, complete)
		scanned, beyond := caller(0x08000202), caller(0x08000110)
		scanned.Method, beyond.Beyond = unwind.FromScan, true
		b.Add(sample(20), []unwind.Frame{leaf(0x08000404), scanned, beyond}, unwind.Stop{Reason: unwind.NoRule, Addr: 0x08000404})
		unknown := caller(0x1fff0000)
		unknown.Method = unwind.FromScan
		b.Add(sample(30), []unwind.Frame{leaf(0x08000404), unknown}, unwind.Stop{Reason: unwind.BadRA, Addr: 3})
	})
	want := []string{
		"main;fib;mix 1",
		"<guessed: no unwind information>;main [guessed];fib [guessed];SysTick_Handler 1",
		"<guessed: return address not in code>;0x1fff0000 [guessed];SysTick_Handler 1",
	}
	if d := cmp.Diff(want, folded(p)); d != "" {
		t.Error(d)
	}
	if p.Taken.Guessed != (profile.Guesses{Stacks: 2, Frames: 3}) || p.Taken.Stops[unwind.Complete] != 1 {
		t.Errorf("%+v, %v", p.Taken.Guessed, p.Taken.Stops)
	}
	for _, e := range p.Top() {
		if e.Name == "main" && e.Total != 1 {
			t.Errorf("main counts %d times", e.Total)
		}
	}
	for _, f := range p.Frames {
		if name := p.Functions[f.Function].Name; f.Guessed != (len(name) > 9 && name[len(name)-9:] == "[guessed]") {
			t.Errorf("%s: guessed %v", name, f.Guessed)
		}
	}
}

// Cuts are counted by the function whose callers are not known.
func TestCuts(t *testing.T) {
	p := build(t, func(b *profile.Builder) {
		noRule := unwind.Stop{Reason: unwind.NoRule, Addr: 0x08000202}
		for ms := range 3 {
			b.Add(sample(ms), []unwind.Frame{leaf(0x08000210), caller(0x08000202)}, noRule)
		}
		guess := caller(0x08000110)
		guess.Method = unwind.FromScan
		b.Add(sample(4), []unwind.Frame{leaf(0x08000210), guess}, noRule)
		b.Add(sample(5), []unwind.Frame{leaf(0x08000404), boundary(15)}, unwind.Stop{Reason: unwind.NotCaptured, Addr: 0x20000000})
		b.Add(sample(6), []unwind.Frame{leaf(0x1fff0000)}, unwind.Stop{Reason: unwind.CantUnwind, Addr: 0x1fff0000})
		b.Add(sample(7), []unwind.Frame{leaf(0x08000110)}, complete)
		b.Add(sample(8), nil, unwind.Stop{Reason: unwind.InLockup})
	})
	want := []profile.Cut{
		{Reason: unwind.NoRule, Function: "fib", Stacks: 4},
		{Reason: unwind.CantUnwind, Function: "0x1fff0000", Stacks: 1},
		{Reason: unwind.NotCaptured, Function: "SysTick_Handler", Stacks: 1},
	}
	if d := cmp.Diff(want, p.Taken.Cuts); d != "" {
		t.Error(d)
	}
}
