package unwind

import (
	"errors"
	"strings"
	"testing"
)

// fdes concatenates sections of one CIE and one FDE each: [low, low+size) with
// CFA = r13 + offset.
func fdes(entries ...[3]uint32) []byte {
	var out []byte
	for _, e := range entries {
		f := debugFrame{version: 1, codeAlign: 2, dataAlign: -4, initial: []byte{cfaDefCFA, 13, byte(e[2])}, low: e[0], size: e[1], at: len(out)}
		out = append(out, f.bytes()...)
	}
	return out
}

func rulesAt(t *testing.T, p Program, pcs ...uint32) string {
	t.Helper()
	u, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, pc := range pcs {
		r, err := u.RuleAt(pc)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, r.String())
	}
	return strings.Join(out, " ")
}

// An image at address 0, where linkers put the FDEs of functions that they
// dropped: here three of them, one longer than the image, one that covers a
// function without an FDE of its own.
func lowImage() (Program, [][3]uint32) {
	p := Program{Code: []Range{{0, 0x400}}}
	return p, [][3]uint32{
		{0, 0x20, 96}, {0, 0x180, 100}, {0, 0x1000, 104}, // dropped
		{0x100, 0x20, 8}, {0x120, 0x20, 12}, {0x200, 0x40, 16},
	}
}

func TestDroppedFunctions(t *testing.T) {
	p, entries := lowImage()
	p.DebugFrame = fdes(entries...)
	p.Function = func(pc uint32) (Range, bool) {
		for _, r := range []Range{{0x100, 0x120}, {0x120, 0x140}, {0x140, 0x200}, {0x200, 0x240}} {
			if r.Contains(pc) {
				return r, true
			}
		}
		return Range{}, false
	}
	got := rulesAt(t, p, 0x10, 0x100, 0x11f, 0x120, 0x150, 0x23f, 0x240)
	if want := "r13+96 r13+8 r13+8 r13+12 none r13+16 none"; got != want {
		t.Errorf("with symbols: %s, want %s", got, want)
	}
	// Without symbols what starts later is right where two overlap.
	p.Function = nil
	got = rulesAt(t, p, 0x100, 0x11f, 0x120, 0x23f, 0x240)
	if want := "r13+8 r13+8 r13+12 r13+16 none"; got != want {
		t.Errorf("without symbols: %s, want %s", got, want)
	}
}

// Of two FDEs with one start the one that ends with the symbol counts; parts of
// a function may have FDEs of their own; a symbol inside an FDE is no reason to
// distrust it.
func TestOverlappingFDEs(t *testing.T) {
	p := Program{Code: []Range{{0, 0x400}}}
	p.DebugFrame = fdes([3]uint32{0x100, 0x80, 96}, [3]uint32{0x100, 0x40, 8}, [3]uint32{0x200, 0x20, 12}, [3]uint32{0x220, 0x20, 16}, [3]uint32{0x300, 0x40, 20})
	p.Function = func(pc uint32) (Range, bool) {
		for _, r := range []Range{{0x100, 0x140}, {0x200, 0x240}, {0x320, 0x340}, {0x300, 0x320}} {
			if r.Contains(pc) {
				return r, true
			}
		}
		return Range{}, false
	}
	got := rulesAt(t, p, 0x100, 0x140, 0x200, 0x220, 0x300, 0x320)
	if want := "r13+8 none r13+12 r13+16 r13+20 r13+20"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A damaged entry costs no other, and is told of.
func TestDamagedEntry(t *testing.T) {
	bad := fdes([3]uint32{0x100, 0x20, 8})
	bad[8] = 9 // version of its CIE
	good := debugFrame{version: 1, codeAlign: 2, dataAlign: -4, initial: []byte{cfaDefCFA, 13, 12}, low: 0x200, size: 0x20, at: len(bad)}.bytes()
	u, err := New(Program{Code: []Range{{0, 0x400}}, DebugFrame: append(bad, good...)})
	if err != nil {
		t.Fatal(err)
	}
	if r, err := u.RuleAt(0x200); err != nil || r.String() != "r13+12" {
		t.Errorf("rule %s, %v", r, err)
	}
	_, err = u.RuleAt(0x100)
	var decode *DecodeError
	if !errors.As(err, &decode) || decode.Section != ".debug_frame" || decode.Offset != 9 {
		t.Errorf("error %v", err)
	}
	if remarks := strings.Join(u.Remarks(), "\n"); !strings.Contains(remarks, ".debug_frame+0x9: CIE version 9") {
		t.Errorf("remarks %q", remarks)
	}
}

func TestNewRefusesNonsense(t *testing.T) {
	for _, code := range [][]Range{nil, {{5, 5}}, {{0x100, 0x200}, {0x180, 0x300}}} {
		if _, err := New(Program{Code: code}); err == nil {
			t.Errorf("code %v: no error", code)
		}
	}
}
