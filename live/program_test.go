package live

import (
	"math/rand/v2"

	"github.com/mprof/mprof/trace"
	"github.com/mprof/mprof/trace/calls"
)

// program is a traced one: a task that never returns from its main loop, interrupted by two
// exceptions, with a clock of 1 MHz.
type program struct {
	random  *rand.Rand
	now     uint32
	records []trace.Record
	batch   int // records per packet
	losses  int // one packet in so many is followed by a loss, 0: none
	busy    int // ticks of a piece of work, at most
}

func newProgram(seed uint64) *program {
	return &program{random: rand.New(rand.NewPCG(seed, 3)), now: 1000, batch: 20, busy: 8}
}

func begin(b *calls.Builder) {
	b.Metadata(trace.Metadata{Version: 2, TimerHz: 1e6, BufferBytes: 4096, Contexts: []trace.ContextName{{ID: 0, Name: "main"}, {ID: 1, Name: "logger"}}, Known: trace.KnownContexts})
}

// call runs a function of a context and what it calls.
func (p *program) call(context uint16, depth int) {
	f := p.random.IntN(20)
	entry := p.now
	p.work(context)
	for n := p.random.IntN(3); n > 0 && depth < 6; n-- {
		p.call(context, depth+1)
		p.work(context)
	}
	p.records = append(p.records, trace.Record{Func: codeStart + uint32(0x100*f) | 1, Entry: entry, Duration: p.now - entry, Context: context, Depth: uint16(depth)})
}

// work lets time pass, in which an interrupt may come.
func (p *program) work(context uint16) {
	p.now += uint32(1 + p.random.IntN(p.busy))
	if context < trace.FirstException && p.random.IntN(15) == 0 {
		p.call(trace.FirstException+16+uint16(p.random.IntN(2)), 0)
	}
}

// feed gives at least n records to a builder, in packets.
func (p *program) feed(b *calls.Builder, n int) {
	for n > 0 {
		for len(p.records) < p.batch {
			p.call(0, 1)
		}
		b.Records(trace.Batch{Version: 2, Records: p.records[:p.batch]})
		p.records = append(p.records[:0], p.records[p.batch:]...)
		n -= p.batch
		if p.losses > 0 && p.random.IntN(p.losses) == 0 {
			b.Loss(trace.Loss{Kind: trace.Dropped, Records: 3})
			p.now += 50
		}
	}
}
