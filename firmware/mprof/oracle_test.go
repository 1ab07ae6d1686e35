package mprof_test

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/mprof/mprof/trace"
)

// oracle works out from the driver's log what the module has to record. It knows
// nothing of rings, frames or exclusive accesses.
type oracle struct {
	shift  uint32
	depth  int
	time   uint64 // the driver's, wraps undone
	origin uint64 // of ticks

	running bool
	task    int
	tasks   map[int]*activity
	leaving []leaving
	epochs  []epoch
	bytes   []byte
}

// epoch is what ended between one START or RESET_BUFFERS and the next.
type epoch struct {
	items              []item
	unmatched, tooDeep uint32
}

// leaving is a hook that has recorded a call, whose frame is still in use until
// the hook is over.
type leaving struct {
	activity *activity // nil: there is none
	recorded int       // then
}

// item is what takes a number. Times in ticks.
type item struct {
	function       uint32 // 0: a context switch; 1: a call that was too deep
	entry, exit    uint64
	context, depth uint16
}

type activity struct {
	open     []activation
	recorded int // of open
	over     int // of open, too deep
}

type activation struct {
	function  uint32
	exception int
	entry     uint64
	recorded  bool
	over      bool
	depth     uint16
}

func (o *oracle) now() *epoch { return &o.epochs[len(o.epochs)-1] }

func (o *oracle) activity() *activity {
	if o.tasks[o.task] == nil {
		o.tasks[o.task] = &activity{}
	}
	return o.tasks[o.task]
}

// ticks of a time of the timer.
func (o *oracle) ticks(t uint64) uint64 { return (t - o.origin) >> o.shift }

func (o *oracle) wide(t uint32) uint64 {
	o.time += uint64(t - uint32(o.time))
	return o.time
}

// line takes one line of the log.
func (o *oracle) line(t *testing.T, text string) {
	var task, exception int
	var function, time uint32
	what, rest, _ := strings.Cut(text, " ")
	timed := !strings.HasSuffix(rest, "-")
	switch what {
	case "w":
		b, err := hex.DecodeString(rest)
		if err != nil {
			t.Fatal(err)
		}
		o.bytes = append(o.bytes, b...)
		return
	case "z":
		fmt.Sscan(rest, &time)
		o.origin = o.wide(time)
		return
	case "p":
		last := len(o.leaving) - 1
		if a := o.leaving[last]; a.activity != nil {
			a.activity.recorded = a.recorded
		}
		o.leaving = o.leaving[:last]
		return
	case "S", "R", "P":
		o.control(what)
		return
	case "c":
		fmt.Sscanf(rest, "%d %d", &task, &time)
	case "e", "x", "y":
		fmt.Sscanf(rest, "%d %d %d %d", &task, &exception, &function, &time)
		if task != o.task {
			t.Fatalf("%s, but task %d runs", text, o.task)
		}
	default:
		t.Fatalf("driver: %s", text)
	}
	var at uint64
	if timed {
		at = o.wide(time)
	}
	switch what {
	case "c":
		o.change(task, at)
	case "e":
		o.enter(function, exception, at)
	case "x", "y":
		o.leave(function, exception, at)
		if last := &o.leaving[len(o.leaving)-1]; what == "y" && last.activity != nil {
			last.activity.recorded = last.recorded
			*last = leaving{}
		}
	}
}

func (o *oracle) control(what string) {
	if what == "P" {
		o.running = false
		return
	}
	if what == "S" && !o.running {
		o.running = true
		for _, a := range o.tasks {
			for i := range a.open {
				a.open[i].recorded, a.open[i].over = false, false
			}
			a.recorded, a.over = 0, 0
		}
	}
	o.epochs = append(o.epochs, epoch{})
}

// change leaves behind what the handler that switches has entered.
func (o *oracle) change(task int, at uint64) {
	a := o.activity()
	for n := len(a.open); n > 0 && a.open[n-1].exception != 0; n-- {
		if a.open[n-1].recorded {
			a.recorded--
			o.now().unmatched++
		}
		a.open = a.open[:n-1]
	}
	o.task = task
	if o.running {
		o.now().items = append(o.now().items, item{entry: o.ticks(at), exit: o.ticks(at), context: uint16(task)})
	}
}

func (o *oracle) enter(function uint32, exception int, at uint64) {
	a := o.activity()
	call := activation{function: function, exception: exception, entry: at}
	switch {
	case !o.running:
	case a.over > 0 || a.recorded >= o.depth:
		call.over = true
		a.over++
	default:
		call.recorded = true
		a.recorded++
		for i := len(a.open) - 1; i >= 0 && a.open[i].exception == exception; i-- {
			if a.open[i].recorded {
				call.depth++
			}
		}
	}
	a.open = append(a.open, call)
}

func (o *oracle) leave(function uint32, exception int, at uint64) {
	a := o.activity()
	n := len(a.open)
	o.leaving = append(o.leaving, leaving{})
	if n == 0 || a.open[n-1].function != function || a.open[n-1].exception != exception {
		if o.running { // of a handler that has switched
			o.now().unmatched++
		}
		return
	}
	call := a.open[n-1]
	a.open = a.open[:n-1]
	if call.recorded && o.running {
		o.leaving[len(o.leaving)-1] = leaving{a, a.recorded - 1}
	}
	if call.over && o.running {
		a.over--
	}
	if !o.running {
		return
	}
	e := o.now()
	switch {
	case call.over:
		e.tooDeep++
		e.items = append(e.items, item{function: 1})
	case !call.recorded:
		e.unmatched++
	default:
		r := item{function: function &^ 1, entry: o.ticks(call.entry), exit: o.ticks(at), context: uint16(o.task), depth: call.depth}
		if exception != 0 {
			r.context = uint16(trace.FirstException + exception)
		}
		e.items = append(e.items, r)
	}
}

// read takes the whole log.
func (o *oracle) read(t *testing.T, log []byte) {
	s := bufio.NewScanner(strings.NewReader(string(log)))
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		o.line(t, s.Text())
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
}
