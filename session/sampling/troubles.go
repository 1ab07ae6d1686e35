package sampling

import (
	"slices"
	"strconv"
	"time"

	"github.com/mprof/mprof/cortexm"
	"github.com/mprof/mprof/gdbremote"
	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/snapshot"
)

// tell records what happened around the last sample, adds it to the profile, and
// says at once what a person can do about it.
func (r *Run) tell() error {
	for _, e := range r.sampler.Events() {
		if err := r.recording.AppendEvent(e); err != nil {
			return err
		}
		r.stacks.event(e)
		if text := advice(e); text != "" && r.options.Advice != nil {
			r.options.Advice(Advice{At: e.Time, Text: text, Lost: slices.Contains(losses, e.Kind), Back: e.Kind == cortexm.EventBack})
		}
	}
	return nil
}

// event adds one that the recording holds.
func (s *Stacks) event(e snapshot.Event) {
	s.builder.Event(profile.Event{Time: e.Time, Duration: e.Duration, Name: e.Kind, Detail: e.Text})
}

// losses are the events after which nothing is known of the target.
var losses = []string{cortexm.EventProbeLost, cortexm.EventTargetLost, gdbremote.EventServerLost, gdbremote.EventNoAnswer}

// advice is what a person can do while the run goes on; "" for nothing.
func advice(e snapshot.Event) string {
	switch e.Kind {
	case cortexm.EventProbeLost:
		return "the probe is gone; the run goes on when it is plugged in again"
	case cortexm.EventTargetLost:
		return "the target does not answer; the run goes on when it does: " + e.Text
	case cortexm.EventStands:
		return "the core stands halted, and mprof leaves it so: let it run in the debugger that set the breakpoint, or take the BKPT (an assertion, semihosting) out of the program"
	case gdbremote.EventServerLost:
		return "the connection to the GDB server is lost; the run goes on when it is there again"
	case gdbremote.EventNoAnswer:
		return "the GDB server does not answer: " + e.Text
	case gdbremote.EventStops:
		return "the target stops by itself, again and again, and mprof lets it run on: a breakpoint, a BKPT in the program (an assertion, semihosting), or another debugger: " + e.Text
	case cortexm.EventBack:
		return "back: " + e.Text
	}
	return ""
}

// keyResetsHalted names the fact of a recording that counts resets of a core
// which stood still for a sample.
const keyResetsHalted = "resets-while-halted"

func troubleFacts(st cortexm.Stats) (facts [][2]string) {
	if st.ResetsHalted > 0 {
		facts = append(facts, [2]string{keyResetsHalted, strconv.FormatUint(st.ResetsHalted, 10)})
	}
	return facts
}

// remarkTroubles says what the facts of a run mean for its user.
func (s *Stacks) remarkTroubles(end snapshot.End) {
	if n, err := strconv.ParseUint(end.Facts[keyResetsHalted], 10, 64); err == nil && n > 0 {
		s.remark("%d resets came while the core stood still for a sample: a watchdog goes on in Debug state unless it is told to stop (STM32: DBG_IWDG_STOP, DBG_WWDG_STOP in DBGMCU)", n)
	}
}

// dearShare is the share of stolen time that a user should be told of.
const dearShare = 0.1

// remarkStolen says so where the samples of a run of that length took more.
func (s *Stacks) remarkStolen(took time.Duration) {
	if share := float64(s.halted) / float64(max(took, 1)); share > dearShare {
		s.remark("the core stood still for %.0f %% of the run, so whatever depends on time ran late: a lower --rate or --max-overhead takes less, and so does a faster probe", 100*share)
	}
}
