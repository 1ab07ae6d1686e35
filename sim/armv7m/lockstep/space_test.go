package lockstep

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/mprof/mprof/sim/armv7m"
)

// TestNarrowSpace holds the UNDEFINED ones among all 65536 halfwords against
// the list of the manual: DDI 0403E A5.2.5, DDI 0419 A5.2.5.
func TestNarrowSpace(t *testing.T) {
	type span struct{ first, last uint32 }
	want := map[Level][]span{
		V7EM: {{0xb600, 0xb65f}, {0xb680, 0xb8ff}, {0xba80, 0xbabf}},
		V6M: {{0xb100, 0xb1ff}, {0xb300, 0xb3ff}, {0xb600, 0xb65f}, {0xb680, 0xb9ff},
			{0xba80, 0xbabf}, {0xbb00, 0xbbff}},
	}
	want[V7M], want[FPv4] = want[V7EM], want[V7EM]
	for _, b := range Boards {
		for w := uint32(0); w < 0xe800; w++ {
			expect := b.Arch == V6M && w>>8 == 0xbf && w&15 != 0 // IT
			for _, s := range want[b.Arch] {
				expect = expect || w >= s.first && w <= s.last
			}
			if got := Classify(b.Arch, w, false) == nil; got != expect {
				t.Errorf("%s: 0x%04x UNDEFINED: %v, manual %v", b, w, got, expect)
			}
		}
	}
}

// TestPatternsAreReached: no pattern is hidden by those before it, every rule
// is cited by a check, and every check cites a rule of the table.
func TestPatternsAreReached(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	known, hit := map[RuleID]bool{"": true, undefined: true}, map[RuleID]int{}
	for _, r := range Rules {
		known[r.ID] = true
	}
	for _, b := range Boards {
		for _, p := range Patterns {
			if !b.Arch.Has(p.Need) {
				continue
			}
			reached, sound := 0, 0
			for range 4000 {
				w := rng.Uint32()
				if !p.wide {
					w &= 0xffff
				}
				w = w&^p.mask | p.value
				if rng.IntN(4) > 0 {
					w = w&^p.soft | p.softValue
				}
				if Classify(b.Arch, w, p.wide) != p {
					continue
				}
				reached++
				r := Check(b.Arch, Word{p, w})
				if hit[r]++; !known[r] {
					t.Errorf("%s: rule %q is not in the table", p.Name, r)
				}
				if r == "" {
					sound++
				}
			}
			if reached == 0 || sound == 0 != p.Barred {
				t.Errorf("%s: %s: of 4000 draws %d are of the pattern, %d defined", b, p.Name, reached, sound)
			}
		}
	}
	for _, r := range Rules {
		if hit[r.ID] == 0 {
			t.Errorf("rule %s leaves nothing out", r.ID)
		}
	}
}

// TestLaxEncodings: what QEMU executes although it is UNDEFINED, and what the
// random programs therefore leave out, is UNDEFINED to the simulated core.
func TestLaxEncodings(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, l := range Lax {
		for _, b := range Boards {
			tried := 0
			for range 64 {
				w := rng.Uint32()&^l.mask | l.value
				if !l.wide {
					w &= 0xffff
				}
				if p := Classify(b.Arch, w, l.wide); !emulatorDecodes(b.Arch, w, l.wide) ||
					p != nil && Check(b.Arch, Word{p, w}) != undefined {
					continue
				}
				tried++
				if err := undefinedOnCore(b, w, l.wide); err != nil {
					t.Errorf("%s: %08x (%s): %v", b, w, l.text, err)
				}
			}
			t.Logf("%s: %s: %d", b, l.text, tried)
		}
	}
}

// TestUndefined: what the manual calls UNDEFINED is that to the simulated core,
// whatever QEMU makes of it; above all what differs from a defined instruction
// in a bit or two.
func TestUndefined(t *testing.T) {
	n := 6000
	if testing.Short() {
		n = 600
	}
	for _, b := range Boards {
		g := newGenerator(b, firstSeed(t))
		for done := 0; done < n; {
			w, wide, ok := g.drawUndefined()
			if !ok {
				continue
			}
			done++
			if err := undefinedOnCore(b, w, wide); err != nil {
				t.Errorf("%s: %08x: %v", b, w, err)
			}
		}
	}
}

// undefinedOnCore executes one instruction and wants a HardFault, which on
// ARMv7-M is an escalated UsageFault with UNDEFINSTR.
func undefinedOnCore(b Board, w uint32, wide bool) error {
	c := code{wide: b.Arch != V6M}
	c.word(RAMBase + 0x1000)
	for range 15 {
		c.word(0x101)
	}
	for c.pos() < 0x100 {
		c.half(nop)
	}
	c.instruction(w, wide)
	c.half(nop)
	flash := make([]byte, 0x1000)
	copy(flash, c.flash)
	core, err := armv7m.New(armv7m.Config{Arch: b.Arch.Core(), FPU: b.Arch.Has(FPv4), Regions: []armv7m.Region{
		{Base: 0, Data: flash}, {Base: RAMBase, Data: make([]byte, 0x2000)}}})
	if err != nil {
		return err
	}
	if b.Arch.Has(FPv4) {
		core.WriteBus(cpacr, 4, 0xf<<20)
	}
	core.Step()
	core.Step()
	if xpsr, _ := core.ReadReg(16); xpsr&0x1ff != 3 {
		return fmt.Errorf("exception %d", xpsr&0x1ff)
	}
	if cfsr, _ := core.ReadBus(0xe000ed28, 4); b.Arch != V6M && cfsr != 1<<16 {
		return fmt.Errorf("CFSR 0x%08x", cfsr)
	}
	return nil
}
