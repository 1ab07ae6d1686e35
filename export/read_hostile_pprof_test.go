package export_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	pprof "github.com/google/pprof/profile"

	"github.com/mprof/mprof/export"
	"github.com/mprof/mprof/profile"
)

// pprofOf is a profile by other people.
func pprofOf(change func(p *pprof.Profile)) *bytes.Buffer {
	f := &pprof.Function{ID: 1, Name: "work", Filename: "w.go", StartLine: 3}
	l := &pprof.Location{ID: 1, Address: 0x7fff12345678, Line: []pprof.Line{{Function: f, Line: 4}}}
	p := &pprof.Profile{
		SampleType: []*pprof.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}},
		Function:   []*pprof.Function{f}, Location: []*pprof.Location{l},
		Sample:     []*pprof.Sample{{Value: []int64{3, 30e6}, Location: []*pprof.Location{l}}},
		PeriodType: &pprof.ValueType{Type: "cpu", Unit: "nanoseconds"}, Period: 10e6, DurationNanos: int64(time.Second),
	}
	change(p)
	var out bytes.Buffer
	if err := p.WriteUncompressed(&out); err != nil {
		panic(err)
	}
	return &out
}

// Profiles of others: what they say, and no more.
func TestReadForeignPprof(t *testing.T) {
	p, err := export.Read(pprofOf(func(*pprof.Profile) {}), export.Input{})
	if err != nil {
		t.Fatal(err)
	}
	top := p.Top()
	if !p.Taken.Unrecorded || p.Samples() != 3 || p.Duration != time.Second || p.Period != 10*time.Millisecond || len(top) != 1 || top[0].SelfTime != 30*time.Millisecond {
		t.Errorf("%+v %+v", p.Taken, top)
	}
	for want, change := range map[string]func(p *pprof.Profile){
		"neither samples nor time but inuse_space/bytes": func(p *pprof.Profile) {
			p.SampleType = []*pprof.ValueType{{Type: "inuse_space", Unit: "bytes"}}
			p.Sample[0].Value = []int64{3}
		},
		"a difference of two profiles": func(p *pprof.Profile) { p.Sample[0].Value[0] = -3 },
		"more than 63 bits": func(p *pprof.Profile) {
			p.Sample = append(p.Sample, &pprof.Sample{Value: []int64{1<<63 - 1, 1}, Location: p.Location})
		},
		"newer mprof":      func(p *pprof.Profile) { p.Comments = []string{`#mprof {"Version":2}`} },
		"damaged":          func(p *pprof.Profile) { p.Comments = []string{`#mprof [`} },
		"3 of the 4 calls": func(p *pprof.Profile) { p.Comments = []string{`#mprof {"Version":1,"Samples":4,"Trace":{}}`} },
	} {
		if _, err := export.Read(pprofOf(change), export.Input{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// Where somebody has taken samples out of a profile of mprof, it does not say any more
// what it said of the whole.
func TestReadFiltered(t *testing.T) {
	p := randomProfile(1)
	var out bytes.Buffer
	if err := export.WritePprof(&out, p); err != nil {
		t.Fatal(err)
	}
	q, err := pprof.Parse(&out)
	if err != nil {
		t.Fatal(err)
	}
	q.Sample = q.Sample[:len(q.Sample)/2]
	out.Reset()
	if err := q.Write(&out); err != nil {
		t.Fatal(err)
	}
	back, err := export.Read(&out, export.Input{})
	if err != nil {
		t.Fatal(err)
	}
	if a := back.Taken; !a.Unrecorded || a.Halted != 0 || !strings.Contains(strings.Join(a.Remarks, ""), fmt.Sprintf("of the %d samples", p.Samples())) {
		t.Errorf("%+v", a)
	}
	merged, err := pprof.Merge([]*pprof.Profile{pprofRead(t, randomProfile(1)), pprofRead(t, randomProfile(2))})
	if err != nil {
		t.Fatal(err)
	}
	out.Reset()
	if err := merged.Write(&out); err != nil {
		t.Fatal(err)
	}
	if back, err = export.Read(&out, export.Input{}); err != nil || !back.Taken.Unrecorded || !strings.Contains(strings.Join(back.Taken.Remarks, ""), "2 profiles of mprof were merged") {
		t.Errorf("%v %+v", err, back)
	}
}

func pprofRead(t *testing.T, p *profile.Profile) *pprof.Profile {
	t.Helper()
	var out bytes.Buffer
	if err := export.WritePprof(&out, p); err != nil {
		t.Fatal(err)
	}
	q, err := pprof.Parse(&out)
	if err != nil {
		t.Fatal(err)
	}
	return q
}
