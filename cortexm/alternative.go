package cortexm

import (
	"math/bits"

	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/snapshot"
)

// alternative is one branch that the probe can take: it is taken when the
// stack pointer, which stands in DCRDR, lies in its block.
type alternative struct {
	kind        kind
	mask, value uint32 // of DCRDR
	low, high   uint32 // of the window
	tail, end   uint32 // of a selected one: what the shared read brings of it

	runs []Extent // instead of the window: words that unwinding needs
	regs uint32   // registers that not all samples have, as a set
	sp   bool     // SP is read, too
	rest bool     // it is for all that no other is for
}

type kind uint8

const (
	// whole reads its window and resumes: the way of the frequent stacks.
	whole kind = iota
	// selected reads what lies outside [tail, end) and leaves TAR at tail, for
	// the read that all selected alternatives share: the way of the rare ones. It
	// takes 23 bytes of the request where a whole one takes 33 and one for each
	// word.
	selected
	// chained reads a handler's stack, then PSP, which the alternatives behind
	// it are compared with.
	chained
)

// block is the alternative for the stack pointers in [at, at+size), size a
// power of two and at a multiple of it.
func block(at, size uint32) alternative {
	return alternative{mask: ^(size - 1), value: at &^ (size - 1)}
}

// exact tells whether the match leaves no doubt of the stack pointer, whose lowest
// two bits are zero (ARMv7-M ARM B1.4.1).
func (a alternative) exact() bool { return ^a.mask == 3 }

func (a alternative) matches(sp uint32) bool { return sp&a.mask == a.value }

// covers tells whether the window holds all that k needs.
func (a alternative) covers(k key) bool {
	return k.sp >= k.high || a.low <= k.sp && a.high >= k.high
}

func (a alternative) words() int { return Extent{a.low, a.high}.words() }

// inline are the parts of a selected window that the shared read does not bring.
func (a alternative) inline() [2]Extent {
	return [2]Extent{{a.low, max(a.low, a.tail)}, {min(a.end, a.high), a.high}}
}

// extents are what it reads.
func (a alternative) extents() []Extent {
	if a.runs == nil && a.low < a.high {
		return []Extent{{a.low, a.high}}
	}
	return a.runs
}

// extra reads the registers that belong to the branch. One that was checked
// before stands for them.
func (s steps) extra(t *transfer, a alternative, regs uint32) {
	if a.sp {
		t.read(probe.ReadBD2, mark{swiftValue, uint32(snapshot.SP)})
	}
	for ; regs != 0; regs &= regs - 1 {
		s.register(t, snapshot.Reg(bits.TrailingZeros32(regs)), false)
	}
}

// alternative builds the branch as one DAP_Transfer. Where the match fails it
// costs 2 SWD transfers and the command.
func (s steps) alternative(a alternative, index int) *transfer {
	t := &transfer{role: roleWindow, arg: index}
	t.mask(a.mask)
	t.match(probe.ReadBD2, a.value)
	switch a.kind {
	case whole:
		s.extra(t, a, a.regs)
		s.window(t, a.extents())
	case selected:
		t.role = roleSelect
		t.write(probe.WriteSELECT, s.memory)
		for _, e := range a.inline() {
			t.readWindow(e.Low, e.High)
		}
		t.write(probe.WriteTAR, a.tail)
	case chained:
		t.role = roleChain
		s.extra(t, a, a.regs|1<<snapshot.PSP) // the last of them
		if all := a.extents(); len(all) > 0 {
			t.write(probe.WriteSELECT, s.memory)
			for _, e := range all {
				t.readWindow(e.Low, e.High)
			}
			t.write(probe.WriteTAR, addrDHCSR)
			t.write(probe.WriteSELECT, s.data)
		}
	}
	return t
}
