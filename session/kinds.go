package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

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
