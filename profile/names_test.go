package profile_test

import (
	"testing"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/unwind"
)

// vectored is a symbolizer whose handler at 0x100 has several names, and whose
// memory from 0x1000 on has no functions.
type vectored struct{ program }

func (vectored) HandlerAt(exc uint16, pc uint32) (exception, alias string) {
	if exc == 18 && pc < 0x200 {
		return "IRQ 2 (TIM2_IRQHandler)", "TIM2_IRQHandler"
	}
	return "IRQ 9 (installed)", ""
}

func (vectored) Region(uint32) string { return "[boot ROM]" }

// A handler and the exception behind it name each other; the frames of other
// places, and what the symbolizer keeps, stay as they are.
func TestFrameNames(t *testing.T) {
	handler, helper := function("Default_Handler", "startup.c", 5, 0x100), function("helper", "startup.c", 9, 0x300)
	sym := vectored{program{0x104: {at(handler, 6)}, 0x304: {at(helper, 10)}}}
	frames := []unwind.Frame{
		{PC: 0x304}, {PC: 0x106, Kind: unwind.Caller}, {Kind: unwind.Exception, ExcNum: 18}, {PC: 0x1004, Kind: unwind.Interrupted},
	}
	want := []string{"helper", "Default_Handler (TIM2_IRQHandler)", "IRQ 2 (TIM2_IRQHandler)", "[boot ROM]"}
	for i := range frames {
		n := profile.FrameNames(sym, frames, i)
		got := n.Label
		if len(n.Functions) > 0 {
			got = n.Functions[0].Name
		}
		if got != want[i] {
			t.Errorf("frame %d: %q, want %q", i, got, want[i])
		}
	}
	if name := sym.Lookup(0x104)[0].Name; name != "Default_Handler" {
		t.Errorf("the symbolizer's own name became %q", name)
	}
	// The exception alone, and one whose handler is not known.
	if n := profile.FrameNames(sym, frames[2:], 0); n.Label != "IRQ 2" {
		t.Errorf("exception without its handler: %q", n.Label)
	}
	frames[2].ExcNum = 25
	if n := profile.FrameNames(sym, frames, 2); n.Label != "IRQ 9 (installed)" {
		t.Errorf("exception of another table: %q", n.Label)
	}
}
