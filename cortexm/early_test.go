package cortexm

import (
	"slices"
	"testing"
	"time"

	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/snapshot"
)

// bareProbe is a planner for a probe without DAP_ExecuteCommands.
func bareProbe() *planner {
	return &planner{
		l:        limits{bytes: 63},
		costs:    Costs{Transfer: 7 * time.Microsecond, RoundTrip: 330 * time.Microsecond, Packet: 70 * time.Microsecond},
		regs:     sampleRegisters(defaultRegisters),
		ram:      []Range{{Low: 0x20000000, High: 0x20010000}},
		inFlight: 4,
		steps:    steps{data: 0x10, memory: 0, identity: 0xF0},
	}
}

// twoStacks is a short stack and a deep one.
func twoStacks() *history {
	h := &history{}
	for range 40 {
		h.add(visit{sp: 0x2000FFE0, high: 0x2000FFF8})
		h.add(visit{sp: 0x20005DD8, high: 0x20005E90})
		h.add(visit{sp: 0x20005DC0, high: 0x20005E90})
	}
	return h
}

func TestFirstPacketDecides(t *testing.T) {
	pl := bareProbe()
	g := pl.guess(twoStacks())
	if g == nil || g.list[0].kind != whole || len(g.list) < 2 {
		t.Fatalf("guess %+v, want a whole alternative and a selected one", g)
	}
	o, err := pl.open(pl.regs, g)
	if err != nil {
		t.Fatal(err)
	}
	if o.known != 1 || len(o.packets) > pl.inFlight {
		t.Errorf("known after %d of %d packets, want 1 of at most %d", o.known, len(o.packets), pl.inFlight)
	}
	if got, want := registersOf(o.packets[0]), []snapshot.Reg{snapshot.XPSR, snapshot.SP}; !slices.Equal(got, want) {
		t.Errorf("the first packet reads %v, want %v", got, want)
	}
	// Whichever way the probe goes, it reads all the others.
	for i := 1; i <= 2; i++ {
		if got, want := registersOf(o.packets[i]), pl.later(); !slices.Equal(got, want) {
			t.Errorf("packet %d reads %v, want %v", i, got, want)
		}
	}
	for i, p := range o.packets {
		if !p.fits(pl.l) {
			t.Errorf("packet %d: %d bytes, answers %d, limit %d", i, len(p.raw), longestResponse(p), pl.l.bytes)
		}
		for _, tr := range p.transfers {
			checkMatches(t, i, tr)
		}
	}
	reqs := o.packets[1].transfers[0].reqs
	end := reqs[len(reqs)-2:]
	if end[0].Op != probe.WriteDRW || end[0].Data != dhcsrRun || end[1].Op != probe.WriteSELECT || end[1].Data != pl.steps.identity {
		t.Errorf("the whole alternative ends with %+v, want the resume and SELECT at the last bank", end)
	}
}

func registersOf(p *packet) (regs []snapshot.Reg) {
	for _, t := range p.transfers {
		for _, m := range t.reads {
			if m.meaning == registerValue {
				regs = append(regs, snapshot.Reg(m.arg))
			}
		}
	}
	return regs
}

// checkMatches looks for a value match right behind a plain AP read, which some
// firmware gets wrong, and, where registers were read, for SP in DCRDR.
func checkMatches(t *testing.T, packet int, tr *transfer) {
	t.Helper()
	const sort = probe.APnDP | probe.RnW | probe.MatchValue
	selected := uint32(snapshot.SP)
	for i, r := range tr.reqs {
		if r.Op == probe.WriteBD1 {
			selected = r.Data
		}
		if r.Op&sort != sort {
			continue
		}
		if i > 0 && tr.reqs[i-1].Op&sort == probe.APnDP|probe.RnW {
			t.Errorf("packet %d: request %d is a match behind a plain read", packet, i)
		}
		if r.Op == probe.ReadBD2|probe.MatchValue && selected != uint32(snapshot.SP) {
			t.Errorf("packet %d: request %d compares register %d, want SP", packet, i, selected)
		}
	}
}

// More registers than fit beside a window leave the opening as it is.
func TestManyRegistersAreReadFirst(t *testing.T) {
	pl := bareProbe()
	pl.regs = sampleRegisters(defaultRegisters, []snapshot.Reg{snapshot.MSP, snapshot.PSP, snapshot.CONTROL})
	o, err := pl.open(pl.regs, pl.guess(twoStacks()))
	if err != nil {
		t.Fatal(err)
	}
	var got []snapshot.Reg
	for _, p := range o.packets[:o.known] {
		got = append(got, registersOf(p)...)
	}
	if !slices.Equal(got, pl.regs) {
		t.Errorf("%v are known at the decision, want %v", got, pl.regs)
	}
}

// Registers that come before a match that fails are those of the sample; those
// behind a resume are not.
func TestRegistersBeforeAMatch(t *testing.T) {
	build := func() *transfer {
		tr := &transfer{role: roleSelect, arg: 0}
		tr.readRegister(snapshot.PC)
		tr.match(probe.ReadBD2, 0x20000000)
		tr.answer = probe.Answer{Ack: probe.OK | probe.Mismatch, Count: 3, Data: []uint32{sHalt | sRegRdy, 0x1234}}
		tr.err = &probe.TransferError{Ack: probe.OK | probe.Mismatch}
		return tr
	}
	c := &capture{}
	c.collect([]*transfer{build()})
	if v, ok := c.regs.Value(snapshot.PC); !ok || v != 0x1234 || c.miss != snapshot.Taken {
		t.Errorf("PC %#x %v, miss %v; want 0x1234", v, ok, c.miss)
	}
	c = &capture{resumed: true}
	after := build()
	after.answer.Data[0] = 0x23000052 // CSW
	c.collect([]*transfer{after})
	if _, ok := c.regs.Value(snapshot.PC); ok || c.miss != snapshot.Taken || c.reset {
		t.Errorf("PC set: %v, miss %v, reset %v; want none of them", ok, c.miss, c.reset)
	}
}
