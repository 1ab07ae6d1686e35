package calls

import (
	"iter"
	"math/rand/v2"

	"github.com/mprof/mprof/trace"
)

// simulator runs random programs on a core with interrupts and tasks, and knows what each
// call took. Its clock has ticks of 1 us. A traced call costs pair ticks, of which
// inner lie between the times of its entry and its return.
type simulator struct {
	seed        uint64
	random      *rand.Rand
	now         uint64
	pair, inner uint64
	tasks       int
	exceptions  int // levels of priority
	length      int // calls until everything returns
	calls       int
	depth       int // of calls, at most

	active   []uint16 // exceptions, the inner one last
	task     int
	yield    func(int) bool // of the task that runs
	ended    []*truth       // in the order of return
	open     map[uint16][]*truth
	records  []trace.Record
	switches int
}

// truth is what a call took.
type truth struct {
	function    uint32
	context     uint16
	depth       int
	entry, exit uint64
	self, net   uint64 // without costs, interrupts and other tasks
	path        []uint32
	caller      *truth
	record      int // its index among the records
}

const functions = 12

func address(f int) uint32 { return 0x08000100 + uint32(f)*0x20 }

func newSimulator(seed uint64) *simulator {
	r := rand.New(rand.NewPCG(seed, 5))
	s := &simulator{seed: seed, random: r, pair: uint64(r.IntN(4)), exceptions: r.IntN(4), tasks: 1, length: 200 + r.IntN(2000), depth: 3 + r.IntN(12), open: map[uint16][]*truth{}}
	s.inner = uint64(r.IntN(int(s.pair) + 1))
	s.now = uint64(r.Uint32())
	return s
}

func (s *simulator) context() uint16 {
	if n := len(s.active); n > 0 {
		return s.active[n-1]
	}
	return uint16(s.task)
}

// run lets all tasks run until they have returned.
func (s *simulator) run() {
	var next []func() (int, bool)
	for t := range s.tasks {
		step, end := iter.Pull(func(yield func(int) bool) {
			for s.calls < s.length {
				s.yieldTo(yield)
				s.call(uint32(address(t % functions)))
				s.work()
			}
		})
		defer end()
		next = append(next, step)
	}
	alive := len(next)
	for alive > 0 {
		if next[s.task] != nil {
			if _, ok := next[s.task](); !ok {
				next[s.task] = nil
				alive--
			}
		}
		if alive == 0 {
			break
		}
		to := s.random.IntN(s.tasks)
		for next[to] == nil {
			to = (to + 1) % s.tasks
		}
		if to != s.task {
			s.task = to
			s.records = append(s.records, trace.Record{Entry: uint32(s.now), Context: uint16(to)})
			s.switches++
		}
	}
}

func (s *simulator) yieldTo(y func(int) bool) { s.yield = y }

// call enters and returns from a function.
func (s *simulator) call(f uint32) {
	s.calls++
	c := s.context()
	outside := (s.pair - s.inner) / 2
	s.now += outside
	k := &truth{function: f, context: c, depth: len(s.open[c]), entry: s.now}
	for _, o := range s.open[c] {
		k.path, k.caller = append(k.path, o.function), o
	}
	k.path = append(k.path, f)
	s.open[c] = append(s.open[c], k)
	s.now += s.inner
	for n := s.random.IntN(5); n > 0; n-- {
		s.work()
		if len(s.open[c]) < s.depth && s.calls < s.length && s.random.IntN(3) > 0 {
			s.call(address(s.random.IntN(functions)))
		}
	}
	s.work()
	s.open[c] = s.open[c][:len(s.open[c])-1]
	k.exit, k.record = s.now, len(s.records)
	s.ended = append(s.ended, k)
	s.records = append(s.records, trace.Record{
		Func: f | 1, Entry: uint32(k.entry), Duration: uint32(k.exit - k.entry), Context: c, Depth: uint16(k.depth),
	})
	s.now += s.pair - s.inner - outside
}

// work lets time pass, in which interrupts come and tasks are switched.
func (s *simulator) work() {
	c := s.context()
	for n := s.random.IntN(4); n >= 0; n-- {
		s.pass(c, 20)
		if level := len(s.active); level < s.exceptions && s.calls < s.length && s.random.IntN(12) == 0 {
			s.pass(c, 3) // nobody sees that an interrupt runs before its first traced call
			s.active = append(s.active, uint16(trace.FirstException+15+level))
			for k := 1 + s.random.IntN(2); k > 0; k-- {
				s.call(address(s.random.IntN(functions)))
				s.pass(c, 3)
			}
			s.active = s.active[:level]
		}
		if len(s.active) == 0 && s.tasks > 1 && s.random.IntN(8) == 0 {
			task, yield := s.task, s.yield
			yield(task)
			s.yield = yield
		}
	}
}

// pass lets less than n ticks pass for the calls of a context.
func (s *simulator) pass(c uint16, n int) {
	step := uint64(s.random.IntN(n))
	s.now += step
	for i, o := range s.open[c] {
		o.net += step
		if i == len(s.open[c])-1 {
			o.self += step
		}
	}
}
