package page

import (
	"context"
	"time"

	"github.com/mprof/mprof/live"
	"github.com/mprof/mprof/session"
)

// stateMessage is a session's state with its error for people.
type stateMessage struct {
	Push  string `json:"push"`
	State struct {
		session.State
		Error *failure `json:"error"`
	} `json:"state"`
}

// pushStates sends the state of the session whenever it changes.
func (s *socket) pushStates(ctx context.Context) {
	changed := s.control.Watch(ctx)
	for {
		m := stateMessage{Push: "state"}
		m.State.State = s.control.State()
		if err := m.State.Err; err != nil {
			m.State.Error = s.failure(err)
		}
		s.send(ctx, m)
		select {
		case _, more := <-changed:
			if !more {
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// pushUpdates sends what changed in the model, when the page is ready for it, and not more often than
// every updatePeriod.
func (s *socket) pushUpdates(ctx context.Context) {
	look := time.NewTimer(0)
	defer look.Stop()
	var at position
	var pushed time.Time
	for ready := false; ; {
		select {
		case at = <-s.has:
			ready = true
		case <-look.C:
		case <-ctx.Done():
			return
		}
		if !ready {
			continue
		}
		if wait := updatePeriod - time.Since(pushed); wait > 0 {
			look.Reset(wait)
			continue
		}
		m := s.control.Model()
		if run, rev := m.Revision(); run == at.Run && rev == at.Rev {
			look.Reset(updatePeriod)
			continue
		}
		ready, pushed = false, time.Now()
		s.send(ctx, struct {
			Push   string       `json:"push"`
			Update *live.Update `json:"update"`
		}{"update", m.Since(at.Run, at.Rev)})
	}
}

// ping finds out that a page has gone without a word: a laptop that sleeps, a tunnel that broke.
func (s *socket) ping(ctx context.Context) {
	tick := time.NewTicker(pingPeriod)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		pong, cancel := context.WithTimeout(context.WithoutCancel(ctx), pingPeriod)
		err := s.conn.Ping(pong)
		cancel()
		if err != nil {
			s.end(err)
			return
		}
	}
}
