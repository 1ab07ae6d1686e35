package reliability

import (
	"flag"
	"fmt"
	"runtime"
	"sync"
	"testing"
)

var (
	full   = flag.Bool("full", false, "try every point (a minute), and hold docs/reliability.md to what comes out")
	update = flag.Bool("update", false, "with -full: write the tables of docs/reliability.md")
)

// Strides of the quick run.
const (
	quickSampling = 31
	quickEnds     = 29
	quickPairs    = 8
	quickShort    = 3 // times as wide with -short
	fullPairs     = 250
	pairSeed      = 20
)

// job is one cell: a fault at all points of one phase with one probe.
type job struct {
	phase phase
	m     method
	in    injection
	run   func() outcome
}

type phase int

const (
	whileAttaching phase = iota
	whileSampling
	whileDetaching
	twoInARow
)

// jobs are all of them.
func jobs() (all []job) {
	stride := func(quick int) int {
		switch {
		case *full:
			return 1
		case testing.Short():
			return quickShort * quick
		}
		return quick
	}
	for _, in := range injections {
		for _, m := range methods() {
			if in.possible(m.model) {
				all = append(all, job{whileSampling, m, in, func() outcome { return sampling(m, in, stride(quickSampling)) }})
			}
		}
		for _, model := range models {
			if in.kill || !in.possible(model) {
				continue
			}
			m := method{model: model}
			all = append(all,
				job{whileAttaching, m, in, func() outcome { return attaching(model, in, stride(quickEnds)) }},
				job{whileDetaching, m, in, func() outcome { return detaching(model, in, stride(quickEnds)) }})
		}
	}
	n := quickPairs
	if *full {
		n = fullPairs
	}
	for _, m := range methods() {
		all = append(all, job{twoInARow, m, injection{name: "two in a row", lasts: true}, func() outcome { return pairs(m, n, pairSeed) }})
	}
	return all
}

// results are the outcomes of jobs, in their order.
func results(all []job) []outcome {
	out := make([]outcome, len(all))
	var wait sync.WaitGroup
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for i := range next {
				out[i] = all[i].run()
			}
		})
	}
	for i := range all {
		next <- i
	}
	close(next)
	wait.Wait()
	return out
}

// Every fault at every point: whatever strikes and whenever, the core runs when
// all is over, no sample is made up, one is lost at most, and the run goes on.
func TestReliability(t *testing.T) {
	all := jobs()
	out := results(all)
	points := 0
	for i, o := range out {
		j := all[i]
		name := fmt.Sprintf("%s, %s: %s", j.m.model, j.m.name, j.in.name)
		points += o.points
		if o.points == 0 {
			t.Errorf("%s: no point was tried: %s", name, o.reason)
		}
		if o.left > 0 {
			t.Errorf("%s: the core is left halted at %d of %d points, the first is %s", name, o.left, o.points, o.where)
		}
		if o.wrong != "" {
			t.Errorf("%s: at %s: %s", name, o.where, o.wrong)
		}
		if o.lost > 1 {
			t.Errorf("%s: %d samples lost at %s", name, o.lost, o.where)
		}
		if o.ended > 0 && (j.phase == whileSampling || j.phase == twoInARow) {
			t.Errorf("%s: the run ended at %s: %s", name, o.where, o.reason)
		}
	}
	t.Logf("%d points", points)
	if *full && !t.Failed() {
		hold(t, tables(all, out))
	}
}
