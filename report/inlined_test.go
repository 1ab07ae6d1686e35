package report

import (
	"errors"
	"strings"
	"testing"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/symbol"
)

// inlinedStacks is outer with 2 samples of its own and 3 in swap that is inlined there, helper with 1 in swap, and 4 in a swap
// that is called.
func inlinedStacks() (p *profile.Profile, outer, swap profile.FunctionIndex, code profile.SymbolIndex) {
	rows := profile.NewRows()
	function := func(name string) profile.FunctionIndex {
		return rows.Function(profile.Function{Name: name, File: "a.c", Line: 1}, 0)
	}
	outer, swap = function("outer"), function("swap")
	track := profile.ThreadTrack{Name: "Core 0"}
	add := func(n, addr int, frames ...profile.FunctionIndex) profile.SymbolIndex {
		at := profile.StackIndex(profile.None)
		s := rows.Symbol(profile.Symbol{Name: "symbol", Low: uint32(addr), High: uint32(addr) + 16})
		for depth, f := range frames {
			at = rows.Stack(at, rows.Frame(profile.Frame{Function: f, Symbol: s, Addr: uint32(addr), Depth: depth, Line: 7 + depth, File: "a.c"}))
		}
		for range n {
			track.Samples = append(track.Samples, profile.Sample{Count: 1, Weight: 1, Stack: at})
		}
		return s
	}
	code = add(2, 0x10, outer)
	add(3, 0x10, outer, swap)
	add(1, 0x40, function("helper"), swap)
	add(4, 0x80, swap)
	p = rows.Finish()
	p.Threads = []profile.ThreadTrack{track}
	return p, outer, swap, code
}

// Where inlined code makes the view of lines and that of instructions count differently, both say by how much: what one
// has for a function, with what the remarks name, is what the other has.
func TestViewsSayWhatIsInlined(t *testing.T) {
	p, outer, swap, code := inlinedStacks()
	r := newReport(t, p)
	sourceOf, codeOf := r.source(outer)[0], newCodeBuilder(p, code, nil).amounts[0]
	if sourceOf.Self.Samples != 2 || codeOf.Samples != 5 {
		t.Fatalf("lines %d, instructions %d", sourceOf.Self.Samples, codeOf.Samples)
	}
	for what, got := range map[string]string{
		"3 samples more ended in what is inlined into outer": sourceOf.Remark,
		"3 samples of self ended in what is inlined here":    inliningOf(p, outer).ofCode("outer", code),
		"4 samples of self ended where swap is inlined":      r.source(swap)[0].Remark,
		"into outer, helper":                                 inliningOf(p, swap).ofCode("swap", 0),
	} {
		if !strings.Contains(got, what) {
			t.Errorf("%q says nothing of %q", got, what)
		}
	}
	if got := inliningOf(p, outer); got.away != 0 || len(got.hosts) != 0 {
		t.Errorf("%+v", got)
	}
	r.program = &symbol.Program{}
	p, _, _, _ = inlinedStacks()
	p.Threads[0].Samples = p.Threads[0].Samples[:6] // none of a swap that is called
	for i := range p.Frames {
		if f := &p.Frames[i]; f.Function == swap && f.Depth == 0 {
			f.Symbol = profile.None
		}
	}
	r.profile = p
	var inlined *InlinedError
	if err := r.AddCode("swap"); !errors.As(err, &inlined) || !strings.HasSuffix(err.Error(), "it is inlined into outer, helper") {
		t.Error(err)
	}
}
