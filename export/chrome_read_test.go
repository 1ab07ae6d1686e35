package export_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mprof/mprof/export"
	"github.com/mprof/mprof/profile"
)

func readText(t *testing.T, text string) *profile.Profile {
	t.Helper()
	p, err := export.Read(strings.NewReader(text), export.Input{})
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return p
}

func remarks(p *profile.Profile) string { return strings.Join(p.Taken.Remarks, "\n") }

// Samples of somebody else's trace are those of the file.
func TestReadForeignChromeSamples(t *testing.T) {
	for _, p := range []*profile.Profile{rich(t, 600), randomProfile(4), randomProfile(7)} {
		back, err := export.Read(bytes.NewReader(foreignJSON(t, written(t, p, ".trace.json"))), export.Input{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(hottest(p, 1000), hottest(back, 1000)); diff != "" {
			t.Error(diff)
		}
		if !back.Taken.Unrecorded || !strings.Contains(remarks(back), "until the next one") {
			t.Error(remarks(back))
		}
	}
}

// Calls of somebody else's trace are pieces of time; on one track those of all their lengths.
func TestReadForeignChromeCalls(t *testing.T) {
	p := traced(t, 500)
	back, err := export.Read(bytes.NewReader(foreignJSON(t, written(t, p, ".trace.json"))), export.Input{})
	if err != nil {
		t.Fatal(err)
	}
	for i, thread := range p.Threads {
		var want, got time.Duration
		for _, c := range thread.Calls {
			if p.Stacks[c.Stack].Prefix == profile.None {
				want += c.Duration
			}
		}
		for _, s := range back.Threads[i].Samples {
			got += s.Weight
		}
		if want != got || back.Threads[i].Name != thread.Name {
			t.Errorf("%s: %v, want %v of %s", back.Threads[i].Name, got, want, thread.Name)
		}
	}
}

const ms = time.Millisecond

// Files by others: begins and ends, complete events, text for numbers, an array without an end.
func TestReadChromeByOthers(t *testing.T) {
	for name, c := range map[string]struct {
		file  string
		want  map[string][2]time.Duration
		notes []string
	}{
		"B and E": {`{"displayTimeUnit":"ms","traceEvents":[{"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"Worker"}},
{"ph":"B","name":"main","pid":1,"tid":2,"ts":1000},{"ph":"B","name":"work","pid":1,"tid":2,"ts":3000},{"ph":"E","pid":1,"tid":2,"ts":4000},{"ph":"E","pid":1,"tid":2,"ts":11000},{"ph":"i","name":"x","pid":1,"tid":2,"ts":1}]}`,
			map[string][2]time.Duration{"main": {9 * ms, 10 * ms}, "work": {1 * ms, 1 * ms}}, []string{"1 other events", "begin with the first"}},
		"array without end": {`[{"ph":"X","name":"a","pid":"p","tid":"t","ts":"0","dur":"5000"},
{"ph":"X","name":"b","pid":"p","tid":"t","ts":1000,"dur":2000},
`, map[string][2]time.Duration{"a": {3 * ms, 5 * ms}, "b": {2 * ms, 2 * ms}}, nil},
		"out of order": {`[{"ph":"X","name":"b","pid":1,"tid":1,"ts":0,"dur":1000},{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":5000}]`,
			map[string][2]time.Duration{"a": {4 * ms, 5 * ms}, "b": {1 * ms, 1 * ms}}, nil},
		"overlap": {`[{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":4000},{"ph":"X","name":"b","pid":1,"tid":1,"ts":1000,"dur":9000},{"ph":"E","pid":1,"tid":1,"ts":1500},{"ph":"B","name":"c","pid":1,"tid":1,"ts":5000},{"ph":"X","name":"d","pid":1,"tid":1,"ts":6000,"dur":1000}]`,
			map[string][2]time.Duration{"a": {1 * ms, 4 * ms}, "b": {3 * ms, 3 * ms}, "c": {1 * ms, 2 * ms}, "d": {1 * ms, 1 * ms}},
			[]string{"1 calls that would outlast", "1 ends of calls", "1 calls that did not end"}},
		"CpuProfile": {`{"traceEvents":[{"ph":"I","name":"CpuProfile","pid":1,"tid":1,"ts":0,"args":{"data":{"cpuProfile":{"startTime":0,"nodes":[
{"id":1,"callFrame":{"functionName":"(root)"},"children":[2,3]},{"id":2,"callFrame":{"functionName":"f","url":"f.js","lineNumber":9}},{"id":3,"callFrame":{"functionName":"(idle)"}}],"samples":[2,3,1,2],"timeDeltas":[0,2000,1000,1000]}}}}]}`,
			map[string][2]time.Duration{"f": {2 * ms, 2 * ms}, "(idle)": {1 * ms, 1 * ms}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			p := readText(t, c.file)
			if diff := cmp.Diff(c.want, times(p)); diff != "" {
				t.Error(diff)
			}
			for _, note := range c.notes {
				if !strings.Contains(remarks(p), note) {
					t.Errorf("no %q in %s", note, remarks(p))
				}
			}
		})
	}
}

// Samples with stackFrames are the older way.
func TestReadChromeStackFrames(t *testing.T) {
	p := readText(t, `{"traceEvents":[],"stackFrames":{"1":{"name":"main"},"2":{"name":"work","parent":1},"3":{"name":"idle","parent":"1"}},
"samples":[{"pid":1,"tid":7,"ts":0,"sf":2,"weight":1},{"pid":1,"tid":7,"ts":10,"sf":"3","weight":3},{"pid":1,"tid":7,"ts":20,"sf":1}]}`)
	if diff := cmp.Diff(counts{"main": {1, 5}, "work": {1, 1}, "idle": {3, 3}}, hottest(p, 10)); diff != "" {
		t.Error(diff)
	}
}

// Where somebody has taken calls out, the rows count, and a note says so.
func TestReadChangedChrome(t *testing.T) {
	for name, p := range map[string]*profile.Profile{"calls": traced(t, 100), "samples": rich(t, 100)} {
		var file map[string]any
		if err := json.Unmarshal(written(t, p, ".trace.json"), &file); err != nil {
			t.Fatal(err)
		}
		var kept []any
		for _, e := range file["traceEvents"].([]any) {
			if ph := e.(map[string]any)["ph"]; ph != "X" && e.(map[string]any)["name"] != "ProfileChunk" || len(kept)%3 > 0 {
				kept = append(kept, e)
			} else {
				kept = append(kept, map[string]any{"ph": "i", "name": "gone", "ts": 0})
			}
		}
		file["traceEvents"] = kept
		text, err := json.Marshal(file)
		if err != nil {
			t.Fatal(err)
		}
		back, err := export.Read(bytes.NewReader(text), export.Input{})
		if err != nil {
			t.Fatal(err)
		}
		if !back.Taken.Unrecorded || back.Trace != nil || !strings.Contains(remarks(back), "changed the file") {
			t.Errorf("%s: %+v", name, back.Taken)
		}
	}
}

// A trace whose calls are not known has nothing to show.
func TestChromeTraceWithoutCalls(t *testing.T) {
	p := reread(t, traced(t, 50), ".pb.gz")
	err := export.WriteChrome(&bytes.Buffer{}, p)
	if err == nil || !strings.Contains(err.Error(), "only the sums are known") {
		t.Error(err)
	}
}

var hostileChrome = [][2]string{
	{`{"traceEvents":3}`, "no array"},
	{`{"traceEvents":[{"ph":"X"`, "damaged JSON"},
	{`{"traceEvents":[{"ph":"X","name":"a"}]}`, "no time"},
	{`{"traceEvents":[{"name":"a"}]}`, "no phase"},
	{`{"traceEvents":[{"ph":"X","name":"a","ts":"soon"}]}`, `"\"soon\""`},
	{`{"traceEvents":[{"ph":"X","name":"a","ts":1e300}]}`, "a time of 1e+300"},
	{`{"traceEvents":[{"ph":"X","name":"a","ts":0,"dur":-1}]}`, "a length of -1"},
	{`{"traceEvents":[{"ph":"P","name":"ProfileChunk","id":"0x1","args":{"data":{"cpuProfile":{"samples":[1]},"timeDeltas":[]}}}]}`, "1 samples and 0 times"},
	{`{"traceEvents":[{"ph":"P","name":"ProfileChunk","id":"0x1","args":{"data":{"cpuProfile":{"samples":[1]},"timeDeltas":[0]}}}]}`, "node 1 is not in the file"},
	{`{"traceEvents":[{"ph":"P","name":"ProfileChunk","id":"0x1","args":{"data":{"cpuProfile":{"nodes":[{"id":1,"parent":2},{"id":2,"parent":1}],"samples":[1]},"timeDeltas":[0]}}}]}`, "more than 4096 frames"},
	{`{"traceEvents":[{"ph":"P","name":"ProfileChunk","id":"0x1","args":{"data":{"cpuProfile":{"nodes":[{"id":1,"children":[2]}],"samples":[2]},"timeDeltas":[0]}}}]}`, "node 2 is not in the file"},
	{`{"traceEvents":[{"ph":"P","name":"ProfileChunk","id":"0x1","args":{"data":{"cpuProfile":{"nodes":[{"id":1}],"samples":[1,1]},"timeDeltas":[0,1e300]}}}]}`, "a time of"},
	{`{"traceEvents":[],"samples":[{"sf":1,"ts":0}]}`, `stack frame "1" is not in the file`},
	{`{"traceEvents":[],"stackFrames":{"1":{"parent":1}},"samples":[{"sf":1,"ts":0}]}`, "without an end"},
	{`{"traceEvents":[],"stackFrames":{"1":{}},"samples":[{"sf":1,"ts":0,"weight":0.5}]}`, "weight of 0.5"},
	{`{"traceEvents":[],"mprof":"nonsense"}`, "noted in it is damaged"},
	{`{"traceEvents":[],"mprof":{}}`, "damaged JSON"},
}

func TestReadHostileChrome(t *testing.T) {
	for _, h := range hostileChrome {
		_, err := export.Read(strings.NewReader(h[0]), export.Input{})
		if err == nil || !strings.Contains(err.Error(), h[1]) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v, want %q", h[0], err, h[1])
		}
	}
	var deep strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&deep, `{"ph":"B","name":"f","ts":%d},`, i)
	}
	if _, err := export.Read(strings.NewReader(`[`+deep.String()+`{"ph":"E","ts":6000}]`), export.Input{}); err == nil || !strings.Contains(err.Error(), "4096 calls inside") {
		t.Error(err)
	}
}

func FuzzReadChrome(f *testing.F) {
	for _, h := range hostileChrome {
		f.Add([]byte(h[0]))
	}
	f.Add(written(f, randomProfile(2), ".trace.json"))
	f.Add(written(f, lossy(f), ".trace.json"))
	f.Fuzz(readsOrSays)
}
