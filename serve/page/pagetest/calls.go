package pagetest

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/mprof/mprof/live"
	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/trace"
	"github.com/mprof/mprof/trace/calls"
)

// traced are the records of a firmware whose main loop takes about 20 ms, with two interrupts.
type traced struct {
	random  *rand.Rand
	builder *calls.Builder
	model   *live.Model
	clock   uint64 // µs
	loops   int
	records []trace.Record // of this loop, to be put in the order of return
	due     [2]uint64      // when the interrupts come next
	number  uint32
	bytes   uint64
}

// The contexts: a task, and interrupts by their exceptions.
const taskMain = 0

func exception(exc int) uint16 { return uint16(trace.FirstException + exc) }

func newCalls(random *rand.Rand, model *live.Model) *traced {
	o := calls.Options{Options: profile.Options{Start: start, Source: source}}
	t := &traced{random: random, model: model, builder: calls.NewBuilder(code{}, o), clock: 1000}
	if model != nil {
		model.WatchCalls(t.builder, live.Setup{Source: source})
	}
	t.builder.Metadata(trace.Metadata{Version: 2, TimerHz: 1_000_000, BufferBytes: 4096, Name: "invented", Contexts: []trace.ContextName{{ID: taskMain, Name: "main"}}, Known: trace.KnownContexts})
	return t
}

func (t *traced) now() time.Duration { return time.Duration(t.clock) * time.Microsecond }

// step is one loop of the firmware. Of each 500th the records were dropped.
func (t *traced) step() {
	t.loops++
	t.records = t.records[:0]
	t.call(fProcessBlock, taskMain, 0, func() {
		for range 3 + t.random.IntN(3) {
			t.call(fFilterStep, taskMain, 1, func() { t.pass(200 + t.random.IntN(400)) })
			t.call(fMemcpy, taskMain, 1, func() { t.pass(15 + t.random.IntN(10)) })
		}
	})
	if t.loops%5 == 0 {
		t.call(fReport, taskMain, 0, func() {
			for range 4 {
				t.call(fFormatNumber, taskMain, 1, func() { t.pass(300 + t.random.IntN(100)) })
			}
			t.call(fCRC32, taskMain, 1, func() { t.pass(900 + t.random.IntN(200)) })
		})
	}
	t.call(fIdle, taskMain, 0, func() { t.pass(8000 + t.random.IntN(4000)) })
	slices.SortStableFunc(t.records, func(a, b trace.Record) int {
		return cmp.Or(cmp.Compare(a.Exit(), b.Exit()), cmp.Compare(b.Depth, a.Depth))
	})
	t.deliver()
}

func (t *traced) deliver() {
	n := uint32(len(t.records))
	if t.loops%500 == 0 {
		t.builder.Loss(trace.Loss{Kind: trace.Dropped, Records: uint64(n)})
	} else {
		t.builder.Records(trace.Batch{Version: 2, Number: t.number, Numbered: true, Records: t.records})
		t.bytes += 8 + 7*uint64(n)
	}
	t.number += n
	if t.loops%25 == 0 {
		t.builder.Status(trace.Status{Running: true, HighWater: uint32(300 + t.random.IntN(900)), Sent: t.number, Known: trace.KnownWaiting})
	}
	if t.model != nil {
		t.model.Bytes(t.bytes)
	}
}

// call records what a function does.
func (t *traced) call(f int, in uint16, depth uint16, body func()) {
	entry := t.clock
	t.clock += 2
	body()
	t.records = append(t.records, trace.Record{Func: codeStart + uint32(f)*codeSize | 1, Entry: uint32(entry), Duration: uint32(t.clock - entry), Context: in, Depth: depth})
	t.clock++
}

// pass lets time pass in the task, and interrupts come in it.
func (t *traced) pass(us int) {
	for end := t.clock + uint64(us); t.clock < end; {
		switch {
		case t.clock >= t.due[0]:
			t.due[0] = t.clock + 1000
			t.call(fSysTick, exception(excSysTick), 0, func() {
				t.clock += 20
				t.call(fReceive, exception(excSysTick), 1, func() { t.clock += uint64(20 + t.random.IntN(60)) })
			})
		case t.clock >= t.due[1]:
			t.due[1] = t.clock + uint64(700+t.random.IntN(100))
			t.call(fADC, exception(excADC), 0, func() { t.call(fSample, exception(excADC), 1, func() { t.clock += uint64(10 + t.random.IntN(20)) }) })
		default:
			t.clock += min(end-t.clock, 10)
		}
	}
}

func (t *traced) finish() *profile.Profile {
	p := t.builder.Finish(profile.Acquisition{Method: profile.MethodTrace, Device: device, EndReason: "stopped"}, 0)
	if t.model != nil {
		t.model.Finish(p)
	}
	return p
}
