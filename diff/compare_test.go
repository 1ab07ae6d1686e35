package diff_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mprof/mprof/diff"
	"github.com/mprof/mprof/export"
	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/snapshot"
)

// run is a profile of n samples of functions below main, in proportion to their weights; what is named
// <asleep> sleeps.
func run(n int, seed uint64, weights map[string]float64, names ...string) *profile.Profile {
	r := rand.New(rand.NewPCG(seed, 1))
	rows := profile.NewRows()
	of := func(name string) profile.FrameIndex {
		return rows.Frame(profile.Frame{Function: rows.Function(profile.Function{Name: name, Linkage: name, File: "/fw/" + name + ".c", Line: 1}, 0), Symbol: profile.None})
	}
	main := rows.Stack(profile.None, of("main"))
	var samples []profile.Sample
	total := 0.
	for _, name := range names {
		total += weights[name]
	}
	for i := range n {
		at, s := r.Float64()*total, profile.Sample{Time: time.Duration(i) * time.Millisecond, Weight: time.Millisecond, Count: 1}
		for _, name := range names {
			if at -= weights[name]; at < 0 {
				s.Stack = rows.Stack(main, of(name))
				if name == "wfi" {
					s.State = snapshot.Sleeping
				}
				break
			}
		}
		samples = append(samples, s)
	}
	p := rows.Finish()
	p.Duration, p.Period = time.Duration(n)*time.Millisecond, time.Millisecond
	p.Threads = []profile.ThreadTrack{{Name: "Core 0", Samples: samples}}
	for _, s := range samples {
		if s.State != 0 {
			p.Taken.Sleeping++
		}
	}
	return p
}

func compare(t *testing.T, old, new *profile.Profile, o diff.Options) *diff.Diff {
	t.Helper()
	d, err := diff.Compare(old, new, o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func find(t *testing.T, d *diff.Diff, name string) *diff.Row {
	t.Helper()
	for i := range d.Functions {
		if d.Functions[i].Name == name {
			return &d.Functions[i]
		}
	}
	t.Fatalf("no %s", name)
	return nil
}

// Of 1,000 comparisons of runs of independent samples, no more than 5 % call anything significant; the
// bound is that of 99.9 %.
func TestFalseAlarms(t *testing.T) {
	names := []string{"adc", "filter", "log", "crc", "wfi", "rare", "rarer", "never"}
	weights := map[string]float64{"adc": 0.1, "filter": 0.3, "log": 0.05, "crc": 0.02, "wfi": 0.5, "rare": 0.005, "rarer": 0.001}
	pairs, alarms := 1000, 0
	if testing.Short() {
		pairs = 200
	}
	last := run(500, 1, weights, names...)
	for seed := range pairs {
		next := run(500+seed%400, uint64(seed+2), weights, names...)
		d := compare(t, last, next, diff.Options{})
		for i := range d.Functions {
			if d.Functions[i].Significant() {
				alarms++
				break
			}
		}
		last = next
	}
	t.Logf("%d of %d", alarms, pairs)
	if most := pairs/20 + int(3.1*math.Sqrt(float64(pairs)*0.05*0.95)); alarms > most {
		t.Errorf("%d of %d comparisons found a change where there is none, want %d at most", alarms, pairs, most)
	}
}

// What is significant comes first, then what has changed most; a new function is new, and one that is
// gone is not in NEW.
func TestOrder(t *testing.T) {
	names := []string{"adc", "filter", "old", "new", "wfi"}
	old := run(20_000, 3, map[string]float64{"adc": 0.10, "filter": 0.30, "old": 0.1, "wfi": 0.5}, names...)
	new := run(10_000, 4, map[string]float64{"adc": 0.15, "filter": 0.30, "new": 0.05, "wfi": 0.5}, names...)
	d := compare(t, old, new, diff.Options{})
	var order []string
	for i := range d.Functions {
		if d.Functions[i].Significant() {
			order = append(order, d.Functions[i].Name)
		}
	}
	if got := strings.Join(order, " "); got != "old adc new" && got != "old new adc" {
		t.Errorf("significant are %s", got)
	}
	if r := find(t, d, "old"); !r.InOld || r.InNew || r.Total.High > 0 {
		t.Errorf("old: %+v", r)
	}
	if r := find(t, d, "new"); r.InOld || !r.InNew || r.Total.Low < 0 || !math.IsInf(r.Total.Relative(), 1) {
		t.Errorf("new: %+v", r)
	}
	if r := find(t, d, "adc"); math.Abs(r.Self.Value-0.05) > 0.02 || r.Self.Low > 0.05 || r.Self.High < 0.05 || r.Self.Old.Count+r.Self.New.Count < 3000 {
		t.Errorf("adc: %+v", r.Self)
	}
}

// Without sleep, shares are of the time awake: what is a quarter of that is so whether the core sleeps
// or not.
func TestAwake(t *testing.T) {
	names := []string{"adc", "filter", "wfi"}
	old := run(20_000, 1, map[string]float64{"adc": 0.1, "filter": 0.3, "wfi": 0.6}, names...)
	new := run(20_000, 2, map[string]float64{"adc": 0.2, "filter": 0.6, "wfi": 0.2}, names...)
	if r := find(t, compare(t, old, new, diff.Options{}), "adc"); !r.Self.Significant || math.Abs(r.Self.Value-0.1) > 0.02 {
		t.Errorf("of all: %+v", r.Self)
	}
	if r := find(t, compare(t, old, new, diff.Options{Awake: true}), "adc"); r.Self.Significant || math.Abs(r.Self.Old.Value-0.25) > 0.02 || math.Abs(r.Self.New.Value-0.25) > 0.02 {
		t.Errorf("awake: %+v", r.Self)
	}
}

// A sample of a core that sleeps counts as that, though an interrupt is on its stack, as in mprof report and in what
// the comparison says of the run.
func TestSleepIsAContext(t *testing.T) {
	rows := profile.NewRows()
	of := func(name string) profile.FrameIndex {
		return rows.Frame(profile.Frame{Function: rows.Function(profile.Function{Name: name, Label: name[0] == '<'}, 0), Symbol: profile.None})
	}
	main := rows.Stack(profile.None, of("main"))
	handler := rows.Stack(rows.Stack(main, of("<exception: SysTick>")), of("tick"))
	p := rows.Finish()
	p.Threads = []profile.ThreadTrack{{Name: "Core 0", Samples: []profile.Sample{
		{Count: 1, Weight: 1, Stack: main}, {Count: 1, Weight: 1, Stack: main, State: snapshot.Sleeping},
		{Count: 1, Weight: 1, Stack: handler}, {Count: 1, Weight: 1, Stack: handler, State: snapshot.Sleeping},
	}}}
	p.Taken.Sleeping = 2
	shares := map[string]float64{}
	for _, r := range compare(t, p, p, diff.Options{}).Contexts {
		shares[r.Name] = r.Total.Old.Value
	}
	if diff := cmp.Diff(map[string]float64{"asleep": 0.5, "SysTick": 0.25, "thread mode": 0.25}, shares); diff != "" {
		t.Error(diff)
	}
}

// A file that does not say when the core slept is not taken for one of a core that never did, nor what it does not
// name for thread mode.
func TestSleepIsNotKnown(t *testing.T) {
	names := []string{"adc", "wfi"}
	old := run(1000, 1, map[string]float64{"adc": 0.5, "wfi": 0.5}, names...)
	new := run(1000, 2, map[string]float64{"adc": 0.5, "wfi": 0.5}, names...)
	for i := range new.Threads[0].Samples {
		new.Threads[0].Samples[i].State = 0
	}
	new.Taken = profile.Acquisition{Unrecorded: true}
	var unknown *diff.SleepError
	if _, err := diff.Compare(old, new, diff.Options{Awake: true}); !errors.As(err, &unknown) || unknown.Side != "NEW" {
		t.Errorf("%v", err)
	}
	d := compare(t, old, new, diff.Options{})
	for _, r := range d.Contexts {
		if r.Name != "no interrupt named in the file" || !r.InOld || !r.InNew || r.Significant() {
			t.Errorf("%+v: nothing has changed, and one file does not tell sleep from thread mode", r)
		}
	}
	var out strings.Builder
	if err := d.Text(&out, diff.Layout{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"NEW: the file does not say when the core slept", "no interrupt named in the file"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

// A name in a file of somebody else does not reach the terminal as an escape sequence, in text or in markdown.
func TestNamesDoNothing(t *testing.T) {
	const evil = "a\x1b[31mred\nb"
	p := run(100, 1, map[string]float64{evil: 1}, evil)
	d := compare(t, p, p, diff.Options{})
	var out strings.Builder
	if err := errors.Join(d.Text(&out, diff.Layout{Functions: 5}), d.Markdown(&out, diff.Layout{Functions: 5})); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); strings.Contains(text, "\x1b") || strings.Count(text, "\ufffd[31mred") != 3 || strings.Contains(text, "red\nb") {
		t.Errorf("%q", text)
	}
}

// Samples that come in rows of a hundred of one kind are a hundredth of them.
func TestCorrelatedSamples(t *testing.T) {
	blocky := func(seed uint64) *profile.Profile {
		p := run(20_000, seed, map[string]float64{"adc": 1, "filter": 1}, "adc", "filter")
		samples := p.Threads[0].Samples
		for i := range samples {
			samples[i].Stack = samples[i/100*100].Stack
		}
		return p
	}
	wide := find(t, compare(t, blocky(1), blocky(2), diff.Options{}), "adc").Self
	narrow := find(t, compare(t, run(20_000, 1, map[string]float64{"adc": 1, "filter": 1}, "adc", "filter"), run(20_000, 2, map[string]float64{"adc": 1, "filter": 1}, "adc", "filter"), diff.Options{}), "adc").Self
	if ratio := (wide.High - wide.Low) / (narrow.High - narrow.Low); ratio < 5 || ratio > 20 {
		t.Errorf("the interval is %.1f times as wide, want about 10", ratio)
	}
}

func TestNothingToCompare(t *testing.T) {
	p := run(10, 1, map[string]float64{"adc": 1}, "adc")
	asleep := run(10, 1, map[string]float64{"wfi": 1}, "wfi")
	empty := run(0, 1, nil)
	broken := *p
	broken.Threads = nil
	for name, c := range map[string]struct {
		old, new *profile.Profile
		o        diff.Options
		want     string
	}{
		"empty":   {p, empty, diff.Options{}, "NEW has no samples"},
		"broken":  {&broken, p, diff.Options{}, "OLD: profile: no thread"},
		"asleep":  {asleep, p, diff.Options{Awake: true}, "OLD: no samples of a core that was awake"},
		"context": {p, p, diff.Options{Context: "DMA"}, `no context "DMA" in either profile; there are "thread mode"`},
	} {
		if _, err := diff.Compare(c.old, c.new, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	empty.Trace = &profile.Trace{}
	if _, err := diff.Compare(p, empty, diff.Options{}); !errors.Is(err, diff.ErrKind) {
		t.Errorf("samples and calls: %v", err)
	}
	if _, err := diff.Compare(empty, empty, diff.Options{}); err == nil || !strings.Contains(err.Error(), "a trace of no time") {
		t.Errorf("traces of no time: %v", err)
	}
}

// Whatever two files hold, comparing them ends with numbers that are in order, or an error.
func FuzzCompare(f *testing.F) {
	f.Add("main;adc 10\nmain;filter 20\n", "main;adc 15\nmain;filter 20\nmain;new 1\n", "any > +1%", false)
	f.Add("a 1\n", "b 1\n", "a* self < -1pp", true)
	f.Add("<exception: SysTick>;h 9000000000000\nx 1\n", "x (f.c) 1\nx 1\n", "context:SysTick > 0pp", false)
	f.Fuzz(func(t *testing.T, old, new, rule string, anyhow bool) {
		a, errA := export.Read(strings.NewReader(old), export.Input{})
		b, errB := export.Read(strings.NewReader(new), export.Input{})
		if errA != nil || errB != nil || len(old)+len(new) > 1<<14 {
			return
		}
		d, err := diff.Compare(a, b, diff.Options{})
		if err != nil {
			return
		}
		for _, rows := range [][]diff.Row{d.Functions, d.Contexts} {
			for i := range rows {
				for _, c := range []*diff.Change{&rows[i].Self, &rows[i].Total} {
					if c.Known && !(c.Low <= c.Value+1e-12 && c.Value <= c.High+1e-12 && c.P >= 0 && c.P <= 1+1e-9 && c.Adjusted >= c.P-1e-9) {
						t.Fatalf("%s: %+v", rows[i].Name, c)
					}
				}
			}
		}
		o := diff.Layout{Functions: -1}
		if r, err := diff.ParseRule(rule); err == nil {
			o.Results, _ = d.Judge([]*diff.Rule{r}, anyhow)
		}
		var text, markdown, data bytes.Buffer
		if err := errors.Join(d.Text(&text, o), d.Markdown(&markdown, o), d.JSON(&data, o)); err != nil || !json.Valid(data.Bytes()) {
			t.Fatalf("%v, %s", err, data.String())
		}
		for _, format := range export.DiffFormats {
			if err := format.Write(&bytes.Buffer{}, d.Pair()); err != nil && format.Ext != ".pb.gz" && format.Ext != ".pprof" {
				t.Fatalf("%s: %v", format.Name, err)
			}
		}
	})
}

// An hour at 1 kHz is 3.6 million samples; this is per sample.
func BenchmarkCompare(b *testing.B) {
	const n = 100_000
	names := make([]string, 200)
	weights := map[string]float64{}
	for i := range names {
		names[i] = fmt.Sprintf("function_%d", i)
		weights[names[i]] = 1
	}
	old, new := run(n, 1, weights, names...), run(n, 2, weights, names...)
	for b.Loop() {
		if _, err := diff.Compare(old, new, diff.Options{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(2*n), "ns/sample")
}
