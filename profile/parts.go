package profile

import (
	"math"
	"time"
)

// Part is what some of the stacks have of all samples.
type Part struct {
	Samples int
	Weight  time.Duration
	// Share is that of the number of samples. Its Error is not a number where nothing is known of
	// it: of samples taken in blocks in a file that keeps the errors of functions only.
	Share Share
}

// batchedParts is for how many parts at once the counts of all batches are kept: 26 MB.
const batchedParts = 1 << 16

// Parts adds up the samples of n parts. in lists the parts that a stack of a track (an index of Threads) belongs to, each
// once; what it returns is not kept. Errors are those of an Entry: binomial, by batches where samples were taken in
// blocks.
func (p *Profile) Parts(n int, in func(track int, at StackIndex) []int32) []Part {
	parts := make([]Part, n)
	all := 0
	for track := range p.Threads {
		for _, c := range p.byStack(p.Threads[track : track+1]) {
			all += c.Samples
			for _, k := range in(track, c.Stack) {
				parts[k].Samples += c.Samples
				parts[k].Weight += c.Weight
			}
		}
	}
	for k := range parts {
		parts[k].Share = share(float64(parts[k].Samples), float64(all), float64(all))
	}
	if !p.InBlocks() {
		return parts
	}
	for low := 0; low < n; low += batchedParts {
		p.partErrors(parts[low:min(n, low+batchedParts)], low, in)
	}
	return parts
}

// partErrors sets the errors of the parts from number low on by how the batches of the run differ.
func (p *Profile) partErrors(parts []Part, low int, in func(track int, at StackIndex) []int32) {
	if p.Sums != nil {
		for k := range parts {
			parts[k].Share.Error = math.NaN()
		}
		return
	}
	counts := make([][batches]float64, len(parts))
	var whole [batches]float64
	for track := range p.Threads {
		for _, s := range p.Threads[track].Samples {
			b := p.batchOf(s.Time)
			whole[b] += float64(s.Count)
			for _, k := range in(track, s.Stack) {
				if i := int(k) - low; i >= 0 && i < len(parts) {
					counts[i][b] += float64(s.Count)
				}
			}
		}
	}
	for k := range parts {
		parts[k].Share.Error = standardError(&counts[k], &whole)
	}
}
