package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mprof/mprof/cortexm"
	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/symbol"
)

// keyMethod names the parameter of a recording that says how it was sampled.
const keyMethod = "method"

// methodAuto is call stacks: every probe that is known can take them.
const methodAuto = "auto"

// methodFlag is a way to sample, or to read samples.
type methodFlag struct {
	value string
	known []string
}

func newMethodFlag(known ...string) methodFlag { return methodFlag{methodAuto, known} }

func (m *methodFlag) String() string { return m.value }
func (m *methodFlag) Type() string   { return strings.Join(m.known, "|") }

func (m *methodFlag) Set(s string) error {
	if !slices.Contains(m.known, s) {
		return fmt.Errorf("%q is no method: use one of %s", s, strings.Join(m.known, ", "))
	}
	m.value = s
	return nil
}

// beginMethod is the one to begin with.
func (f *sampleFlags) beginMethod() string {
	if f.method.value == methodAuto {
		return profile.MethodDWARF
	}
	return f.method.value
}

// unwinding says how the callers of the samples are found.
func (f *sampleFlags) unwinding() unwinding { return unwindingOf(f.method.value, f.noGuess) }

// checkRate rejects a rate that halting cannot reach.
func (f *sampleFlags) checkRate() error {
	if f.beginMethod() != profile.MethodPCSR && f.rate > highestHaltingRate {
		return usageError{fmt.Errorf("--rate %g: halting samples come at %d Hz at most; --method pcsr goes on to %d", float64(f.rate), highestHaltingRate, highestRate)}
	}
	return nil
}

// observes tells whether the core is never to be halted. A reset halts it at its
// vector, for which it must be under debug control.
func (f *sampleFlags) observes() bool {
	return f.beginMethod() == profile.MethodPCSR && !f.reset && !f.underReset
}

// sampler is either of the ways to sample.
type sampler interface {
	Next(ctx context.Context) (*snapshot.Snapshot, error)
	Stats() cortexm.Stats
	Events() []snapshot.Event
	Remarks() []string
}

// learner is a sampler that wants to know which stack memory was used.
type learner interface {
	Learn(s *snapshot.Snapshot, used []cortexm.Extent)
}

// newSampler makes the sampler of the method that was asked for. Where the core
// has no PCSR it is halted for its PC, and the remark says so.
func (r *samplingRun) newSampler(ctx context.Context, of *symbol.Program) (remark string, err error) {
	r.method = r.flags.beginMethod()
	if r.method == profile.MethodPCSR {
		err := r.samplePCs(ctx)
		if !errors.Is(err, cortexm.ErrNoPCSR) {
			return "", err
		}
		remark = fmt.Sprintf("%v; sampled by halting instead (--method pc)", err)
		r.method = profile.MethodPC
		r.flags.rate = min(r.flags.rate, highestHaltingRate)
		if err := r.core.Control(ctx); err != nil {
			return "", err
		}
	}
	s, err := cortexm.NewSampler(r.core, cortexm.SampleOptions{
		Needs:         func(reg snapshot.Reg) bool { return r.stacks.unwinder.Consulted(reg) },
		Rate:          float64(r.flags.rate),
		Duration:      time.Duration(r.flags.duration),
		Seed:          r.flags.seed,
		Clock:         r.target.clock,
		StackTops:     stackTops(of),
		RAM:           ramRanges(of),
		RegistersOnly: r.method == profile.MethodPC,

		MaxOverhead: float64(r.flags.maxOverhead),
		MaxHalt:     time.Duration(r.flags.maxHalt),
	})
	r.sampler = s
	return remark, err
}

// samplePCs makes the sampler that does not halt. Without --rate it goes as fast
// as the wire allows.
func (r *samplingRun) samplePCs(ctx context.Context) error {
	if err := r.core.Run(ctx); err != nil {
		return err
	}
	o := cortexm.PCOptions{Duration: time.Duration(r.flags.duration), Seed: r.flags.seed, Clock: r.target.clock}
	if r.flags.rateGiven {
		o.Rate = float64(r.flags.rate)
	}
	s, err := cortexm.NewPCSampler(ctx, r.core, o)
	r.sampler = s
	return err
}

// methodParameters completes the header of a recording.
func (r *samplingRun) methodParameters(h *snapshot.Header) {
	h.Parameters[keyMethod] = r.method
	r.flags.unwinding().parameters(h.Parameters)
	if r.method != profile.MethodPCSR {
		r.flags.budgetParameters(h.Parameters)
	} else if !r.flags.rateGiven {
		h.Parameters[keyRate] = "0"
	}
}
