package sampling

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/mprof/mprof/live"
	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/session/target"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/symbol"
)

// Options say what a run samples and how. The zero value but for a probe and an ELF
// file samples call stacks with the defaults, until its context ends, without limits.
type Options struct {
	Target      target.Options
	ELF         string        // "" is the built-in firmware, on the simulated board
	Extra       []string      // ELF files beside the application's
	Method      string        // MethodAuto or ""; profile.MethodDWARF, ...
	Rate        float64       // samples per second; 0: defaultRate, and of PCs what the wire carries
	Duration    time.Duration // 0: until the context ends
	Seed        int64         // of the jitter between samples
	Force       bool          // go on though the ELF file is not what runs on the target
	NoGuess     bool          // cut a stack where no method knows the caller
	MaxOverhead float64       // share of time that the core may stand; 0: no limit
	MaxHalt     time.Duration // of one sample; 0: no limit
	Recording   string        // file that all samples go to

	Command []string // that the profile names
	Version string   // of mprof

	// Opened is told which probe was opened, before it is used. May be nil.
	Opened func(*target.Target)
	// Progress is told after each sample how the run goes. May be nil.
	Progress func(Progress)
	// Advice is told what a person can do while the run goes on. May be nil.
	Advice func(Advice)
	// Model is shown the run while it goes on. May be nil.
	Model *live.Model
	// Paced: where the target's time is virtual, it passes no faster than the host's, so
	// that people can watch.
	Paced bool
}

// Advice is what a person can do while a run goes on.
type Advice struct {
	At   time.Duration // of what happened, on the target's clock
	Text string
	Lost bool // nothing is known of the target from then on, until something else is said
	Back bool // whatever it was is over
}

// Progress is how far a run is.
type Progress struct {
	At     time.Duration // of the latest sample, on the target's clock
	Taken  uint64        // samples
	Halted time.Duration // the core, for all of them
	Cut    uint64        // stacks
}

// Rates in Hz.
const (
	defaultRate        = 100
	LowestRate         = 0.01
	HighestRate        = 1_000_000 // of PCs that are read while the core runs
	highestHaltingRate = 20000
)

// DefaultOverhead is the share of time that perf allows its samples, too.
const DefaultOverhead = 0.25

// haltingRate is the rate of samples that halt the core.
func (o *Options) haltingRate() float64 {
	if o.Rate == 0 {
		return defaultRate
	}
	return o.Rate
}

// Check refuses what no target can do. Errors are of type *UsageError.
func (o *Options) Check() error {
	return errors.Join(o.checkRate(), o.checkGDB())
}

// checkRate rejects a rate that halting cannot reach.
func (o *Options) checkRate() error {
	if o.beginMethod() != profile.MethodPCSR && o.Rate > highestHaltingRate {
		return &target.UsageError{Err: fmt.Errorf("--rate %g: halting samples come at %d Hz at most; --method pcsr goes on to %d", o.Rate, highestHaltingRate, HighestRate)}
	}
	return nil
}

// checkGDB refuses what a GDB server cannot do.
func (o *Options) checkGDB() error {
	switch {
	case !target.IsGDB(o.Target.Probe) && len(o.Target.Monitor) > 0:
		return &target.UsageError{Err: errors.New("--monitor is for GDB servers: --probe gdb:HOST:PORT")}
	case !target.IsGDB(o.Target.Probe):
		return nil
	case o.Method == profile.MethodPCSR:
		return &target.UsageError{Err: errors.New("--method pcsr reads DWT_PCSR through a debug probe; through a GDB server every sample halts the core: --method pc halts it for the least time")}
	case o.MaxHalt != 0:
		return &target.UsageError{Err: errors.New("--max-halt cannot be kept through a GDB server, which answers when it does; --max-overhead bounds the halted share of the run")}
	}
	_, err := o.Target.GDBServer()
	return err
}

// checkProgram refuses a program that the target or the method is not for; the remark
// is for the user.
func (o *Options) checkProgram(of *symbol.Program) (remark string, err error) {
	if target.Arch(of) != snapshot.CortexM && !target.IsGDB(o.Target.Probe) {
		return "", fmt.Errorf("%s is for %v: a debug probe is driven for Cortex-M cores only; a GDB server reaches the others, too: --probe gdb:HOST:PORT", of.App().Path(), target.Arch(of))
	}
	return o.unwinding().Check(of)
}

// MethodAuto is call stacks: every probe that is known can take them.
const MethodAuto = "auto"

// beginMethod is the one to begin with.
func (o *Options) beginMethod() string {
	if o.Method == MethodAuto || o.Method == "" {
		return profile.MethodDWARF
	}
	return o.Method
}

// unwinding says how the callers of the samples are found.
func (o *Options) unwinding() Unwinding { return UnwindingOf(o.Method, o.NoGuess) }

// observes tells whether the core is never to be halted. A reset halts it at its
// vector, for which it must be under debug control.
func (o *Options) observes() bool {
	return o.beginMethod() == profile.MethodPCSR && !o.Target.Reset && !o.Target.UnderReset
}

// methodParameters completes the header of a recording.
func (r *Run) methodParameters(h *snapshot.Header) {
	h.Parameters[KeyMethod] = r.method
	r.options.unwinding().parameters(h.Parameters)
	rate := r.options.haltingRate()
	if r.method == profile.MethodPCSR {
		rate = r.options.Rate
	} else {
		r.options.budgetParameters(h.Parameters)
	}
	h.Parameters[keyRate] = strconv.FormatFloat(rate, 'g', -1, 64)
}
