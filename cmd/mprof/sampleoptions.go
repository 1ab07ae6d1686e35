package main

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/symbol"
)

// sampleOptions say what a run samples and how. The zero value but for a probe and an ELF
// file samples call stacks with the defaults, until its context ends, without limits.
type sampleOptions struct {
	target      targetOptions
	elf         string        // "" is the built-in firmware, on the simulated board
	extra       []string      // ELF files beside the application's
	method      string        // methodAuto or ""; profile.MethodDWARF, ...
	rate        float64       // samples per second; 0: defaultRate, and of PCs what the wire carries
	duration    time.Duration // 0: until the context ends
	seed        int64         // of the jitter between samples
	force       bool          // go on though the ELF file is not what runs on the target
	noGuess     bool          // cut a stack where no method knows the caller
	maxOverhead float64       // share of time that the core may stand; 0: no limit
	maxHalt     time.Duration // of one sample; 0: no limit
	recording   string        // file that all samples go to

	command []string // that the profile names
	version string   // of mprof

	// opened is told which probe was opened, before it is used. May be nil.
	opened func(*target)
	// progress is told after each sample how the run goes. May be nil.
	progress func(sampleProgress)
	// advice is told what a person can do while the run goes on, and when it was. May be nil.
	advice func(at time.Duration, text string)
}

// sampleProgress is how far a run is.
type sampleProgress struct {
	at     time.Duration // of the latest sample, on the target's clock
	taken  uint64        // samples
	halted time.Duration // the core, for all of them
	cut    uint64        // stacks
}

// Rates in Hz.
const (
	defaultRate        = 100
	lowestRate         = 0.01
	highestRate        = 1_000_000 // of PCs that are read while the core runs
	highestHaltingRate = 20000
)

// defaultOverhead is the share of time that perf allows its samples, too.
const defaultOverhead = 0.25

// haltingRate is the rate of samples that halt the core.
func (o *sampleOptions) haltingRate() float64 {
	if o.rate == 0 {
		return defaultRate
	}
	return o.rate
}

// check refuses what no target can do. Errors are of type *UsageError.
func (o *sampleOptions) check() error {
	return errors.Join(o.checkRate(), o.checkGDB())
}

// checkRate rejects a rate that halting cannot reach.
func (o *sampleOptions) checkRate() error {
	if o.beginMethod() != profile.MethodPCSR && o.rate > highestHaltingRate {
		return &UsageError{fmt.Errorf("--rate %g: halting samples come at %d Hz at most; --method pcsr goes on to %d", o.rate, highestHaltingRate, highestRate)}
	}
	return nil
}

// checkGDB refuses what a GDB server cannot do.
func (o *sampleOptions) checkGDB() error {
	switch {
	case !isGDB(o.target.probe) && len(o.target.monitor) > 0:
		return &UsageError{errors.New("--monitor is for GDB servers: --probe gdb:HOST:PORT")}
	case !isGDB(o.target.probe):
		return nil
	case o.method == profile.MethodPCSR:
		return &UsageError{errors.New("--method pcsr reads DWT_PCSR through a debug probe; through a GDB server every sample halts the core: --method pc halts it for the least time")}
	case o.maxHalt != 0:
		return &UsageError{errors.New("--max-halt cannot be kept through a GDB server, which answers when it does; --max-overhead bounds the halted share of the run")}
	}
	_, err := o.target.gdbServer()
	return err
}

// checkProgram refuses a program that the target or the method is not for; the remark
// is for the user.
func (o *sampleOptions) checkProgram(of *symbol.Program) (remark string, err error) {
	if archOf(of) != snapshot.CortexM && !isGDB(o.target.probe) {
		return "", fmt.Errorf("%s is for %v: a debug probe is driven for Cortex-M cores only; a GDB server reaches the others, too: --probe gdb:HOST:PORT", of.App().Path(), archOf(of))
	}
	return o.unwinding().check(of)
}

// methodAuto is call stacks: every probe that is known can take them.
const methodAuto = "auto"

// beginMethod is the one to begin with.
func (o *sampleOptions) beginMethod() string {
	if o.method == methodAuto || o.method == "" {
		return profile.MethodDWARF
	}
	return o.method
}

// unwinding says how the callers of the samples are found.
func (o *sampleOptions) unwinding() unwinding { return unwindingOf(o.method, o.noGuess) }

// observes tells whether the core is never to be halted. A reset halts it at its
// vector, for which it must be under debug control.
func (o *sampleOptions) observes() bool {
	return o.beginMethod() == profile.MethodPCSR && !o.target.reset && !o.target.underReset
}

// methodParameters completes the header of a recording.
func (r *samplingRun) methodParameters(h *snapshot.Header) {
	h.Parameters[keyMethod] = r.method
	r.options.unwinding().parameters(h.Parameters)
	rate := r.options.haltingRate()
	if r.method == profile.MethodPCSR {
		rate = r.options.rate
	} else {
		r.options.budgetParameters(h.Parameters)
	}
	h.Parameters[keyRate] = strconv.FormatFloat(rate, 'g', -1, 64)
}
