package export

import (
	"fmt"
	"io"

	"github.com/google/pprof/profile"

	mprof "github.com/mprof/mprof/profile"
)

// WritePprofDiff writes the difference as pprof keeps one (go tool pprof -proto -diff_base):
// samples of the new profile, and those of the old one, scaled to the same total, negative and with
// the label pprof::base, by which pprof takes percentages of the old profile. A
// flat value of -top is the change of a function in samples of the new profile, its percentage the
// change of the share in percent points.
func WritePprofDiff(w io.Writer, pair Pair) error {
	j, err := pair.join()
	if err != nil {
		return err
	}
	b := pprofBuilder{source: j.Profile, locations: map[pprofLocation]*profile.Location{}}
	b.out = &profile.Profile{
		SampleType:        []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}},
		DefaultSampleType: "samples",
		DurationNanos:     int64(j.Duration),
		Comments:          pair.comments(),
	}
	if j.Trace != nil {
		b.out.SampleType[0].Type, b.out.SampleType[1].Type = "calls", "time"
		b.out.DefaultSampleType = "time"
	} else {
		b.out.PeriodType, b.out.Period = &profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, int64(j.Period)
	}
	if !j.Start.IsZero() {
		b.out.TimeNanos = j.Start.UnixNano()
	}
	b.mapping()
	b.functions()
	counts, times := scaled{by: pair.scale()}, scaled{by: pair.timeScale()}
	for i, t := range j.Threads {
		all := byStack([]mprof.ThreadTrack{t}, len(j.Stacks))
		for s, n := range all {
			if n == (sizes{}) {
				continue
			}
			sample := &profile.Sample{Value: []int64{n.count, int64(n.time)}, Label: map[string][]string{}}
			if i < j.old {
				sample.Value = []int64{-counts.next(n.count), -times.next(int64(n.time))}
				sample.Label["pprof::base"] = []string{"true"}
			}
			sample.Location = b.stack(mprof.StackIndex(s), sample.Label)
			b.out.Sample = append(b.out.Sample, sample)
		}
	}
	if err := b.out.CheckValid(); err != nil {
		return err
	}
	return b.out.Write(w)
}

// timeScale makes the times of Old add up to those of New. Those of a trace are scaled by the
// time observed.
func (pair Pair) timeScale() float64 {
	if pair.New.Trace != nil {
		return pair.scale()
	}
	total := func(p *mprof.Profile) (sum float64) {
		for _, s := range p.ByStack() {
			sum += float64(s.Weight)
		}
		return sum
	}
	old, new := total(pair.Old), total(pair.New)
	if old <= 0 || new <= 0 {
		return pair.scale()
	}
	return new / old
}

// comments say what the file is.
func (pair Pair) comments() []string {
	out := []string{fmt.Sprintf("Difference by mprof: new minus old, the old one times %.6g", pair.scale())}
	for _, c := range comments(pair.Old) {
		out = append(out, "Old: "+c)
	}
	for _, c := range comments(pair.New) {
		out = append(out, "New: "+c)
	}
	return out
}
