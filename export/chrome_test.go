package export_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mprof/mprof/profile"
)

// perfetto is what Perfetto's importer makes of a file, by its rules (google/perfetto,
// src/trace_processor/importers/json/json_trace_tokenizer.cc and common/legacy_v8_cpu_profile_tracker.cc): what it would
// count as a failure or leave out fails the test.
type perfetto struct {
	t        *testing.T
	tracks   map[int]string
	slices   map[int][]perfettoSlice
	samples  map[int][]perfettoSample
	counters int
	async    map[string]int // intervals by name
	instants map[string]int
}

type perfettoSlice struct {
	name          string
	ts, dur, took int64 // ns
}

type perfettoSample struct {
	ts    int64    // ns
	stack []string // the outermost first
}

type v8Session struct {
	pid, tid int
	ts       int64
	nodes    map[int][]string
}

func readLikePerfetto(t *testing.T, content []byte) *perfetto {
	t.Helper()
	// Unknown members are passed over by a reader that knows \" \\ \/ \b \f \n \r \t alone, and no control
	// character in a string.
	if !bytes.HasPrefix(content, []byte(`{"traceEvents":[`)) {
		t.Fatalf("traceEvents is not the first member: %.60s", content)
	}
	if bytes.Contains(content, []byte(`\u`)) || bytes.ContainsAny(content, "\x7f") {
		t.Error("a string needs an escape that is not known")
	}
	var file struct {
		TraceEvents     []map[string]json.RawMessage
		DisplayTimeUnit string
		OtherData       map[string]string
	}
	if err := json.Unmarshal(content, &file); err != nil {
		t.Fatal(err)
	}
	p := &perfetto{t: t, tracks: map[int]string{}, slices: map[int][]perfettoSlice{}, samples: map[int][]perfettoSample{}, async: map[string]int{}, instants: map[string]int{}}
	sessions := map[string]*v8Session{}
	open := map[string]string{}
	for i, e := range file.TraceEvents {
		p.event(i, e, sessions, open)
	}
	if len(open) > 0 {
		t.Errorf("intervals do not end: %v", open)
	}
	for tid := range p.slices {
		p.nest(tid)
	}
	return p
}

func text(e map[string]json.RawMessage, key string) (s string) {
	_ = json.Unmarshal(e[key], &s)
	return s
}

// whole is a number of pids, tids and V8's times: an integer.
func (p *perfetto) whole(i int, raw json.RawMessage) int64 {
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil {
		p.t.Fatalf("event %d: %q is no whole number", i, raw)
	}
	return n
}

// ns is a time: llround(1000 µs).
func (p *perfetto) ns(i int, raw json.RawMessage) int64 {
	us, err := strconv.ParseFloat(string(raw), 64)
	if err != nil {
		p.t.Fatalf("event %d: %q is no time", i, raw)
	}
	return int64(math.Round(us * 1000))
}

func (p *perfetto) event(i int, e map[string]json.RawMessage, sessions map[string]*v8Session, open map[string]string) {
	ts, pid, tid, name := p.ns(i, e["ts"]), p.whole(i, e["pid"]), int(p.whole(i, e["tid"])), text(e, "name")
	if name == "" {
		p.t.Errorf("event %d has no name", i)
	}
	var args map[string]json.RawMessage
	_ = json.Unmarshal(e["args"], &args)
	switch phase := text(e, "ph"); phase {
	case "M":
		if name == "thread_name" {
			p.tracks[tid] = text(args, "name")
		}
	case "X":
		s := perfettoSlice{name, ts, p.ns(i, e["dur"]), p.ns(i, e["dur"])}
		if took, ok := args["took_us"]; ok {
			s.took = p.ns(i, took)
		}
		p.slices[tid] = append(p.slices[tid], s)
	case "b", "e":
		id := text(e, "cat") + text(e, "id")
		if _, err := strconv.ParseUint(text(e, "id"), 0, 64); err != nil || phase == "b" && open[id] != "" || phase == "e" && open[id] != name {
			p.t.Errorf("event %d: interval %s %s: %v", i, id, name, err)
		}
		if open[id] = name; phase == "e" {
			delete(open, id)
			p.async[name]++
		}
	case "i":
		if text(e, "s") != "p" {
			p.t.Errorf("event %d: scope %q", i, text(e, "s"))
		}
		p.instants[name]++
	case "C":
		sum := 0.0
		for series, raw := range args {
			v, err := strconv.ParseFloat(string(raw), 64)
			if err != nil || v < 0 || v > 100 {
				p.t.Errorf("event %d: %s is %s", i, series, raw)
			}
			sum += v
		}
		if math.Abs(sum-100) > 0.03 {
			p.t.Errorf("event %d: %v %% of the time: %s", i, sum, e["args"])
		}
		p.counters++
	case "P":
		p.v8(i, int(pid), tid, name, text(e, "id"), args["data"], sessions)
	default:
		p.t.Errorf("event %d: phase %q", i, phase)
	}
}

func (p *perfetto) v8(i, pid, tid int, name, id string, data json.RawMessage, sessions map[string]*v8Session) {
	if _, err := strconv.ParseUint(strings.TrimPrefix(id, "0x"), 16, 64); err != nil {
		p.t.Fatalf("event %d: id %q", i, id)
	}
	key := fmt.Sprint(id, "/", pid)
	if name == "Profile" {
		var start struct{ StartTime json.RawMessage }
		if err := json.Unmarshal(data, &start); err != nil {
			p.t.Fatal(err)
		}
		sessions[key] = &v8Session{pid: pid, tid: tid, ts: p.whole(i, start.StartTime) * 1000, nodes: map[int][]string{}}
		return
	}
	s := sessions[key]
	if s == nil || s.tid != tid {
		p.t.Fatalf("event %d: part of a profile that has not begun", i)
	}
	var chunk struct {
		StartTime  *json.RawMessage
		CPUProfile struct {
			Nodes []struct {
				ID        int
				Parent    *int
				CallFrame struct{ FunctionName, URL string }
			}
			Samples []int
		}
		TimeDeltas []json.RawMessage
	}
	if err := json.Unmarshal(data, &chunk); err != nil {
		p.t.Fatal(err)
	}
	if chunk.StartTime != nil || len(chunk.CPUProfile.Samples) != len(chunk.TimeDeltas) {
		p.t.Fatalf("event %d: a start again, or %d samples and %d times", i, len(chunk.CPUProfile.Samples), len(chunk.TimeDeltas))
	}
	for _, n := range chunk.CPUProfile.Nodes {
		if _, twice := s.nodes[n.ID]; twice {
			p.t.Errorf("event %d: node %d a second time", i, n.ID)
		}
		stack := []string{}
		if n.Parent != nil {
			above, known := s.nodes[*n.Parent]
			if !known {
				p.t.Errorf("event %d: node %d below %d, which does not stand before it", i, n.ID, *n.Parent)
			}
			stack = append(append(stack, above...), n.CallFrame.FunctionName)
		}
		s.nodes[n.ID] = stack
	}
	for n, node := range chunk.CPUProfile.Samples {
		s.ts += p.whole(i, chunk.TimeDeltas[n]) * 1000
		stack, known := s.nodes[node]
		if !known {
			p.t.Errorf("event %d: sample of node %d", i, node)
		}
		p.samples[tid] = append(p.samples[tid], perfettoSample{s.ts, stack})
	}
}

// nest tells whether the complete events of a track lie inside of each other, callers first.
func (p *perfetto) nest(tid int) {
	var ends []int64
	before := int64(math.MinInt64)
	for _, s := range p.slices[tid] {
		for len(ends) > 0 && ends[len(ends)-1] <= s.ts {
			ends = ends[:len(ends)-1]
		}
		if s.ts < before || len(ends) > 0 && s.ts+s.dur > ends[len(ends)-1] {
			p.t.Errorf("track %d: %+v is not inside of the one before it", tid, s)
		}
		before = s.ts
		ends = append(ends, s.ts+s.dur)
	}
}

// By the rules of Perfetto's importer each traced call has its slice, to the nanosecond, on the track
// of its context.
func TestChromeCallsInPerfetto(t *testing.T) {
	for _, p := range []*profile.Profile{traced(t, 2000), lossy(t)} {
		got := readLikePerfetto(t, written(t, p, ".trace.json"))
		for i, thread := range p.Threads {
			var want []perfettoSlice
			for _, c := range thread.Calls {
				want = append(want, perfettoSlice{p.Functions[p.Frames[p.Stacks[c.Stack].Frame].Function].Name, int64(c.Time), int64(c.Duration), int64(c.Duration)})
			}
			if diff := cmp.Diff(want, got.slices[i+1], cmp.AllowUnexported(perfettoSlice{})); diff != "" {
				t.Errorf("%s: %s", thread.Name, diff)
			}
			if got.tracks[i+1] != thread.Name {
				t.Errorf("track %d is %q", i+1, got.tracks[i+1])
			}
		}
		for _, e := range p.Events {
			if e.Duration > 0 && got.async[e.Name] == 0 || e.Duration == 0 && got.instants[e.Name] == 0 {
				t.Errorf("no %s: %v, %v", e.Name, got.async, got.instants)
			}
		}
	}
}

// perfettoCounts are the samples of each function. Each is on the track of its innermost exception.
func perfettoCounts(t *testing.T, content []byte) counts {
	t.Helper()
	got, found := readLikePerfetto(t, content), counts{}
	for tid, samples := range got.samples {
		_, exception, _ := strings.Cut(got.tracks[tid], ": ")
		for _, s := range samples {
			seen := map[string]bool{}
			innermost := ""
			for _, f := range s.stack {
				c := found[f]
				if !seen[f] {
					c[1]++
				}
				seen[f] = true
				found[f] = c
				if in, ok := strings.CutPrefix(f, "<exception: "); ok {
					innermost = strings.TrimSuffix(in, ">")
				}
			}
			leaf := s.stack[len(s.stack)-1]
			found[leaf] = [2]int{found[leaf][0] + 1, found[leaf][1]}
			if innermost != exception {
				t.Fatalf("a sample in %q on track %q", innermost, got.tracks[tid])
			}
		}
	}
	return found
}

// Each sample is there, with its stack and its time to the microsecond; those in exceptions have tracks of
// their own.
func TestChromeSamplesInPerfetto(t *testing.T) {
	for name, p := range map[string]*profile.Profile{"rich": rich(t, 3000), "blocks": randomProfile(7), "gaps": randomProfile(4)} {
		t.Run(name, func(t *testing.T) {
			content := written(t, p, ".trace.json")
			if diff := cmp.Diff(hottest(p, 10_000), perfettoCounts(t, content)); diff != "" {
				t.Error(diff)
			}
			got := readLikePerfetto(t, content)
			n := 0
			for _, samples := range got.samples {
				n += len(samples)
			}
			if n != p.Samples() || name == "rich" && len(got.samples) < 3 {
				t.Errorf("%d samples in %d tracks, want %d", n, len(got.samples), p.Samples())
			}
			if name == "rich" && got.counters < 20 {
				t.Errorf("%d values of the counter", got.counters)
			}
			times := map[int64]int{}
			for _, s := range p.Threads[0].Samples {
				times[int64(s.Time.Round(time.Microsecond))] += s.Count
			}
			for _, samples := range got.samples {
				for _, s := range samples {
					times[s.ts]--
				}
			}
			for at, left := range times {
				if left != 0 && name != "blocks" {
					t.Fatalf("%d samples at %d ns", left, at)
				}
			}
		})
	}
}

// The counter says what the summary says of the whole run.
func TestChromeCounterAddsUp(t *testing.T) {
	p := rich(t, 3000)
	var file struct {
		TraceEvents []struct {
			Name string
			TS   float64
			Args map[string]any
		}
	}
	if err := json.Unmarshal(written(t, p, ".trace.json"), &file); err != nil {
		t.Fatal(err)
	}
	sums := map[string]float64{}
	var last map[string]any
	at := 0.0
	for _, e := range file.TraceEvents {
		if e.Name != "Core %" {
			continue
		}
		for series, v := range last {
			sums[series] += v.(float64) / 100 * (e.TS - at)
		}
		at, last = e.TS, e.Args
	}
	all := float64(p.Duration) / 1e3
	if got, want := sums["halted for samples"]/all, p.HaltedShare(); math.Abs(got-want) > 1e-3 {
		t.Errorf("halted for %v of the time, want %v", got, want)
	}
	if got, want := sums["asleep"]/all, p.IdleShare(); math.Abs(got-want.Value) > 5*want.Error+0.01 {
		t.Errorf("asleep for %v of the time, want %v", got, want)
	}
}

// The Firefox Profiler reads it, too: the loader counts the samples that the summary counts.
func TestFirefoxProfilerReadsChromeSamples(t *testing.T) {
	cli := newProfilerCLI(t)
	p := rich(t, 2000)
	content := written(t, p, ".trace.json")
	path := write(t, p, "rich.trace.json")
	if onDisk, err := os.ReadFile(path); err != nil || !bytes.Equal(onDisk, content) {
		t.Fatal("another file")
	}
	cli.load(path)
	found := counts{}
	for i := range readLikePerfetto(t, content).samples {
		for name, n := range cli.functions(fmt.Sprint("t-", i-1)) {
			found[name] = [2]int{found[name][0] + n[0], found[name][1] + n[1]}
		}
	}
	want := hottest(p, 10_000)
	delete(found, "(root)")
	if diff := cmp.Diff(want, found); diff != "" {
		t.Error(diff)
	}
}

// Speedscope adds the lengths of calls up, each on the clock; of samples it knows the functions.
func TestSpeedscopeReadsChromeTraces(t *testing.T) {
	p := traced(t, 800)
	want := nanos{}
	for _, thread := range p.Threads {
		for _, c := range thread.Calls {
			name := p.Functions[p.Frames[p.Stacks[c.Stack].Frame].Function].Name
			self := want[name]
			self[0] += int64(c.Duration)
			outermost := true
			for above, f := range p.Callers(c.Stack) {
				outermost = outermost && (above == c.Stack || p.Functions[f.Function].Name != name)
			}
			if outermost {
				self[1] += int64(c.Duration)
			}
			want[name] = self
			if above := p.Stacks[c.Stack].Prefix; above != profile.None {
				caller := p.Functions[p.Frames[p.Stacks[above].Frame].Function].Name
				of := want[caller]
				want[caller] = [2]int64{of[0] - int64(c.Duration), of[1]}
			}
		}
	}
	found := speedscope(t, write(t, p, "calls.trace.json"))
	got := nanos{}
	for name, n := range found.nanos(t, 1000) { // names have the arguments behind them
		name, _, _ = strings.Cut(name, " {")
		got[name] = [2]int64{got[name][0] + n[0], got[name][1]}
	}
	for name, n := range want {
		if math.Abs(float64(got[name][0]-n[0])) > 1000 {
			t.Errorf("%s itself: %d ns, want %d", name, got[name][0], n[0])
		}
	}
	sampled := speedscope(t, write(t, rich(t, 300), "samples.trace.json.gz"))
	names := map[string]bool{}
	for _, f := range sampled.Shared.Frames {
		names[f.Name] = true
	}
	for name := range hottest(rich(t, 300), 5) {
		if !names[name] {
			t.Errorf("no %s in %v", name, names)
		}
	}
}
