package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/snapshot"
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
