package trace

import "time"

// watch notices what goes on while a run goes on, and says it once.
type watch struct {
	session  *Session
	last     time.Time // when a byte came
	ticks    int       // since then: a machine that was busy for long has not listened
	quiet    bool      // nothing came for long
	silences int
	stopped  bool // the firmware stands, and nobody told it to
	again    bool // START should be sent once more
}

// came takes the time of bytes that came and were decoded.
func (w *watch) came(at time.Time) {
	w.last, w.ticks, w.quiet = at, 0, false
	if s := w.session; s.heard.stands && !w.stopped {
		w.stopped = true
		s.remark("the firmware stopped profiling by itself, %.1f s after the start of the run", at.Sub(s.origin).Seconds())
	}
}

// tick is called each second.
func (w *watch) tick() {
	s := w.session
	w.again = s.listens && !s.obeyed
	if w.ticks++; w.quiet || w.ticks <= silentTicks {
		return
	}
	w.quiet = true
	if w.silences++; w.silences == 1 {
		s.remark("the firmware said nothing for %v or more, from %.1f s on", s.silence(), w.last.Sub(s.origin).Seconds())
	}
}

// end says what is left to say.
func (w *watch) end() {
	if w.silences > 1 {
		w.session.remark("the firmware said nothing for %v or more %d times", w.session.silence(), w.silences)
	}
	switch s := w.session; {
	case !s.listens || s.obeyed:
	case s.ran:
		s.remark("the firmware did not answer START after it was reset")
	default:
		s.remark("the firmware did not answer START")
	}
}
