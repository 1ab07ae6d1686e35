package profile

import (
	"math"
	"time"

	"github.com/mprof/mprof/snapshot"
)

// batches is how many parts of equal length a run is divided into to see how much
// shares vary. From so many the standard error itself is known to about a tenth.
const batches = 50

// InBlocks tells whether samples were taken in rows, microseconds apart. They say
// the same again and again, and are far from independent.
func (p *Profile) InBlocks() bool {
	switch {
	case p.Trace != nil:
		return false
	case p.Sums != nil:
		return p.Sums.Errors != nil
	}
	for _, t := range p.Threads {
		for _, s := range t.Samples {
			if s.Count > 1 {
				return true
			}
		}
	}
	return false
}

// batchCounts are the samples of a function in each batch.
type batchCounts struct{ self, total [batches]float64 }

// standardError is that of the share of part in whole, by the method of batch means: with
// p the share in the whole run, sqrt(B/(B-1) sum (part_b - p whole_b)^2) / sum
// whole_b over the B batches (the ratio estimator; W. G. Cochran, Sampling
// Techniques, chapter 6). It counts what is correlated within a batch once. Never
// less than that of independent samples.
func standardError(part, whole *[batches]float64) float64 {
	var k, n, used float64
	for b := range batches {
		k, n = k+part[b], n+whole[b]
		if whole[b] > 0 {
			used++
		}
	}
	if n == 0 {
		return 0
	}
	p, squares := k/n, 0.0
	for b := range batches {
		d := part[b] - p*whole[b]
		squares += d * d
	}
	independent := math.Sqrt(max(0, p*(1-p)) / n)
	if used < 2 {
		return independent
	}
	return max(independent, math.Sqrt(used/(used-1)*squares)/n)
}

// batchOf is the part of the run that a time lies in.
func (p *Profile) batchOf(at time.Duration) int {
	if p.Duration <= 0 {
		return 0
	}
	return min(max(0, int(float64(at)/float64(p.Duration)*batches)), batches-1)
}

// eachRow calls f with every sample and its batch.
func (p *Profile) eachRow(f func(s *Sample, batch int)) {
	for _, t := range p.Threads {
		for i := range t.Samples {
			f(&t.Samples[i], p.batchOf(t.Samples[i].Time))
		}
	}
}

// correlate replaces the standard errors of entries, which are in the order of
// p.Functions, by those of batches.
func (p *Profile) correlate(entries []Entry) {
	if p.Sums != nil {
		p.Sums.restore(entries)
		return
	}
	counts := make([]batchCounts, len(entries))
	var n [batches]float64
	seen := make([]int, len(entries)) // number of the row that counted the function last
	row := 0
	p.eachRow(func(s *Sample, b int) {
		row++
		n[b] += float64(s.Count)
		for at, frame := range p.Callers(s.Stack) {
			c := &counts[frame.Function]
			if at == s.Stack {
				c.self[b] += float64(s.Count)
			}
			if seen[frame.Function] != row {
				seen[frame.Function] = row
				c.total[b] += float64(s.Count)
			}
		}
	})
	for i := range entries {
		self, total := standardError(&counts[i].self, &n), standardError(&counts[i].total, &n)
		e := &entries[i]
		e.SelfShare.Error, e.TotalShare.Error = self, total
		e.SelfTimeShare.Error, e.TotalTimeShare.Error = self, total
	}
}

// idleError is the standard error of the share of sleep, by batches.
func (p *Profile) idleError() float64 {
	if p.Sums != nil {
		return p.Sums.Idle
	}
	var n, asleep [batches]float64
	p.eachRow(func(s *Sample, b int) {
		n[b] += float64(s.Count)
		if s.State&snapshot.Sleeping != 0 {
			asleep[b] += float64(s.Count)
		}
	})
	return standardError(&asleep, &n)
}

// ShareOf is the part of the samples that in says, of those that of says. Its
// error is by batches where samples were taken in blocks.
func (p *Profile) ShareOf(of, in func(*Sample) bool) Share {
	var n, k [batches]float64
	whole, part := 0.0, 0.0
	p.eachRow(func(s *Sample, b int) {
		if !of(s) {
			return
		}
		n[b] += float64(s.Count)
		whole += float64(s.Count)
		if in(s) {
			k[b] += float64(s.Count)
			part += float64(s.Count)
		}
	})
	out := share(part, whole, whole)
	if p.InBlocks() {
		out.Error = standardError(&k, &n)
	}
	return out
}
