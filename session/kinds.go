package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/session/sampling"
	"github.com/mprof/mprof/session/target"
	"github.com/mprof/mprof/session/tracing"
)

// Kinds of what is collected.
const (
	Samples = "samples"
	Calls   = "calls"
)

// found is what is behind a probe or a port.
type found struct{ device, source, elf string }

// look opens what Connect names, and lets it go again.
func (s *Session) look(ctx context.Context, c Connect) (found, error) {
	switch c.Kind {
	case Samples:
		o, err := s.samplingOptions(c)
		if err != nil {
			return found{}, err
		}
		of, err := target.OpenAnyProgram(o.ELF, o.Extra)
		if err != nil {
			return found{}, err
		}
		f, err := sampling.Look(ctx, o, of)
		return found{deviceOf(f), f.Probe, of.App().Path()}, err
	case Calls:
		o, err := s.tracingOptions(c)
		if err != nil {
			return found{}, err
		}
		f, err := tracing.Look(ctx, o)
		return found{firmwareOf(f), f.Port, elfOf(o)}, err
	}
	return found{}, &target.UsageError{Err: fmt.Errorf("session: %q is nothing that can be collected, only %s and %s", c.Kind, Samples, Calls)}
}

// deviceOf names a core and its chip.
func deviceOf(f sampling.Found) string {
	if f.Chip == "" {
		return f.Core
	}
	return f.Core + ", " + f.Chip
}

func firmwareOf(f tracing.Found) string { return cmp.Or(f.Firmware, "firmware without a name") }

// elfOf is the ELF file of traced firmware, "" where there is none.
func elfOf(o tracing.Options) string {
	if o.BuiltIn() {
		return target.BuiltInTraced
	}
	return o.ELF
}

// samplingOptions are those of a run; its duration and its recording are to be added.
func (s *Session) samplingOptions(c Connect) (sampling.Options, error) {
	o := s.options.Sampling
	o.Target.Probe, o.ELF, o.Extra = c.Probe, c.ELF, c.Extra
	o.Rate, o.Method, o.Force = c.Rate, cmp.Or(c.Method, sampling.MethodAuto), c.Force
	o.Model = s.model
	if c.ELF == "" && !target.IsSim(c.Probe) {
		return o, &target.UsageError{Err: errors.New("which firmware? name its ELF file; only the simulated board has one built in")}
	}
	if o.Seed == 0 {
		o.Seed = rand.Int64()
	}
	return o, o.Check()
}

// tracingOptions are the same for calls.
func (s *Session) tracingOptions(c Connect) (tracing.Options, error) {
	o := s.options.Tracing
	o.Port, o.ELF, o.Extra, o.Force = c.Port, c.ELF, c.Extra, c.Force
	o.Baud = cmp.Or(c.Baud, o.Baud, tracing.DefaultBaud)
	o.Model = s.model
	if c.Port == "" {
		return o, &target.UsageError{Err: errors.New("which port? name a serial port, tcp:HOST:PORT or sim")}
	}
	return o, nil
}

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
