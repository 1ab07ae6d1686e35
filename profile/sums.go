package profile

// Sums is what is known of the standard errors of a profile whose rows are sums over
// the whole run: when each sample was taken is not known, and the times of its rows
// only put them one after the other.
type Sums struct {
	Squares float64 // of the weights of single samples, ns²; 0: as if those of a row were equal
	// Errors are the standard errors of the shares of functions, self and total,
	// where samples were taken in rows; nil: samples are independent.
	Errors map[FunctionIndex][2]float64
	Idle   float64 // standard error of IdleShare, with Errors
}

// Summed is what is left of the profile's errors when its rows are added up over the
// run.
func (p *Profile) Summed() *Sums {
	if p.Sums != nil {
		return p.Sums
	}
	s := &Sums{}
	if p.Trace != nil {
		return s
	}
	for _, c := range p.ByStack() {
		s.Squares += c.squares
	}
	if !p.InBlocks() {
		return s
	}
	s.Errors, s.Idle = map[FunctionIndex][2]float64{}, p.idleError()
	for _, e := range p.Top() {
		s.Errors[e.Function] = [2]float64{e.SelfShare.Error, e.TotalShare.Error}
	}
	return s
}

// restore replaces the standard errors of entries, which are in the order of
// p.Functions, by those that are known.
func (s *Sums) restore(entries []Entry) {
	for i := range entries {
		if known, ok := s.Errors[FunctionIndex(i)]; ok {
			e := &entries[i]
			e.SelfShare.Error, e.TotalShare.Error = known[0], known[1]
			e.SelfTimeShare.Error, e.TotalTimeShare.Error = known[0], known[1]
		}
	}
}
