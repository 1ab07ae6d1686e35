package export

import "github.com/mprof/mprof/profile"

// measuredRemark says what became of pieces of time.
const measuredRemark = "its numbers are times, not samples: each nanosecond was taken for a sample"

// measured is for profiles whose rows are pieces of time, such as those of calls that somebody traced: one row
// each, however long it took. Shares are of samples in every view, so a row becomes as many samples as it has
// nanoseconds. Rows that are all as long are left, for their number says the same. What it returns are
// remarks for unrecorded, which comes after it.
func measured(p *profile.Profile) (remarks []string) {
	if !lengthsDiffer(p) {
		return nil
	}
	for i := range p.Threads {
		t := &p.Threads[i]
		kept := t.Samples[:0]
		for _, s := range t.Samples {
			if s.Count = int(s.Weight); s.Count > 0 {
				kept = append(kept, s)
			}
		}
		t.Samples = kept
	}
	p.Taken.Measured = true
	return []string{measuredRemark}
}

// lengthsDiffer tells whether some rows stand for more time than others.
func lengthsDiffer(p *profile.Profile) bool {
	var first *profile.Sample
	for i := range p.Threads {
		for n := range p.Threads[i].Samples {
			s := &p.Threads[i].Samples[n]
			if first == nil {
				first = s
			} else if s.Weight != first.Weight {
				return true
			}
		}
	}
	return false
}
