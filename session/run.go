package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/mprof/mprof/live"
	"github.com/mprof/mprof/session/sampling"
	"github.com/mprof/mprof/session/tracing"
)

// Options are what Connect and Start do not say.
type Options struct {
	Sampling sampling.Options // how to sample
	Tracing  tracing.Options  // how to trace
	Folder   string           // for recordings; "" is that of temporary files
}

// Session connects to a target, collects, stops and begins again, as a person at a page or
// a terminal asks. Between runs nothing is held: the target is everybody's. Its methods may
// be called from several goroutines; one command is carried out at a time.
type Session struct {
	board
	options Options
	model   *live.Model
	turn    chan struct{} // a token: who has it carries out a command
	sources sources

	mu         sync.Mutex // guards what follows
	connecting context.CancelFunc
	run        *run
	collected  *collected
	unsaved    []string // recordings of earlier runs of which no profile was asked for
}

// run is one that goes on, or has ended.
type run struct {
	stop  context.CancelCauseFunc
	ended chan struct{}
	start Start
}

// New is a session that nothing is connected to.
func New(o Options) *Session {
	return &Session{board: board{state: State{Phase: Idle}}, options: o, model: live.NewModel(), turn: make(chan struct{}, 1)}
}

// Suggest says what a page or a terminal offers to connect to first.
func (s *Session) Suggest(c Connect) { s.set(func(st *State) { st.Connect = c }) }

// Model shows the run that goes on, or was the latest.
func (s *Session) Model() *live.Model { return s.model }

// errStopped is why a run ends that somebody stopped.
var errStopped = errors.New("stopped by the user")

// begin takes the turn for a command.
func (s *Session) begin(ctx context.Context) (end func(), err error) {
	select {
	case s.turn <- struct{}{}:
		return func() { <-s.turn }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// fail notes the error of a command in the state, and returns it.
func (s *Session) fail(p Phase, err error) error {
	s.set(func(st *State) { st.Phase, st.Err = p, err })
	return err
}

// Close ends the run, and names the recordings of what nobody has saved. The others are
// removed.
func (s *Session) Close() (unsaved []string) {
	_ = s.Disconnect(context.Background()) // has no other errors
	s.leave()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.unsaved
}

// leave ends the care for what was collected: its recording stays if nobody has
// saved it.
func (s *Session) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.collected
	s.collected = nil
	switch {
	case c == nil:
	case c.saved.Load() || c.empty():
		_ = os.Remove(c.recording)
	default:
		s.unsaved = append(s.unsaved, c.recording)
	}
}

// stop ends the run that goes on, and waits until it has. It tells whether there was one.
func (s *Session) stop(why error) bool {
	s.mu.Lock()
	r := s.run
	s.mu.Unlock()
	if r == nil {
		return false
	}
	select {
	case <-r.ended:
		return false
	default:
	}
	s.set(func(st *State) { st.Phase = Stopping })
	r.stop(why)
	<-r.ended
	s.set(func(st *State) {
		if st.Phase == Stopping {
			st.Phase = Ready
		}
	})
	return true
}

// forget drops what was collected.
func (s *Session) forget() {
	s.mu.Lock()
	c := s.collected
	s.collected = nil
	s.mu.Unlock()
	if c != nil {
		_ = os.Remove(c.recording)
	}
	s.model.Forget()
	s.set(func(st *State) { st.Recording, st.Collected = "", false })
}

// recordingName is a new name for a recording.
func (s *Session) recordingName(extension string) string {
	folder := s.options.Folder
	if folder == "" {
		folder = os.TempDir()
	}
	return filepath.Join(folder, fmt.Sprintf("mprof-live-%d-%d%s", os.Getpid(), time.Now().UnixNano(), extension))
}
