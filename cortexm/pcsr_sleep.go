package cortexm

// sleepJudge tells which PCs were read from a core that slept. What PCSR gives
// then is not architected (ARMv7-M ARM, C1.8.6), but it does not change: a core
// that sleeps executes nothing. So the PCs around a look at DHCSR that shows
// S_SLEEP, as far as they are equal on both sides of it, were read asleep; and a
// value that was mostly seen asleep in this way is taken for sleep where nobody
// looked. (A look without S_SLEEP does not say the same of its neighbours: a
// handler may run between two that are read asleep.)
type sleepJudge struct {
	seen   map[uint32]*sightings
	marks  []bool
	joined bool // the PCs on both sides of the look before were equal
}

// sightings of a PC around looks.
type sightings struct{ asleep, awake int }

func newSleepJudge() sleepJudge { return sleepJudge{seen: map[uint32]*sightings{}} }

// forget is called where PCs do not follow on those before.
func (j *sleepJudge) forget() { j.joined = false }

func (j *sleepJudge) note(pc uint32, asleep bool) {
	s := j.seen[pc]
	if s == nil {
		s = &sightings{}
		j.seen[pc] = s
	}
	if asleep {
		s.asleep++
	} else {
		s.awake++
	}
}

// mark says of each PC between two looks whether the core slept. next are the
// PCs behind the right look. The result is valid until the next call.
func (j *sleepJudge) mark(pcs []uint32, left, right look, next []uint32) []bool {
	n := len(pcs)
	for len(j.marks) < n {
		j.marks = append(j.marks, false)
	}
	marks := j.marks[:n]
	if n == 0 {
		j.joined = false
		return marks
	}
	leading := run(pcs)
	whole := leading == n && left.known && right.known && left.asleep() == right.asleep()
	if whole {
		j.note(pcs[0], left.asleep())
	}
	joined := right.known && len(next) > 0 && next[0] == pcs[n-1]
	if joined {
		j.note(pcs[n-1], right.asleep())
	}
	j.known(pcs, marks)
	if left.known && left.asleep() && (whole || j.joined) {
		fill(marks[:leading])
	}
	if joined && right.asleep() {
		fill(marks[n-trailing(pcs):])
	}
	j.joined = joined
	return marks
}

// known marks PCs by what was seen of them.
func (j *sleepJudge) known(pcs []uint32, marks []bool) {
	last, asleep := uint32(0), false
	for i, pc := range pcs {
		if i == 0 || pc != last {
			s := j.seen[pc]
			last, asleep = pc, s != nil && s.asleep > s.awake
		}
		marks[i] = asleep
	}
}

// run is how many PCs are equal to the first.
func run(pcs []uint32) int {
	n := 1
	for n < len(pcs) && pcs[n] == pcs[0] {
		n++
	}
	return n
}

// trailing is how many are equal to the last.
func trailing(pcs []uint32) int {
	n := 1
	for n < len(pcs) && pcs[len(pcs)-1-n] == pcs[len(pcs)-1] {
		n++
	}
	return n
}

func fill(marks []bool) {
	for i := range marks {
		marks[i] = true
	}
}
