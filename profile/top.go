package profile

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// Share is a part of the samples with its standard error, both 0 to 1.
type Share struct{ Value, Error float64 }

// Entry is one function over all samples.
//
// Shares are of sample counts: k of n samples. Samples are taken at random
// instants (jittered intervals), independently of the program, so k is
// binomially distributed and the standard error of p = k/n is
// sqrt(p(1-p)/n). Time shares weigh each sample with the time that it stands
// for; unequal weights w count like n' = (sum w)^2 / sum w^2 samples of equal
// weight (Kish), so their standard error is sqrt(p(1-p)/n'). Neighbouring
// samples of a slow program are correlated; then both are too small. Samples that
// were taken in blocks are certainly correlated: their errors are those of batches of
// the run.
type Entry struct {
	Function FunctionIndex
	Name     string

	Self, Total         int // samples in which it is the innermost function; in which it occurs, once per stack however deep it recurses
	SelfTime, TotalTime time.Duration

	SelfShare, TotalShare         Share // of the number of samples
	SelfTimeShare, TotalTimeShare Share // of the weights
}

// Top lists the functions that occur in samples, labels included: the most
// self samples first, then the most total samples, then by name.
func (p *Profile) Top() []Entry {
	entries := make([]Entry, len(p.Functions))
	seen := make([]int, len(p.Functions)) // stamp of the stack that counted the function last
	var n, weights, squares float64
	for stamp, c := range p.ByStack() {
		n += float64(c.Samples)
		weights += float64(c.Weight)
		squares += c.squares
		for at, frame := range p.Callers(c.Stack) {
			f := frame.Function
			e := &entries[f]
			if at == c.Stack {
				e.Self += c.Samples
				e.SelfTime += c.Weight
			}
			if seen[f] != stamp+1 {
				seen[f] = stamp + 1
				e.Total += c.Samples
				e.TotalTime += c.Weight
			}
		}
	}
	if p.Sums != nil && p.Sums.Squares > 0 {
		squares = p.Sums.Squares
	}
	effective := 0.0
	if squares > 0 {
		effective = weights * weights / squares
	}
	for i := range entries {
		e := &entries[i]
		e.Function, e.Name = FunctionIndex(i), p.Functions[i].Name
		e.SelfShare, e.TotalShare = share(float64(e.Self), n, n), share(float64(e.Total), n, n)
		e.SelfTimeShare, e.TotalTimeShare = share(float64(e.SelfTime), weights, effective), share(float64(e.TotalTime), weights, effective)
	}
	if p.InBlocks() {
		p.correlate(entries)
	}
	entries = slices.DeleteFunc(entries, func(e Entry) bool { return e.Total == 0 && e.TotalTime == 0 })
	slices.SortFunc(entries, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(b.Self, a.Self), cmp.Compare(b.Total, a.Total), cmp.Compare(a.Name, b.Name))
	})
	return entries
}

// share is part/whole with the standard error on n samples.
func share(part, whole, n float64) Share {
	if whole <= 0 || n <= 0 {
		return Share{}
	}
	p := part / whole
	return Share{p, math.Sqrt(max(0, p*(1-p)) / n)}
}

// IdleShare is the part of the samples in which the core slept.
func (p *Profile) IdleShare() Share {
	n := float64(p.Samples())
	idle := share(float64(p.Taken.Sleeping), n, n)
	if p.InBlocks() {
		idle.Error = p.idleError()
	}
	return idle
}

// StackSamples is a stack with the samples that end there.
type StackSamples struct {
	Stack   StackIndex
	Samples int
	Weight  time.Duration
	squares float64 // sum of squared weights
}

// ByStack adds up the samples of all threads by their stack, in the order of
// the stack table.
func (p *Profile) ByStack() []StackSamples { return p.byStack(p.Threads) }

func (p *Profile) byStack(threads []ThreadTrack) []StackSamples {
	counts := make([]StackSamples, len(p.Stacks))
	for _, t := range threads {
		for _, s := range t.Samples {
			c := &counts[s.Stack]
			c.Samples += s.Count
			c.Weight += s.Weight
			if s.Count > 0 {
				c.squares += float64(s.Weight) * float64(s.Weight) / float64(s.Count) // as if of equal weights
			}
		}
	}
	out := counts[:0]
	for i, c := range counts {
		if c.Samples > 0 || c.Weight > 0 {
			c.Stack = StackIndex(i)
			out = append(out, c)
		}
	}
	return out
}
