package cortexm

import "github.com/mprof/mprof/probe"

// alternative is one branch that the probe can take: when the stack pointer in
// DCRDR is one of the block's, read its window and resume. With chain the window
// is that of a handler, PSP is read and another alternative must follow.
type alternative struct {
	mask, value uint32 // of DCRDR
	low, high   uint32 // of the window
	chain       bool
}

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

func (a alternative) words() int { return Extent{a.low, a.high}.words() }

// wraps is how often TAR must be set anew inside the window.
func (a alternative) wraps() int {
	if a.low >= a.high {
		return 0
	}
	return int((a.high-1)/tarWrap - a.low/tarWrap)
}

// transfers is the number of SWD transfers from the value match to the resume:
// 2 for the match, SELECT, TAR, the words and one for the last, TAR, DRW.
func (a alternative) transfers() int {
	n := a.words()
	switch {
	case a.chain && n == 0:
		return 2 + 4
	case a.chain:
		return 2 + 4 + 2 + n + 1 + 2*a.wraps() + 2
	case n == 0:
		return 2 + 1
	}
	return 2 + 2 + n + 1 + 2*a.wraps() + 2
}

// transfer builds the branch as one DAP_Transfer (failing costs 2 SWD transfers
// and the command).
func (s steps) alternative(a alternative, index int) *transfer {
	t := &transfer{role: roleWindow, arg: index}
	t.mask(a.mask)
	t.match(probe.ReadBD2, a.value)
	if !a.chain {
		s.window(t, a.low, a.high)
		return t
	}
	t.role = roleChain
	t.readRegister(regPSP)
	if a.low < a.high {
		t.write(probe.WriteSELECT, s.memory)
		t.readWindow(a.low, a.high)
		t.write(probe.WriteTAR, addrDHCSR)
		t.write(probe.WriteSELECT, s.data)
	}
	return t
}
