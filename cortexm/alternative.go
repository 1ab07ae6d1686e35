package cortexm

import "github.com/mprof/mprof/probe"

// alternative is one branch that the probe can take: it is taken when the
// stack pointer, which stands in DCRDR, lies in its block.
type alternative struct {
	kind        kind
	mask, value uint32 // of DCRDR
	low, high   uint32 // of the window
	tail, end   uint32 // of a selected one: what the shared read brings of it
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

func (a alternative) matches(sp uint32) bool { return sp&a.mask == a.value }

// covers tells whether the window holds all that k needs.
func (a alternative) covers(k key) bool {
	return k.sp >= k.high || a.low <= k.sp && a.high >= k.high
}

// missing is the part of what k needs that lies outside the window. A window
// that begins above the stack pointer helps nobody: unwinding begins there.
func (a alternative) missing(k key) float64 {
	switch {
	case a.covers(k):
		return 0
	case k.sp < a.low || k.sp >= a.high:
		return 1
	}
	return float64(k.high-a.high) / float64(k.high-k.sp)
}

func (a alternative) words() int { return Extent{a.low, a.high}.words() }

// inline are the parts of a selected window that the shared read does not bring.
func (a alternative) inline() [2]Extent {
	return [2]Extent{{a.low, max(a.low, a.tail)}, {min(a.end, a.high), a.high}}
}

// alone tells whether there are none.
func (a alternative) alone() bool {
	in := a.inline()
	return in[0].words()+in[1].words() == 0
}

// wraps is how often TAR must be set anew inside [low, high).
func wraps(low, high uint32) int {
	if low >= high {
		return 0
	}
	return int((high-1)/tarWrap - low/tarWrap)
}

// transfers is the number of SWD transfers from the value match to the resume,
// without what fails on the way: 2 for the match, SELECT, TAR, the words and one
// for the last, TAR, DRW.
func (a alternative) transfers(shared int) int {
	switch a.kind {
	case chained:
		if a.low >= a.high {
			return 2 + 4
		}
		return 2 + 4 + 2 + a.words() + 1 + 2*wraps(a.low, a.high) + 2
	case selected:
		n := 2 + 2
		for _, e := range a.inline() {
			if e.words() > 0 {
				n += 1 + e.words() + 1 + 2*wraps(e.Low, e.High)
			}
		}
		return n + 1 + 2 + shared + 1 + 2 // SELECT, match on TAR, the words, TAR, DRW
	}
	if a.low >= a.high {
		return 2 + 1
	}
	return 2 + 2 + a.words() + 1 + 2*wraps(a.low, a.high) + 2
}

// alternative builds the branch as one DAP_Transfer. Where the match fails it
// costs 2 SWD transfers and the command.
func (s steps) alternative(a alternative, index int) *transfer {
	t := &transfer{role: roleWindow, arg: index}
	t.mask(a.mask)
	t.match(probe.ReadBD2, a.value)
	switch a.kind {
	case whole:
		s.window(t, a.low, a.high)
	case selected:
		t.role = roleSelect
		t.write(probe.WriteSELECT, s.memory)
		for _, e := range a.inline() {
			t.readWindow(e.Low, e.High)
		}
		t.write(probe.WriteTAR, a.tail)
	case chained:
		t.role = roleChain
		t.readRegister(regPSP)
		if a.low < a.high {
			t.write(probe.WriteSELECT, s.memory)
			t.readWindow(a.low, a.high)
			t.write(probe.WriteTAR, addrDHCSR)
			t.write(probe.WriteSELECT, s.data)
		}
	}
	return t
}

// shared is the read that all selected alternatives end in: n words from where
// they left TAR, then the resume. TAR is compared first: where no alternative
// was selected it does not lie in the stacks.
func (s steps) shared(mask, value uint32, n int) *transfer {
	t := &transfer{role: roleShared}
	t.write(probe.WriteSELECT, s.memory)
	t.mask(mask)
	t.match(probe.ReadTAR, value)
	for i := range n {
		t.read(probe.ReadDRW, mark{sharedWord, uint32(4 * i)})
	}
	s.resumeByDRW(t)
	return t
}
