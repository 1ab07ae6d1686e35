package session

import (
	"context"
	"errors"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/session/sampling"
	"github.com/mprof/mprof/session/target"
	"github.com/mprof/mprof/session/tracing"
)

// start begins a run; whoever calls it has the turn.
func (s *Session) start(ctx context.Context, with Start) error {
	c := s.State().Connect
	runCtx, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	r := &run{stop: stop, ended: make(chan struct{}), start: with}
	var collected *collected
	var collect func() (*profile.Profile, error)
	var err error
	if c.Kind == Calls {
		collected, collect, err = s.startCalls(ctx, runCtx, c, with)
	} else {
		collected, collect, err = s.startSamples(ctx, runCtx, c, with)
	}
	if err != nil {
		stop(nil)
		return s.fail(Ready, err)
	}
	s.leave()
	s.mu.Lock()
	s.run, s.collected = r, collected
	s.mu.Unlock()
	s.set(func(st *State) {
		st.Phase, st.Err, st.Recording, st.Collected = Running, nil, collected.recording, true
	})
	go func() {
		defer close(r.ended)
		defer stop(nil)
		p, err := collect()
		collected.finished(p)
		s.ended(err)
	}()
	return nil
}

// startSamples attaches to the core; collect then samples it.
func (s *Session) startSamples(ctx, runCtx context.Context, c Connect, with Start) (*collected, func() (*profile.Profile, error), error) {
	o, err := s.samplingOptions(c)
	if err != nil {
		return nil, nil, err
	}
	o.Duration, o.Recording, o.Advice = with.Duration, s.recordingName(".mprof"), s.advised
	of, err := target.OpenAnyProgram(o.ELF, o.Extra)
	if err != nil {
		return nil, nil, err
	}
	kept, err := collectSamples(o)
	if err != nil {
		return nil, nil, err
	}
	r, err := sampling.Open(ctx, o, of)
	if err != nil {
		return nil, nil, err
	}
	s.sources.readBy(r.Source())
	return kept, func() (*profile.Profile, error) {
		err := r.Sample(runCtx)
		return r.Finish(runCtx, err), err
	}, nil
}

// startCalls opens the port; collect then traces what is behind it.
func (s *Session) startCalls(ctx, runCtx context.Context, c Connect, with Start) (*collected, func() (*profile.Profile, error), error) {
	o, err := s.tracingOptions(c)
	if err != nil {
		return nil, nil, err
	}
	o.Duration, o.Recording, o.RecordingWanted = with.Duration, s.recordingName(".bin"), true
	r, err := tracing.New(o)
	if err != nil {
		return nil, nil, err
	}
	if err := r.Open(ctx); err != nil {
		return nil, nil, err
	}
	kept, err := collectCalls(o, r.Found().Port)
	if err != nil {
		return nil, nil, errors.Join(err, r.Close())
	}
	s.sources.readBy(r.Source())
	return kept, func() (*profile.Profile, error) {
		p, err := r.Live(runCtx)
		return p, errors.Join(err, r.KeepRecording(true))
	}, nil
}
