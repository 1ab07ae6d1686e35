package export

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/mprof/mprof/profile"
)

// Events of a file, by which readers tell what its numbers are.
const (
	callgrindSamples = "Samples"
	callgrindNanos   = "Nanoseconds"
)

// callgrindRecord begins the comment that holds the record.
const callgrindRecord = "# mprof "

// WriteCallgrind writes the call graph in the format of Callgrind (Valgrind, callgrind/docs/cl-format):
// for each function its own cost by address and line, and its calls with the cost inside of
// them. Costs are samples and nanoseconds; of traced calls nanoseconds. Line numbers in another
// file than the function's have that file before them (fi, fe). Inlined functions are functions.
//
// Numbers of calls are those that were traced and returned. Of samples nobody knows how often a
// function was called: 1 is written, which means at least once. Cost inside of a call is counted
// where its function is entered first, not again where it calls itself, directly or not, as gprof
// does it: so the calls of a function add up to its total. "<no caller>" calls what begins a stack.
func WriteCallgrind(w io.Writer, p *profile.Profile) error {
	if err := p.Check(); err != nil {
		return err
	}
	record, err := packTables(p)
	if err != nil {
		return err
	}
	c := callgrindText{graph: newCallgrindGraph(p), out: bufio.NewWriterSize(w, 1<<16), objects: map[string]int{}, files: map[string]int{}, functions: map[int]bool{}}
	c.head()
	for i := range c.graph.functions {
		c.function(i)
	}
	fmt.Fprintf(c.out, "\ntotals: %s\n%s%s\n", c.costs(c.graph.total), callgrindRecord, record)
	return c.out.Flush()
}

// callgrindText writes names once, with a number that stands for them from there on.
type callgrindText struct {
	graph          *callgrindGraph
	out            *bufio.Writer
	objects, files map[string]int
	functions      map[int]bool
	object         string // the current one
}

func (c *callgrindText) head() {
	p := c.graph.p
	fmt.Fprintf(c.out, "# callgrind format\nversion: 1\ncreator: %s\n", oneLine.Replace(strings.TrimSpace("mprof "+p.Taken.Version)))
	fmt.Fprintf(c.out, "cmd: %s\npart: 1\n", oneLine.Replace(strings.TrimSpace(processName(p)+"  ("+strings.Join(p.Taken.Command, " ")+")")))
	for _, text := range comments(p) {
		fmt.Fprintf(c.out, "desc: %s\n", oneLine.Replace(text))
	}
	if p.Trace == nil {
		fmt.Fprint(c.out, "desc: Calls: 1 is at least one, as samples do not count calls\n")
	}
	fmt.Fprint(c.out, "positions: instr line\n")
	events := []string{callgrindSamples, callgrindNanos}
	switch {
	case p.Trace != nil:
		events = events[1:]
	case !c.graph.timed:
		events = events[:1]
	}
	fmt.Fprintf(c.out, "events: %s\nsummary: %s\n", strings.Join(events, " "), c.costs(c.graph.total))
}

// costs are the numbers of a line.
func (c *callgrindText) costs(v callgrindCost) string {
	switch {
	case c.graph.p.Trace != nil:
		return fmt.Sprint(v.nanos)
	case !c.graph.timed:
		return fmt.Sprint(v.samples)
	}
	return fmt.Sprint(v.samples, v.nanos)
}

// name is that of an object or a file: with its number, the first time with both.
func name(known map[string]int, text string) string {
	text = oneLine.Replace(text)
	if text == "" {
		text = "???"
	}
	if id, ok := known[text]; ok {
		return fmt.Sprintf("(%d)", id)
	}
	id := len(known) + 1
	known[text] = id
	return fmt.Sprintf("(%d) %s", id, text)
}

func (c *callgrindText) functionName(i int) string {
	if c.functions[i] {
		return fmt.Sprintf("(%d)", i+1)
	}
	c.functions[i] = true
	return fmt.Sprintf("(%d) %s", i+1, oneLine.Replace(c.graph.functions[i].name))
}

// function writes one with its costs and calls.
func (c *callgrindText) function(i int) {
	f := &c.graph.functions[i]
	if len(f.self) == 0 && len(f.calls) == 0 {
		return
	}
	fmt.Fprintln(c.out)
	c.object = f.object
	fmt.Fprintf(c.out, "ob=%s\nfl=%s\nfn=%s\n", name(c.objects, f.object), name(c.files, f.file), c.functionName(i))
	file := f.file
	in := func(at callgrindPlace) {
		switch {
		case at.file == file:
			return
		case at.file == f.file:
			fmt.Fprintf(c.out, "fe=%s\n", name(c.files, at.file))
		default:
			fmt.Fprintf(c.out, "fi=%s\n", name(c.files, at.file))
		}
		file = at.file
	}
	for _, at := range f.places() {
		in(at)
		fmt.Fprintf(c.out, "0x%x %d %s\n", at.addr, at.line, c.costs(f.self[at]))
	}
	for _, to := range f.callees() {
		in(to.from)
		c.call(to, f.calls[to])
	}
}

// call writes the calls of one function from one place.
func (c *callgrindText) call(to callgrindArc, v callgrindCalls) {
	f := &c.graph.functions[to.callee]
	if f.object != c.object {
		fmt.Fprintf(c.out, "cob=%s\n", name(c.objects, f.object))
	}
	count := uint64(1)
	if c.graph.p.Trace != nil {
		count = max(1, v.count) // a call that has not returned is one, too
	}
	fmt.Fprintf(c.out, "cfi=%s\ncfn=%s\ncalls=%d 0x%x %d\n", name(c.files, f.file), c.functionName(to.callee), count, f.addr, f.line)
	fmt.Fprintf(c.out, "0x%x %d %s\n", to.from.addr, to.from.line, c.costs(v.inside))
}

// callgrindCost is what a line counts.
type callgrindCost struct{ samples, nanos int64 }

func (c callgrindCost) plus(d callgrindCost) callgrindCost {
	add := func(a, b int64) int64 {
		if a > math.MaxInt64-b {
			return math.MaxInt64
		}
		return a + b
	}
	return callgrindCost{add(c.samples, d.samples), add(c.nanos, d.nanos)}
}
