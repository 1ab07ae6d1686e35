package trace

import (
	"context"
	"time"
)

// end stops the target and takes what it still has. Whatever gets lost, it returns
// in a bounded time.
func (s *Session) end() error {
	if !s.listens {
		return nil
	}
	ctx := context.Background()
	stopped, err := s.stop(ctx)
	if err != nil {
		return err
	}
	if !stopped {
		s.remark("the firmware did not answer STOP: it may still run, and its last records may be missing")
		return nil
	}
	if err := s.drain(ctx); err != nil {
		return err
	}
	if s.heard.cut {
		s.remark("the firmware was reset at the end of the run: its last records are missing")
	}
	return nil
}

// stop sends STOP until the target acknowledges it, or says that it stands.
func (s *Session) stop(ctx context.Context) (bool, error) {
	h := s.heard
	acks, statuses := h.answered[CommandStop], h.statuses
	stopped := func() bool {
		return h.answered[CommandStop] > acks || h.statuses > statuses && h.status.Known >= KnownState && !h.status.Running
	}
	for t := s.begins(); ; {
		s.send(CommandStop)
		s.send(CommandStatus)
		if ok, err := s.pump(ctx, s.interval(t.attempt), stopped); ok || err != nil {
			return ok, err
		}
		if t.over() {
			return false, nil
		}
	}
}

// drain asks until nothing waits to be sent: that STATUS stands behind all records. However
// slow the line is, a target that stands has so many records and no more.
func (s *Session) drain(ctx context.Context) error {
	deadline := time.Now().Add(s.answerTime())
	records := s.heard.records
	for unanswered := 0; unanswered < attempts && time.Now().Before(deadline); {
		came := s.came
		if s.heard.records > records && !s.heard.status.Running {
			records, deadline = s.heard.records, time.Now().Add(s.answerTime())
		}
		answered, err := s.pumpStatus(ctx, unanswered)
		if err != nil {
			return err
		}
		if s.heard.reason[CommandStatus] != 0 {
			return nil // it knows no STATUS: what it dropped is not known
		}
		switch {
		case answered && s.empty():
			return nil
		case answered, s.came > came:
			unanswered = 0
			if answered && s.heard.status.Running { // the answer to STOP was that of an earlier one
				s.send(CommandStop)
			}
			if _, err := s.pump(ctx, s.interval(0)/4, never); err != nil {
				return err
			}
		default:
			unanswered++
		}
	}
	if st := s.heard.status; st.Known >= KnownState && st.Running {
		s.remark("the firmware still ran after STOP: it may still run, and its last records may be missing")
		return nil
	}
	s.remark("the firmware did not say that all its records were sent: the last ones may be missing")
	return nil
}

// pumpStatus asks for a STATUS once, and waits until as many have come as were asked for: one
// that was on its way already says nothing of the present. Those that do not come within a second got lost.
func (s *Session) pumpStatus(ctx context.Context, attempt int) (bool, error) {
	h := s.heard
	answered, refused := more(&h.statuses), more(&h.answered[CommandStatus])
	s.asked = max(s.asked, h.statuses)
	s.send(CommandStatus)
	if _, err := s.pump(ctx, s.interval(attempt), func() bool { return answered() || refused() }); err != nil || !answered() {
		return false, err
	}
	_, err := s.pump(ctx, s.statusInterval(), func() bool { return h.statuses >= s.asked })
	s.asked = h.statuses
	return true, err
}

// empty tells whether the last STATUS was that of a target which has sent all. Firmware that
// does not say what waits has sent all when it says nothing else.
func (s *Session) empty() bool {
	st := s.heard.status
	if st.Known >= KnownWaiting {
		return !st.Running && st.Waiting == 0
	}
	return !st.Running
}

func never() bool { return false }
