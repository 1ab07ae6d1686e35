package export

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/mprof/mprof/profile"
)

// chromeCall are the arguments of a call.
type chromeCall struct {
	Net     microseconds  `json:"net_us"`            // without interrupts and other contexts
	Took    *microseconds `json:"took_us,omitempty"` // where it is drawn longer
	AtLeast bool          `json:"at_least,omitempty"`
}

// chromeOpenCall is a call on the way to the one that is drawn.
type chromeOpenCall struct {
	call   int // of the track
	inside int // calls in it, so far
}

// drawnEnds are the times up to which the calls of a track are drawn. Complete events of a track must lie inside of
// each other, and calls do on the target's clock; but what tracing cost has been taken out of their lengths, out of
// those of callers most, so that a call may end after its caller. Then the caller is drawn up to the end of
// its calls, which is before its real one. stray: it is in no caller, and ends after one has begun.
func drawnEnds(p *profile.Profile, calls []profile.Call) (ends []time.Duration, stray []bool) {
	ends, stray = make([]time.Duration, len(calls)), make([]bool, len(calls))
	var open []chromeOpenCall
	for i := range calls {
		c := &calls[i]
		ends[i] = c.Time + c.Duration
		for n := len(open); n > 0; n = len(open) {
			o := open[n-1]
			// Before its end on the clock; what tracing cost of it is not known to the last call.
			cost := p.Trace.PairCost * time.Duration(o.inside+2)
			if c.Time <= ends[o.call]+cost && isAbove(p, calls[o.call].Stack, c.Stack) {
				break
			}
			if stray[i] = ends[o.call] > c.Time; stray[i] {
				break
			}
			open = open[:n-1]
		}
		if stray[i] {
			continue
		}
		for k := range open {
			o := &open[k]
			o.inside++
			ends[o.call] = max(ends[o.call], ends[i])
		}
		open = append(open, chromeOpenCall{call: i})
	}
	return ends, stray
}

// isAbove tells whether a stack is one of the callers of another.
func isAbove(p *profile.Profile, caller, of profile.StackIndex) bool {
	for at := range p.Callers(of) {
		if at == caller {
			return at != of
		}
	}
	return false
}

// calls writes a track for each context. A call that is a stray is an interval by itself.
func (c *chromeWriter) calls() {
	strays := 0
	for i, t := range c.p.Threads {
		tid := i + 1
		c.track(tid, t.Name)
		ends, stray := drawnEnds(c.p, t.Calls)
		for n := range t.Calls {
			call := &t.Calls[n]
			frame := &c.p.Frames[c.p.Stacks[call.Stack].Frame]
			drawn, args := microseconds(ends[n]-call.Time), chromeCall{Net: microseconds(call.Net), AtLeast: call.AtLeast}
			if took := microseconds(call.Duration); took != drawn {
				args.Took = &took
			}
			e := chromeEvent{Phase: "X", PID: chromePID, TID: tid, Time: microseconds(call.Time), Dur: &drawn, Cat: frame.Category.String(),
				Name: plain(c.p.Functions[frame.Function].Name), Args: args}
			if !stray[n] {
				c.event(e)
				continue
			}
			strays++
			e.Phase, e.Dur, e.ID = "b", nil, fmt.Sprintf("0x%x", len(c.p.Events)+strays)
			c.event(e)
			e.Phase, e.Time, e.Args = "e", microseconds(ends[n]), nil
			c.event(e)
		}
	}
}

// chromeNode is a function on a way of calls, as V8 writes it; lines and columns begin with 0. No two of
// the file have one number: the Firefox Profiler puts those of all tracks into one table.
type chromeNode struct {
	ID     int         `json:"id"`
	Parent int         `json:"parent,omitempty"`
	Frame  chromeFrame `json:"callFrame"`
}

type chromeFrame struct {
	Name   string `json:"functionName"`
	Script int    `json:"scriptId"`
	URL    string `json:"url"`
	Line   int    `json:"lineNumber"`
	Column int    `json:"columnNumber"`
}

type chromeData struct {
	Data any `json:"data"`
}

type chromeStart struct {
	Start int64 `json:"startTime"` // µs
}

type chromeChunk struct {
	Profile struct {
		Nodes   []chromeNode `json:"nodes,omitempty"`
		Samples []int        `json:"samples"`
	} `json:"cpuProfile"`
	Deltas []int64 `json:"timeDeltas"` // µs, whole ones
}

// chromeContext is a thread, or an exception that runs in it.
type chromeContext struct {
	thread    int
	exception string
}

// chromeTrack collects the samples of one of them.
type chromeTrack struct {
	tid   int
	name  string
	root  int
	nodes map[chromePath]int
	chunk chromeChunk
	now   int64 // µs
}

type chromePath struct {
	parent   int
	function profile.FunctionIndex
}

// chromeChunkSize bounds the samples in one event.
const chromeChunkSize = 10_000

// samples writes a track for each thread, and one for each exception in which it was found.
func (c *chromeWriter) samples() {
	exceptions := c.exceptions()
	tracks := map[chromeContext]*chromeTrack{}
	for i := range c.p.Threads {
		t := &c.p.Threads[i]
		for n := range t.Samples {
			s := &t.Samples[n]
			key := chromeContext{i, exceptions[s.Stack]}
			if tracks[key] == nil {
				tracks[key] = c.newTrack(len(tracks)+1, key)
			}
			tracks[key].add(c, s)
		}
	}
	for _, t := range slices.SortedFunc(mapValues(tracks), func(a, b *chromeTrack) int { return cmp.Compare(a.tid, b.tid) }) {
		t.flush(c)
	}
}

func mapValues[K comparable, V any](m map[K]V) func(yield func(V) bool) {
	return func(yield func(V) bool) {
		for _, v := range m {
			if !yield(v) {
				return
			}
		}
	}
}

// exceptions are the innermost ones of each stack.
func (c *chromeWriter) exceptions() []string {
	out := make([]string, len(c.p.Stacks))
	for i, s := range c.p.Stacks {
		if s.Prefix != profile.None {
			out[i] = out[s.Prefix]
		}
		if exc := c.p.Functions[c.p.Frames[s.Frame].Function].Exception(); exc != "" {
			out[i] = exc
		}
	}
	return out
}

func (c *chromeWriter) newTrack(tid int, of chromeContext) *chromeTrack {
	t := &chromeTrack{tid: tid, name: c.p.Threads[of.thread].Name, nodes: map[chromePath]int{}}
	if of.exception != "" {
		t.name += ": " + of.exception
	}
	c.track(tid, t.name)
	c.event(t.event("Profile", chromeStart{}))
	c.nodes++
	t.root = c.nodes
	t.chunk.Profile.Nodes = []chromeNode{{ID: t.root, Frame: chromeFrame{Name: "(root)", Line: -1, Column: -1}}}
	return t
}

func (t *chromeTrack) event(name string, data any) chromeEvent {
	return chromeEvent{Phase: "P", PID: chromePID, TID: t.tid, Time: microseconds(t.now * 1000), Cat: chromeSamples, Name: name, ID: fmt.Sprintf("0x%x", t.tid), Args: chromeData{data}}
}

// add adds a row, as often as it counts.
func (t *chromeTrack) add(c *chromeWriter, s *profile.Sample) {
	node := t.node(c, s.Stack)
	at := max(t.now, s.Time.Round(time.Microsecond).Microseconds())
	for range s.Count {
		t.chunk.Profile.Samples = append(t.chunk.Profile.Samples, node)
		t.chunk.Deltas = append(t.chunk.Deltas, at-t.now)
		t.now = at
		if len(t.chunk.Deltas) == chromeChunkSize {
			t.flush(c)
		}
	}
}

// node is the number of a stack's functions.
func (t *chromeTrack) node(c *chromeWriter, at profile.StackIndex) int {
	parent := t.root
	for _, i := range functionsOf(c.p, at) {
		path := chromePath{parent, profile.FunctionIndex(i)}
		id, known := t.nodes[path]
		if !known {
			f := &c.p.Functions[i]
			c.nodes++
			id = c.nodes
			t.nodes[path] = id
			t.chunk.Profile.Nodes = append(t.chunk.Profile.Nodes, chromeNode{id, parent, chromeFrame{Name: plain(f.Name), URL: plain(f.File), Line: f.Line - 1, Column: -1}})
		}
		parent = id
	}
	return parent
}

func (t *chromeTrack) flush(c *chromeWriter) {
	if len(t.chunk.Deltas) == 0 {
		return
	}
	c.event(t.event("ProfileChunk", t.chunk))
	t.chunk = chromeChunk{}
}

// chromeShares is what the core did, in percent of the time.
type chromeShares struct {
	Running float64 `json:"running"`
	Asleep  float64 `json:"asleep"`
	Halted  float64 `json:"halted for samples"`
	Unknown float64 `json:"not known"`
}

// counters writes what the core did, by pieces of the run with some 20 samples at least: a
// counter has the value until its next one.
func (c *chromeWriter) counters() {
	p := c.p
	if p.Sums != nil || p.Duration <= 0 || len(p.Threads) != 1 || len(p.Threads[0].Samples) < 2 {
		return // when samples were taken is not known, or of which core
	}
	rows := p.Threads[0].Samples
	pieces := min(max(1, len(rows)/20), 2000)
	width := p.Duration/time.Duration(pieces) + 1
	running := runningTimes(rows, p.Events)
	next := 0
	for from := time.Duration(0); from < p.Duration; from += width {
		to := min(from+width, p.Duration)
		all := float64(to - from)
		var ran, halted time.Duration
		for ; next < len(rows) && rows[next].Time < to; next++ {
			ran += running[next]
			halted += rows[next].Halted
		}
		before, after := max(0, min(rows[0].Time, to)-from), max(0, to-max(from, rows[len(rows)-1].Time))
		unknown := min(1, float64(profile.OffBetween(p.Events, from, to)+before+after)/all)
		held := min(float64(halted)/all, 1-unknown)
		run := min(float64(ran)/all, 1-unknown-held)
		c.event(chromeEvent{Phase: "C", PID: chromePID, TID: 1, Time: microseconds(from), Cat: chromeCounter, Name: "Core %",
			Args: chromeShares{hundredths(run), hundredths(1 - unknown - held - run), hundredths(held), hundredths(unknown)}})
	}
	c.event(chromeEvent{Phase: "C", PID: chromePID, TID: 1, Time: microseconds(p.Duration), Cat: chromeCounter, Name: "Core %", Args: chromeShares{Unknown: 100}})
}

// hundredths is a share in percent, to a hundredth.
func hundredths(share float64) float64 { return float64(int(max(0, share)*1e4+0.5)) / 100 }
