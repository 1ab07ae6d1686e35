package trace

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// program is a firmware that was thought up: functions in 64 KiB of flash on four
// levels of calling, whose own times are spread log-normally, much from one to
// another and little from call to call; every fourth call site is a loop of 2 to 9
// rounds; and an interrupt.
type program struct {
	rng       *rand.Rand
	functions []function
	now       float64 // in mean own times of a function
	records   []timed
}

type function struct {
	address uint32
	level   int
	own     float64
	callees []callSite
}

type callSite struct{ function, rounds int }

type timed struct {
	function       uint32
	entry, exit    float64
	context, depth uint16
}

func newProgram(rng *rand.Rand, functions int) *program {
	p := &program{rng: rng}
	for range functions {
		p.functions = append(p.functions, function{
			address: 0x08000000 + rng.Uint32N(0x8000)<<1,
			level:   []int{0, 1, 1, 2, 2, 2, 3, 3, 3, 3}[rng.IntN(10)],
			own:     math.Exp(rng.NormFloat64()),
		})
	}
	p.functions[0].level, p.functions[1].level = 0, 3
	for i := range p.functions {
		f := &p.functions[i]
		for range 1 + rng.IntN(4) {
			if c := rng.IntN(functions); p.functions[c].level > f.level {
				site := callSite{c, 1}
				if rng.IntN(4) == 0 {
					site.rounds = 2 + rng.IntN(8)
				}
				f.callees = append(f.callees, site)
			}
		}
	}
	return p
}

// run records n calls, in ticks that are so long that rate calls are made in a
// second of hz ticks.
func (p *program) run(n int, rate, hz float64) []Record {
	p.records = p.records[:0]
	for len(p.records) < n {
		if i := p.rng.IntN(len(p.functions)); p.functions[i].level == 0 {
			p.call(i, 0, 1)
		}
		if p.rng.IntN(50) == 0 {
			p.call(1, FirstException+15, 0)
		}
	}
	slices.SortStableFunc(p.records, func(a, b timed) int { return cmp.Compare(a.exit, b.exit) })
	scale := float64(len(p.records)) / rate * hz / p.records[len(p.records)-1].exit
	var r []Record
	for _, t := range p.records[:n] {
		entry, exit := uint32(uint64(t.entry*scale)), uint32(uint64(t.exit*scale))
		r = append(r, Record{Func: t.function, Entry: entry, Duration: exit - entry, Context: t.context, Depth: t.depth})
	}
	return r
}

func (p *program) call(i int, context, depth uint16) {
	f := &p.functions[i]
	entry := p.now
	own := f.own * math.Exp(0.3*p.rng.NormFloat64())
	pieces := 1
	for _, c := range f.callees {
		pieces += c.rounds
	}
	for _, c := range f.callees {
		if p.rng.IntN(10) < 3 {
			continue
		}
		for range c.rounds {
			p.now += own / float64(pieces)
			p.call(c.function, context, depth+1)
		}
	}
	p.now += own / float64(pieces)
	p.records = append(p.records, timed{f.address, entry, p.now, context, depth})
}

// wild is records of any shape: what no program makes, and the edges of all
// fields.
func wild(rng *rand.Rand, n int) []Record {
	edge := func(bits int) uint32 {
		v := rng.Uint32() >> (32 - bits) >> rng.IntN(bits)
		if rng.IntN(8) == 0 {
			v = 1<<bits - 1 - v
		}
		return v
	}
	r := make([]Record, n)
	for i := range r {
		r[i] = Record{
			Func:     0x08000000 + rng.Uint32N(100)*2,
			Entry:    edge(32),
			Duration: edge(32),
			Context:  uint16(edge(16)),
			Depth:    uint16(edge(16)),
		}
		switch rng.IntN(8) {
		case 0:
			r[i] = Record{Entry: edge(32), Context: uint16(edge(16))}
		case 1:
			r[i].Duration = Saturated
		case 2:
			r[i].Func = edge(32)&^1 | 2
		}
		if i > 0 && !r[i].Switch() && rng.IntN(4) > 0 {
			before := r[i-1]
			r[i].Context = before.Context
			r[i].Depth = before.Depth + uint16(rng.IntN(5)) - 2
			r[i].Entry = before.Exit() + edge(20)
		}
	}
	return r
}
