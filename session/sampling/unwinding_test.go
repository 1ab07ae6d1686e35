package sampling

import (
	"testing"

	"github.com/mprof/mprof/symbol"
	"github.com/mprof/mprof/unwind"
)

// Who may guess, and with which methods.
func TestUnwindingProgram(t *testing.T) {
	image, err := symbol.Open("../../firmware/demo/demo.elf")
	if err != nil {
		t.Fatal(err)
	}
	of, err := symbol.NewProgram(image)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		w       Unwinding
		methods unwind.Choice
		guess   bool
	}{
		{Unwinding{}, unwind.Auto, true}, {Unwinding{NoGuess: true}, unwind.Auto, false},
		{UnwindingOf("pc", false), unwind.Auto, true},
		{UnwindingOf("dwarf", false), unwind.DWARF, false}, {UnwindingOf("fp", false), unwind.FramePointers, false},
	} {
		if p := c.w.Program(of); p.Methods != c.methods || p.Guess != c.guess {
			t.Errorf("%+v: methods %d, guess %v", c.w, p.Methods, p.Guess)
		}
	}
}
