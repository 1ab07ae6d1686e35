package export

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/mprof/mprof/profile"
)

// WriteFirefoxDiff writes the tracks of both profiles for the Firefox Profiler, and behind them the
// difference as its comparison makes one: the samples of both, those of the old
// profile with negative weights, scaled to the same total. The file is for looking at; mprof does not
// read it.
func WriteFirefoxDiff(w io.Writer, pair Pair) error {
	j, err := pair.join()
	if err != nil {
		return err
	}
	shared := newFirefoxShared(j.Profile)
	file := firefoxProfile{Libs: shared.libs, Pages: []struct{}{}, Counters: []firefoxCounter{}}
	file.Threads = newFirefoxThreads(j.Profile, shared)
	file.Threads = append(file.Threads, j.difference(pair.scale()))
	file.Shared = shared.firefoxShared
	file.Meta = newFirefoxMeta(j.Profile)
	file.Meta.Product = processName(pair.New) + ": new minus old"
	file.Meta.Extra = pair.firefoxFacts()
	last := len(file.Threads) - 1
	file.Meta.InitialVisibleThreads = append(file.Meta.InitialVisibleThreads, last)
	file.Meta.InitialSelectedThreads = []int{last}
	b := bufio.NewWriter(w)
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(&file); err != nil {
		return err
	}
	return b.Flush()
}

func writeFirefoxDiffGzip(w io.Writer, pair Pair) error {
	z := gzip.NewWriter(w)
	if err := WriteFirefoxDiff(z, pair); err != nil {
		return err
	}
	return z.Close()
}

// difference is the track of new minus old.
func (j *joined) difference(scale float64) firefoxThread {
	type row struct {
		*profile.Sample
		old bool
	}
	var rows []row
	for i, t := range j.Threads {
		for k := range t.Samples {
			rows = append(rows, row{&t.Samples[k], i < j.old})
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(a.Time, b.Time) })
	weights := make([]float64, 0, len(rows))
	s := &firefoxSamples{Stack: []stackID{}, Time: []float64{}, WeightType: "samples", ThreadCPUDelta: []int64{}, Weight: &weights}
	if j.Trace != nil {
		s.WeightType = timedWeights
	}
	for _, r := range rows {
		weight := float64(r.Count)
		if j.Trace != nil {
			weight = milliseconds(r.Weight)
		}
		if r.old {
			weight *= -scale
		}
		s.add(r.Time, stackID(r.Stack), 0)
		weights = append(weights, weight)
	}
	n := len(j.Threads) + 1
	return firefoxThread{
		Name: "new minus old", ProcessType: "comparison", ProcessName: processName(j.Profile), PausedRanges: []struct{}{},
		PID: firefoxPID, TID: fmt.Sprint(n), Samples: s,
		Markers: firefoxMarkers{Data: []any{}, Name: []int{}, StartTime: []float64{}, EndTime: []float64{}, Phase: []int{}, Category: []int{}},
	}
}

// firefoxFacts says how both were taken.
func (pair Pair) firefoxFacts() (out []firefoxExtra) {
	for i, p := range []*profile.Profile{pair.Old, pair.New} {
		for _, g := range facts(p) {
			extra := firefoxExtra{Label: [...]string{"Old: ", "New: "}[i] + g.title}
			for _, f := range g.facts {
				extra.Entries = append(extra.Entries, firefoxExtraEntry{f.label, f.format, f.value})
			}
			out = append(out, extra)
		}
	}
	return out
}
