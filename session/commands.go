package session

import (
	"context"
	"errors"

	"github.com/mprof/mprof/profile"
)

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
