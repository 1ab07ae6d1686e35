package export_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mprof/mprof/export"
	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/unwind"
)

// wholeFormats have all of a profile beside their rows.
var wholeFormats = []string{".speedscope.json", ".speedscope.json.gz", ".callgrind", ".trace.json", ".trace.json.gz"}

func written(tb testing.TB, p *profile.Profile, ext string) []byte {
	tb.Helper()
	f, err := export.ByPath("p" + ext)
	if err != nil {
		tb.Fatal(err)
	}
	var out bytes.Buffer
	if err := f.Write(&out, p); err != nil {
		tb.Fatalf("%s: %v", ext, err)
	}
	return out.Bytes()
}

// strays is a trace in which two calls overlap on one track, as lost bytes make them.
func strays(t *testing.T) *profile.Profile {
	t.Helper()
	p := traced(t, 900)
	calls := p.Threads[0].Calls
	n := len(calls)
	calls[n-2], calls[n-1] = calls[n-1], calls[n-2] // the callee first, if one is the other's
	calls[n-2].Time, calls[n-2].Duration = p.Duration, time.Millisecond
	calls[n-1].Time, calls[n-1].Duration = p.Duration+time.Millisecond/2, time.Millisecond
	p.Duration += 2 * time.Millisecond
	return p
}

// oddNames puts control characters into each function's name.
func oddNames(p *profile.Profile) *profile.Profile {
	for i := range p.Functions {
		p.Functions[i].Name += "\x1b[31m\nx"
	}
	return p
}

// A file that mprof wrote gives back the very profile: each row, frame, call, event and number.
func TestReadWholeFormats(t *testing.T) {
	profiles := map[string]*profile.Profile{"lossy": lossy(t), "traced": traced(t, 900), "strays": strays(t), "names": oddNames(traced(t, 900)), "names of samples": oddNames(rich(t, 300))}
	for seed := range uint64(16) {
		profiles[fmt.Sprint("random ", seed)] = randomProfile(seed)
	}
	for name, p := range profiles {
		for _, ext := range wholeFormats {
			back := reread(t, p, ext)
			if diff := cmp.Diff(p, back, cmpopts.IgnoreTypes(unwind.Stop{}), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s, %s: %s", name, ext, diff)
			}
			if diff := cmp.Diff(numbers(t, p), numbers(t, back)); diff != "" {
				t.Errorf("%s, %s: %s", name, ext, diff)
			}
		}
	}
}

// What was read from a format that holds less is written and read again as it was.
func TestReadWholeFormatsOfLess(t *testing.T) {
	p := randomProfile(3)
	for _, from := range []string{".folded", ".pb.gz", ".perf", ".json"} {
		half := reread(t, p, from)
		for _, ext := range wholeFormats {
			if diff := cmp.Diff(numbers(t, half), numbers(t, reread(t, half, ext))); diff != "" {
				t.Errorf("%s, %s: %s", from, ext, diff)
			}
		}
	}
}

// The same profile gives the same bytes.
func TestWholeFormatsAreDeterministic(t *testing.T) {
	for _, p := range []*profile.Profile{randomProfile(5), lossy(t)} {
		for _, ext := range wholeFormats {
			if !bytes.Equal(written(t, p, ext), written(t, p, ext)) {
				t.Errorf("%s differs from run to run", ext)
			}
		}
	}
}

// foreignJSON is a file without what mprof notes in it.
func foreignJSON(t *testing.T, content []byte) []byte {
	t.Helper()
	var file map[string]json.RawMessage
	if err := json.Unmarshal(content, &file); err != nil {
		t.Fatal(err)
	}
	if len(file["mprof"]) == 0 {
		t.Fatal("nothing is noted in it")
	}
	delete(file, "mprof")
	text, err := json.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// times are those of functions themselves and in all, of samples that weigh something.
func times(p *profile.Profile) map[string][2]time.Duration {
	out := map[string][2]time.Duration{}
	for _, e := range p.Top() {
		if e.TotalTime > 0 {
			out[e.Name] = [2]time.Duration{e.SelfTime, e.TotalTime}
		}
	}
	return out
}

// A file of speedscope by somebody else has names and weights.
func TestReadForeignSpeedscope(t *testing.T) {
	for _, p := range []*profile.Profile{rich(t, 400), traced(t, 400), randomProfile(7)} {
		back, err := export.Read(bytes.NewReader(foreignJSON(t, written(t, p, ".speedscope.json"))), export.Input{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(times(p), times(back)); diff != "" {
			t.Error(diff)
		}
		if !back.Taken.Unrecorded || back.Trace != nil || len(back.Taken.Remarks) != 3 { // its weights differ: they are times
			t.Errorf("%+v", back.Taken)
		}
		files := func(p *profile.Profile) (all []string) {
			for _, f := range p.Functions {
				if f.File != "" {
					all = append(all, fmt.Sprintf("%s:%d", f.File, f.Line))
				}
			}
			slices.Sort(all)
			return slices.Compact(all)
		}
		if diff := cmp.Diff(files(p), files(back)); diff != "" && p.Trace == nil {
			t.Error(diff)
		}
	}
}

// Calls that begin and end are pieces of time of what is open.
func TestReadEventedSpeedscope(t *testing.T) {
	const file = `{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"main","file":"m.c","line":3},{"name":"work"}]},
"profiles":[{"type":"evented","name":"Task","unit":"milliseconds","startValue":100,"endValue":110,"events":[
{"type":"O","frame":0,"at":100},{"type":"O","frame":1,"at":102},{"type":"C","frame":1,"at":105},{"type":"C","frame":0,"at":106},{"type":"O","frame":1,"at":109},{"type":"C","frame":1,"at":110}]}]}`
	p, err := export.Read(strings.NewReader(file), export.Input{})
	if err != nil {
		t.Fatal(err)
	}
	ms := time.Millisecond
	if diff := cmp.Diff(map[string][2]time.Duration{"main": {3 * ms, 6 * ms}, "work": {4 * ms, 4 * ms}}, times(p)); diff != "" {
		t.Error(diff)
	}
	if p.Threads[0].Name != "Task" || p.Duration != 10*ms || p.Functions[0].File != "m.c" {
		t.Errorf("%+v, %v", p.Threads[0], p.Duration)
	}
}

// Where somebody has changed rows, those count, and a note says so.
func TestReadChangedSpeedscope(t *testing.T) {
	p := rich(t, 50)
	var file map[string]any
	if err := json.Unmarshal(written(t, p, ".speedscope.json"), &file); err != nil {
		t.Fatal(err)
	}
	thread := file["profiles"].([]any)[0].(map[string]any)
	weights := thread["weights"].([]any)
	weights[3] = weights[3].(float64) + 1000
	text, err := json.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	back, err := export.Read(bytes.NewReader(text), export.Input{})
	if err != nil {
		t.Fatal(err)
	}
	if !back.Taken.Unrecorded || !strings.Contains(strings.Join(back.Taken.Remarks, "\n"), "changed the file") {
		t.Errorf("%+v", back.Taken)
	}
}

const speedscopeHead = `{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"a"}]},`

// hostileSpeedscope are files that cannot be right, with what is said of them.
var hostileSpeedscope = [][2]string{
	{`"profiles":[]}`, "without profiles"},
	{`"profiles":[{"type":"sampled","unit":"none","samples":[[1]],"weights":[1]}]}`, "frame 1 of 1"},
	{`"profiles":[{"type":"sampled","unit":"none","samples":[[-1]],"weights":[1]}]}`, "frame -1 of 1"},
	{`"profiles":[{"type":"sampled","unit":"none","samples":[[0]],"weights":[]}]}`, "1 samples and 0 weights"},
	{`"profiles":[{"type":"sampled","unit":"none","samples":[[0]],"weights":[0.5]}]}`, "no number of samples"},
	{`"profiles":[{"type":"sampled","unit":"seconds","samples":[[0]],"weights":[-1]}]}`, "weight of -1"},
	{`"profiles":[{"type":"sampled","unit":"seconds","samples":[[0]],"weights":[1e300]}]}`, "weight of 1e+300"},
	{`"profiles":[{"type":"sampled","unit":"bytes","samples":[[0]],"weights":[1]}]}`, "neither a time nor a number"},
	{`"profiles":[{"type":"other","unit":"none"}]}`, "neither sampled nor evented"},
	{`"profiles":[{"type":"evented","unit":"none","events":[]}]}`, "unit is none"},
	{`"profiles":[{"type":"evented","unit":"seconds","events":[{"type":"C","frame":0,"at":0}]}]}`, "not the one that is open"},
	{`"profiles":[{"type":"evented","unit":"seconds","startValue":5,"events":[{"type":"O","frame":0,"at":1}]}]}`, "weight of -4"},
	{`"profiles":[{"type":"sampled","unit":"none","samples":[[0]],"weights":[1]}],"mprof":"nonsense"}`, "noted in it is damaged"},
	{`"profiles":[{"type":"sampled","unit":"none","samples":3}]}`, "damaged JSON"},
}

func TestReadHostileSpeedscope(t *testing.T) {
	for _, h := range hostileSpeedscope {
		_, err := export.Read(strings.NewReader(speedscopeHead+h[0]), export.Input{})
		if err == nil || !strings.Contains(err.Error(), h[1]) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v, want %q", h[0], err, h[1])
		}
	}
}

func FuzzReadSpeedscope(f *testing.F) {
	for _, h := range hostileSpeedscope {
		f.Add([]byte(speedscopeHead + h[0]))
	}
	f.Add(written(f, randomProfile(2), ".speedscope.json"))
	f.Fuzz(readsOrSays)
}
