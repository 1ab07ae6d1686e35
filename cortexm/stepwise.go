package cortexm

import (
	"time"

	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/snapshot"
)

// halting are the transfers of the first step, cut so that each fits a packet.
// SP comes last and stays in DCRDR.
func (pl *planner) halting(regs []snapshot.Reg) []*transfer {
	t := &transfer{delay: pl.placeholder()}
	pl.steps.halt(t)
	all := []*transfer{t}
	for i, r := range regs {
		if !pl.fits(t, registerRequest, registerResponse) {
			t = &transfer{role: roleRegisters}
			all = append(all, t)
		}
		pl.steps.register(t, r, i == len(regs)-1)
	}
	return all
}

// slotted tells whether packets come at fixed times rather than as fast as the
// probe works (HID: one each millisecond).
func (pl *planner) slotted() bool {
	return pl.costs.Packet >= time.Duration(pl.l.bytes/4)*pl.costs.Transfer
}

// asking reads PSP, wherever a guess has left SELECT and TAR.
func (pl *planner) asking() []*transfer {
	t := &transfer{role: roleRegisters}
	pl.steps.aim(t)
	t.readRegister(snapshot.PSP)
	return []*transfer{t}
}

// reading are the transfers of the last step: the windows and the resume. Each
// that writes TAR or DRW sets SELECT itself: were a packet before it lost, these
// would be DCRSR and DEMCR.
func (pl *planner) reading(windows []Extent) []*transfer {
	t := &transfer{}
	all := []*transfer{t}
	for _, w := range windows {
		for a := w.Low; a < w.High; a += 4 {
			if !pl.fits(t, 11, 4) {
				t = &transfer{}
				all = append(all, t)
			}
			if a == w.Low || a%tarWrap == 0 {
				pl.steps.selectMemory(t)
				t.write(probe.WriteTAR, a)
			}
			t.read(probe.ReadDRW, mark{stackWord, a})
		}
	}
	stamp := 4
	if pl.early() && !pl.steps.clock {
		stamp = 0 // and the resume fits behind a full packet of words
	}
	if !pl.fits(t, 15, stamp) {
		t = &transfer{}
		all = append(all, t)
	}
	pl.steps.selectMemory(t)
	pl.steps.resumeByDRW(t)
	t.role = roleResume
	return all
}

// fits tells whether a packet that holds t alone has room for more bytes.
func (pl *planner) fits(t *transfer, request, response int) bool {
	q, r := t.bytes()
	return max(q+request, r+response) <= pl.l.bytes
}

// firstCost is what a sample taken step by step is expected to take: its
// registers, one round trip and half of the stack that is read where it is not
// known how far it reaches.
func (pl *planner) firstCost() time.Duration {
	transfers := 4*(len(pl.regs)+3) + guidedWords/2
	packets := 1 + 4*guidedWords/2/pl.l.bytes
	work := time.Duration(transfers) * pl.costs.Transfer
	return pl.costs.RoundTrip + max(work, time.Duration(packets)*pl.costs.Packet)
}
