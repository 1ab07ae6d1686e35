package export

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/mprof/mprof/profile"
)

// chromeMark is where a call begins (B, X) or ends (E).
type chromeMark struct {
	at       time.Duration
	end      time.Duration // of a complete event; before at: not known yet
	function int           // -1: an end
}

// mark keeps a call, or an end of one.
func (r *chromeReader) mark(e *chromeInput) error {
	if !e.Time.known {
		return errors.New("no time (ts)")
	}
	at, err := microsecondsOf(e.Time.value)
	if err != nil {
		return err
	}
	m := chromeMark{at: at, end: at - 1, function: -1}
	if e.Phase != "E" {
		m.function = r.function(profile.Function{Name: e.Name})
		r.calls[cmp.Or(e.Name, "<no name>")]++
	}
	if e.Phase == "X" {
		length, err := microsecondsOf(e.Dur.value)
		if err != nil || length < 0 {
			return fmt.Errorf("a length of %v µs", e.Dur.value)
		}
		m.end = at + length
	}
	t := r.track(e)
	t.marks = append(t.marks, m)
	return nil
}

// chromeOpen is a call that has begun.
type chromeOpen struct {
	path namedPath
	end  time.Duration
	ends bool // end is known
}

// chromeUnfold makes pieces of time of calls.
type chromeUnfold struct {
	r    *chromeReader
	t    *chromeInputTrack
	open []chromeOpen
	now  time.Duration
}

// unfold makes rows of the calls of a track: each is time in the innermost call itself.
func (r *chromeReader) unfold(t *chromeInputTrack) error {
	slices.SortStableFunc(t.marks, func(a, b chromeMark) int {
		if c := cmp.Compare(a.at, b.at); c != 0 || a.end < a.at || b.end < b.at {
			return c
		}
		return cmp.Compare(b.end, a.end) // callers before what they call
	})
	if len(t.marks) == 0 {
		return nil
	}
	u := chromeUnfold{r: r, t: t, now: t.marks[0].at}
	for _, m := range t.marks {
		if err := u.until(m.at); err != nil {
			return err
		}
		switch n := len(u.open); {
		case m.function < 0 && n > 0 && !u.open[n-1].ends:
			u.open = u.open[:n-1]
		case m.function < 0:
			r.notes["ends of calls that had not begun are left out"]++
		case n >= maxReadDepth:
			return fmt.Errorf("more than %d calls inside each other", maxReadDepth)
		default:
			u.begin(m)
		}
	}
	for n := len(u.open); n > 0; n = len(u.open) {
		if top := u.open[n-1]; !top.ends {
			r.notes["calls that did not end were taken to end with the last event of their track"]++
			u.open = u.open[:n-1]
		} else if err := u.until(top.end); err != nil {
			return err
		}
	}
	return nil
}

// begin opens a call. One that would end after the call around it ends with that.
func (u *chromeUnfold) begin(m chromeMark) {
	caller := chromeOpen{path: noPath}
	if n := len(u.open); n > 0 {
		caller = u.open[n-1]
	}
	o := chromeOpen{u.r.paths.step(caller.path, m.function, func() profile.Function { return u.r.known[m.function] }), m.end, m.end >= m.at}
	if o.ends && caller.ends && o.end > caller.end {
		o.end = caller.end
		u.r.notes["calls that would outlast the call around them were cut to its end"]++
	}
	u.open = append(u.open, o)
}

// until lets time go by: calls whose end is known end.
func (u *chromeUnfold) until(at time.Duration) error {
	for n := len(u.open); n > 0 && u.open[n-1].ends && u.open[n-1].end <= at; n = len(u.open) {
		if err := u.piece(u.open[n-1].end); err != nil {
			return err
		}
		u.open = u.open[:n-1]
	}
	return u.piece(at)
}

// piece is time in the innermost call.
func (u *chromeUnfold) piece(to time.Duration) error {
	from := u.now
	if to <= from {
		return nil
	}
	u.now = to
	if len(u.open) == 0 {
		return nil
	}
	return u.r.add(u.t, profile.Sample{Time: from, Weight: to - from, Count: 1, Stack: u.open[len(u.open)-1].path.stack})
}
