package cortexm

import (
	"time"

	"github.com/mprof/mprof/probe"
)

// meter counts what the probe did between halt and resume, for probes without
// a clock.
type meter struct {
	transfers int // SWD transfers from the halt write to the resume write
	commands  int
	packets   int // that were begun in between
	total     int // SWD transfers of the whole sample
	lead      int // of these, those up to the halt write
	finish    int // and those up to the resume
	halted    bool
	over      bool

	phases [NumPhases]int // of transfers
}

// add counts one DAP_Transfer as the reference firmware does it: consecutive AP
// reads pipeline; anything else fetches the last of them from RDBUFF first; a
// command that ends with a write reads RDBUFF once; a match reads twice at
// least (cmsis-dap.md section 2).
func (m *meter) add(t *transfer) {
	if m.halted && !m.over {
		m.commands++
	}
	done := t.answer.Count
	if t.block > 0 {
		m.count(done+1, PhaseWords)
		return
	}
	posted, wrote := false, false
	var part Phase
	for i, r := range t.reqs {
		if i > done || i == done && !t.mismatch() {
			break
		}
		mask := r.Op&probe.RnW == 0 && r.Op&probe.MatchMask != 0
		match := r.Op&probe.RnW != 0 && r.Op&probe.MatchValue != 0
		plain := r.Op&(probe.RnW|probe.APnDP) == probe.RnW|probe.APnDP && !match
		if posted && !plain {
			m.count(1, part)
		}
		part = phaseOf(r)
		switch {
		case mask:
		case match && r.Op&probe.APnDP != 0:
			m.count(2, part)
		default:
			m.count(1, part)
		}
		posted, wrote = plain, r.Op&probe.RnW == 0 && !mask
		if i < done {
			m.edge(r)
		}
	}
	if done == len(t.reqs) && (posted || wrote) {
		m.count(1, part)
	}
}

func (m *meter) count(n int, p Phase) {
	m.total += n
	if m.halted && !m.over {
		m.transfers += n
		m.phases[p] += n
	}
}

// edge notes the writes of DHCSR that begin and end the halt.
func (m *meter) edge(r probe.Req) {
	if r.Op&probe.RnW != 0 || r.Op&probe.APnDP == 0 {
		return
	}
	switch r.Data {
	case dhcsrHalt:
		if !m.halted {
			m.lead = m.total
		}
		m.halted = true
	case dhcsrRun:
		if m.halted && !m.over {
			m.finish = m.total
		}
		m.over = m.over || m.halted
	}
}

// nextPacket counts a packet that begins while the core stands still.
func (m *meter) nextPacket() {
	if m.halted && !m.over {
		m.packets++
	}
}

// time is what that took by the measured costs: the packets come no faster than
// the connection carries them.
func (m *meter) time(c Costs) time.Duration {
	work := time.Duration(m.transfers)*c.Transfer + time.Duration(m.commands)*c.Command
	return max(work, time.Duration(m.packets)*c.Packet)
}
