package cortexm

import (
	"slices"

	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/snapshot"
)

// early tells whether the first packet brings only what the host decides by,
// xPSR and SP, so that its answer is under way sooner: where every transfer is a
// packet, the probe would otherwise have nothing to do before it comes, and the
// other registers leave room for a window beside them.
func (pl *planner) early() bool {
	return !pl.l.execute && !pl.slotted() && registerResponse*len(pl.later()) <= pl.l.bytes/2
}

// later are the registers that the host does not need for its decision.
func (pl *planner) later() []snapshot.Reg {
	return slices.DeleteFunc(slices.Clone(pl.regs), func(r snapshot.Reg) bool {
		return r == snapshot.XPSR || r == snapshot.SP
	})
}

// What a checked register takes of request and response, in bytes.
const registerRequest, registerResponse = 7, 8

// openEarly are the transfers of a guess behind a short first packet. The first
// alternative is a whole one, which must resume: it reads the other registers
// itself. The second packet behind reads them for all other stacks, then puts SP
// back into DCRDR and compares it. Where the first has resumed, it leaves SELECT at
// the registers that only identify the access port (CFG, BASE, IDR):
// there the writes do nothing, BASE is no stack pointer, and no memory is read.
func (pl *planner) openEarly(g *guess) (all []*transfer, known *transfer, ok bool) {
	if !pl.early() || g == nil || g.list[0].kind != whole {
		return nil, nil, false
	}
	all = pl.halting([]snapshot.Reg{snapshot.XPSR, snapshot.SP})
	known = all[len(all)-1]
	work := pl.hoist(known, g.transfers(pl))
	if !pl.insertRegisters(work[0], true) {
		return nil, nil, false
	}
	work[0].write(probe.WriteSELECT, pl.steps.identity)
	if !pl.fits(work[0], 0, 0) {
		return nil, nil, false
	}
	if len(work) == 1 || !pl.insertRegisters(work[1], false) {
		t := &transfer{role: roleRegisters}
		pl.steps.registers(t, pl.later())
		t.write(probe.WriteBD1, uint32(snapshot.SP)) // for the alternatives behind
		t.lead = 4 * len(pl.later())
		work = slices.Insert(work, 1, t)
	}
	return append(all, work...), known, true
}

// insertRegisters reads registers behind the value match of SP that t has, or
// before it; then SP is put back. DCRSR is written a whole SWD transfer before
// DCRDR is compared. Should the core be slower, DCRDR holds the register before,
// and the match fails.
//
// False where t has no match or no room: then it is as it was.
func (pl *planner) insertRegisters(t *transfer, behind bool) bool {
	regs := pl.later()
	at := slices.IndexFunc(t.reqs, func(r probe.Req) bool { return r.Op == probe.ReadBD2|probe.MatchValue })
	if at < 0 || !pl.fits(t, registerRequest*len(regs)+5, registerResponse*len(regs)) {
		return false
	}
	add := &transfer{}
	pl.steps.registers(add, regs)
	if behind {
		at++
	} else {
		add.write(probe.WriteBD1, uint32(snapshot.SP))
		t.lead = 4*len(regs) + 1
	}
	t.reqs = slices.Insert(t.reqs, at, add.reqs...)
	t.reads = append(add.reads, t.reads...)
	return true
}

// single makes a block read one of single transfers, whose header leaves room
// for one word more.
func (t *transfer) single() {
	for range t.block {
		t.reqs = append(t.reqs, probe.Req{Op: probe.ReadDRW})
	}
	t.lead, t.block = t.block-1, 0
}

// resumes tells whether t ends by letting the core run.
func (t *transfer) resumes() bool {
	n := len(t.reqs)
	return t.block == 0 && n > 0 && t.reqs[n-1].Op&probe.RnW == 0 && t.reqs[n-1].Data == dhcsrRun
}

// refused says why registers did not come.
func (g *guided) refused() snapshot.Miss {
	for _, p := range g.sent {
		for _, t := range p.transfers {
			if t.err != nil && !t.mismatch() {
				return missOf(t)
			}
		}
	}
	return snapshot.BadResponse
}

// incomplete tells whether a register did not come.
func (g *guided) incomplete() bool {
	return slices.ContainsFunc(g.pl.regs, func(r snapshot.Reg) bool {
		_, ok := g.capture.regs.Value(r)
		return !ok
	})
}
