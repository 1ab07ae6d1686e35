package export_test

import (
	"bytes"
	"encoding/json"
	"math"
	"runtime/pprof"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mprof/mprof/export"
	"github.com/mprof/mprof/profile"
)

//go:noinline
func burn(until time.Time) (x float64) {
	for time.Now().Before(until) {
		for i := range 10_000 {
			x += math.Sqrt(float64(i))
		}
	}
	return x
}

// Go's own profile of this program.
func TestReadGoProfile(t *testing.T) {
	var out bytes.Buffer
	for limit := 200 * time.Millisecond; ; limit *= 2 { // until a busy machine has given us time
		out.Reset()
		if err := pprof.StartCPUProfile(&out); err != nil {
			t.Fatal(err)
		}
		burn(time.Now().Add(limit))
		pprof.StopCPUProfile()
		p, err := export.Read(bytes.NewReader(out.Bytes()), export.Input{})
		if err != nil {
			t.Fatal(err)
		}
		if p.Samples() < 5 && limit < 10*time.Second {
			continue
		}
		var sum time.Duration
		for _, e := range p.Top() {
			sum += e.SelfTime
		}
		if p.Period != 10*time.Millisecond || sum != time.Duration(p.Samples())*p.Period || !p.Taken.Unrecorded {
			t.Errorf("%d samples, %v, period %v, %+v", p.Samples(), sum, p.Period, p.Taken)
		}
		found := false
		for _, e := range p.Top() {
			found = found || strings.HasSuffix(e.Name, ".burn") && e.TotalShare.Value > 0.3 && strings.HasSuffix(p.Functions[e.Function].File, "read_foreign_test.go")
		}
		if !found {
			t.Errorf("no burn in %+v", p.Top())
		}
		return
	}
}

// foreignFirefox is a profile of ours as another program would have written it: without
// our notes; and, if old, with the tables in the threads and the names of files in those
// of functions, as it was until 2024.
func foreignFirefox(t *testing.T, p *profile.Profile, old bool) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := export.WriteFirefox(&out, p); err != nil {
		t.Fatal(err)
	}
	var file map[string]any
	if err := json.Unmarshal(out.Bytes(), &file); err != nil {
		t.Fatal(err)
	}
	delete(file, "mprof")
	file["threads"] = append([]any{map[string]any{"name": "without samples"}}, file["threads"].([]any)...)
	if old {
		shared := file["shared"].(map[string]any)
		delete(file, "shared")
		file["meta"].(map[string]any)["preprocessedProfileVersion"] = 48
		functions, sources := shared["funcTable"].(map[string]any), shared["sources"].(map[string]any)
		names := []any{}
		for _, s := range functions["source"].([]any) {
			if i, ok := s.(float64); ok {
				s = sources["filename"].([]any)[int(i)]
			}
			names = append(names, s)
		}
		functions["fileName"] = names
		delete(functions, "source")
		for _, thread := range file["threads"].([]any)[1:] {
			for _, table := range []string{"stringArray", "stackTable", "frameTable", "funcTable", "nativeSymbols"} {
				thread.(map[string]any)[table] = shared[table]
			}
		}
	}
	text, err := json.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Files of other programs have the same samples, functions and lines, and say nothing of
// what a sample cost.
func TestReadForeignFirefox(t *testing.T) {
	for _, old := range []bool{false, true} {
		for seed := range uint64(8) {
			p := randomProfile(seed)
			back, err := export.Read(bytes.NewReader(foreignFirefox(t, p, old)), export.Input{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(hottest(p, 1000), hottest(back, 1000)); diff != "" {
				t.Errorf("seed %d, old %v: %s", seed, old, diff)
			}
			places := func(p *profile.Profile) map[string]string {
				all := map[string]string{}
				for _, f := range p.Functions {
					all[f.Name] = f.File
				}
				return all
			}
			if diff := cmp.Diff(places(p), places(back)); diff != "" {
				t.Error(diff)
			}
			a := back.Taken
			if !a.Unrecorded || a.Halted != 0 || len(a.Remarks) < 2 || len(back.Threads) != 1 {
				t.Errorf("%+v", a)
			}
			if n := len(p.Threads[0].Samples); n > 0 {
				first, last := p.Threads[0].Samples[0].Time, p.Threads[0].Samples[n-1].Time
				if back.Duration != last-first {
					t.Errorf("duration %v, want %v", back.Duration, last-first)
				}
			}
		}
	}
}

// A trace without our notes is a profile of times.
func TestReadForeignTrace(t *testing.T) {
	p := traced(t, 300)
	back, err := export.Read(bytes.NewReader(foreignFirefox(t, p, false)), export.Input{})
	if err != nil {
		t.Fatal(err)
	}
	if back.Trace != nil {
		t.Fatal("statistics of calls out of nothing")
	}
	want, got := map[string]time.Duration{}, map[string]time.Duration{}
	for _, f := range p.Trace.Functions {
		want[p.Functions[f.Function].Name] = f.Self
	}
	for _, e := range back.Top() {
		got[e.Name] = e.SelfTime
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
