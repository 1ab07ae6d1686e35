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
	"github.com/mprof/mprof/profile"
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

// Connect finds out what is behind a probe or a port, and compares it with the ELF file. A
// run that goes on is stopped before. Errors: no such probe or port, another program, and
// whatever else keeps mprof from the target.
func (s *Session) Connect(ctx context.Context, c Connect) error {
	end, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	s.stop(errStopped)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.mu.Lock()
	s.connecting = cancel
	s.mu.Unlock()
	before := s.State()
	s.set(func(st *State) {
		*st = State{Phase: Connecting, Connect: c, ELF: c.ELF, Recording: before.Recording, Collected: before.Collected}
	})
	found, err := s.look(ctx, c)
	s.mu.Lock()
	s.connecting = nil
	s.mu.Unlock()
	if err != nil {
		return s.fail(Idle, err)
	}
	s.set(func(st *State) { st.Phase, st.Device, st.Source, st.ELF = Ready, found.device, found.source, found.elf })
	return nil
}

// Start begins to collect; what was collected before is forgotten by the model. A run that
// waits for a target that went away is ended.
func (s *Session) Start(ctx context.Context, with Start) error {
	end, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	switch s.State().Phase {
	case Idle:
		return errors.New("session: nothing is connected")
	case Running:
		return errors.New("session: a run goes on already")
	}
	s.stop(errStopped)
	return s.start(ctx, with)
}

// Stop ends the run; what it collected stays.
func (s *Session) Stop(ctx context.Context) error {
	end, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	if !s.stop(errStopped) {
		return errors.New("session: no run goes on")
	}
	return nil
}

// Reset forgets what was collected, with its recording. A run that goes on begins again, on a
// traced target with an empty buffer.
func (s *Session) Reset(ctx context.Context) error {
	end, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	s.mu.Lock()
	r := s.run
	s.mu.Unlock()
	again := s.stop(errStopped)
	s.forget()
	if again {
		return s.start(ctx, r.start)
	}
	return nil
}

// Disconnect lets go of the target; what was collected stays.
func (s *Session) Disconnect(ctx context.Context) error {
	s.mu.Lock()
	if s.connecting != nil {
		s.connecting()
	}
	s.mu.Unlock()
	end, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	s.stop(errStopped)
	s.set(func(st *State) { st.Phase, st.Err = Idle, nil })
	return nil
}

// Profile is what was collected until now, also while the run goes on: then it is made of
// the recording. Errors: ErrNothing, and those of reading the recording.
func (s *Session) Profile(ctx context.Context) (*profile.Profile, error) {
	s.mu.Lock()
	c := s.collected
	s.mu.Unlock()
	p, err := c.now(ctx)
	if err == nil && c.ended() {
		c.saved.Store(true)
	}
	return p, err
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
