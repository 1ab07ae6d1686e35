package cortexm

import (
	"testing"
	"time"

	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/snapshot"
)

// Whatever the limit, what is left of a plan keeps to it, reads only words that
// the plan read, the lowest of each window, and matches what the plan matched.
func TestWithin(t *testing.T) {
	pl := planner{
		l: limits{bytes: 511, execute: true}, regs: sampleRegisters(defaultRegisters), base: sampleRegisters(defaultRegisters), interval: 10 * time.Millisecond, ram: []Range{{0x20000000, 0x20010000}}, inFlight: 4,
		steps: steps{data: bankData, memory: bankMemory}, costs: Costs{Transfer: 5600 * time.Nanosecond, Command: 2 * time.Microsecond},
	}
	h := &wants{}
	words := func(sp, high uint32) *need {
		var all []uint32
		for a := sp; a < high; a += 4 {
			all = append(all, a)
		}
		return h.set(all)
	}
	for i := range uint32(40) {
		for range 1 + i%7 {
			h.add(want{sp: 0x20001000 - 0x18*i, words: words(0x20001000-0x18*i, 0x20001100)}, 0)
			h.add(want{sp: 0x20003f00 - 0x20*i, words: words(0x20003f00-0x20*i, 0x20004000)}, 0)
			h.add(want{sp: 0x20007ff0 - 8*(i%4), words: words(0x20007ff0-8*(i%4), 0x20008100), chained: true,
				psp: 0x20003f00 - 0x20*i, more: words(0x20003f00-0x20*i, 0x20004000)}, 0)
		}
	}
	for limit := 150 * time.Microsecond; limit < 3*time.Millisecond; limit += 37 * time.Microsecond {
		pl.limit = limit
		whole, err := pl.make(h, 0)
		if err != nil {
			t.Fatal(err)
		}
		before := effective(whole.seq)
		p, err := pl.within(whole)
		if err != nil {
			t.Fatalf("%v: %v", limit, err)
		}
		for index, b := range effective(p.seq) {
			a := before[index]
			if b.mask != a.mask || b.value != a.value {
				t.Fatalf("%v: alternative %d matches %08x/%08x, was %08x/%08x", limit, index, b.mask, b.value, a.mask, a.value)
			}
			if len(b.words) > len(a.words) {
				t.Fatalf("%v: alternative %d reads %d words, read %d", limit, index, len(b.words), len(a.words))
			}
			for i, w := range b.words {
				if w != a.words[i] {
					t.Fatalf("%v: alternative %d: word %d is 0x%08x, was 0x%08x", limit, index, i, w, a.words[i])
				}
			}
		}
		for taken := range p.seq.packets[0].transfers {
			if took := way(p.seq, taken).time(pl.costs); took > limit {
				t.Fatalf("%v: the way by transfer %d takes %v", limit, taken, took)
			}
		}
	}
}

// matched is what an alternative compares and reads.
type matched struct {
	mask, value uint32
	words       []uint32
}

func effective(q *sequence) map[int]matched {
	all := map[int]matched{}
	var mask uint32
	for _, p := range q.packets {
		for _, t := range p.transfers {
			m := matched{}
			for _, r := range t.reqs {
				switch {
				case r.Op == probe.WriteABORT|probe.MatchMask:
					mask = r.Data
				case r.Op == probe.ReadBD2|probe.MatchValue:
					m.mask, m.value = mask, r.Data
				}
			}
			for _, k := range t.reads {
				if k.meaning == stackWord {
					m.words = append(m.words, k.arg)
				}
			}
			if t.role == roleWindow {
				all[t.arg] = m
			}
		}
	}
	return all
}

// way counts the way on which only one alternative matches; its index is that in
// the first packet.
func way(q *sequence, taken int) *meter {
	m := &meter{}
	for i, t := range q.packets[0].transfers {
		switch {
		case (t.role == roleWindow || t.role == roleChain) && i != taken:
			m.add(failed(t))
		default:
			m.add(done(t))
		}
	}
	return m
}

// An alternative that shares its mask with one that is left out writes it itself.
func TestWithinKeepsMasks(t *testing.T) {
	pl := planner{l: limits{bytes: 511, execute: true}, regs: bareRegisters, steps: steps{data: bankData, memory: bankMemory}, costs: Costs{Transfer: 5 * time.Microsecond}}
	chain := &transfer{role: roleChain}
	chain.mask(^uint32(0xFF))
	chain.match(probe.ReadBD2, 0x20001000)
	for range 40 { // registers, which cannot be cut
		chain.readRegister(snapshot.PSP)
	}
	window := &transfer{role: roleWindow, arg: 1}
	window.match(probe.ReadBD2, 0x20002000) // by the same mask
	pl.steps.window(window, []Extent{{0x20002000, 0x20002010}})
	p := &plan{list: make([]alternative, 2), packets: 2, seq: sequenceOf(&packet{transfers: []*transfer{pl.begin(), chain}}, &packet{transfers: []*transfer{window, pl.steps.guard()}})}
	pl.limit = 300 * time.Microsecond
	cut, err := pl.within(p)
	if err != nil {
		t.Fatal(err)
	}
	if m := effective(cut.seq)[1]; !cut.short || m.mask != ^uint32(0xFF) || len(m.words) != 4 {
		t.Errorf("left out: %v; the alternative behind: %+v", cut.short, m)
	}
}

// A cut keeps the lowest words, and drops what only led to the others.
func TestCut(t *testing.T) {
	s := steps{data: bankData, memory: bankMemory}
	for keep := range 41 {
		x := &transfer{}
		x.mask(^uint32(7))
		x.match(probe.ReadBD2, 0x20000be0)
		s.window(x, []Extent{{0x20000bd8, 0x20000c78}}) // across a page: two runs
		x.cut(keep)
		tars, words := 0, 0
		for _, r := range x.reqs {
			switch r.Op {
			case probe.WriteTAR:
				tars++
			case probe.ReadDRW:
				words++
			}
		}
		want := 1 // for DHCSR
		if keep > 0 {
			want++
		}
		if keep > 10 {
			want++
		}
		if words != min(keep, 40) || tars != want || len(x.reads) != words {
			t.Errorf("cut to %d: %d words, %d marks, %d TAR, want %d", keep, words, len(x.reads), tars, want)
		}
		if last := x.reqs[len(x.reqs)-1]; last.Data != dhcsrRun {
			t.Errorf("cut to %d: it ends with %+v", keep, last)
		}
	}
}
