package sampling

import (
	"context"

	"github.com/mprof/mprof/schedule"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/symbol"
	"github.com/mprof/mprof/unwind"
)

// attachedCore is a core that a run samples: mprof is attached to it, and leaves it
// running in the end.
type attachedCore interface {
	clock() schedule.Clock
	symbol.Memory
	// describe fills in who is sampled, through what.
	describe(h *snapshot.Header)
	// chip names the chip; "" where it is not known.
	chip(ctx context.Context) string
	// reset does what the options ask for, and says what it was. The core
	// stands then until run.
	reset(ctx context.Context) (remarks []string, err error)
	// newSampler makes the sampler of the method that was asked for, or of the
	// next best: the remark says why. needs tells whether unwinding needed a register.
	newSampler(ctx context.Context, of *symbol.Program, needs func(snapshot.Reg) bool) (s sampler, method, remark string, err error)
	// run lets the core run if it stands.
	run(ctx context.Context) error
	// detach leaves the core running and lets go of what is between. ended is the
	// error that ended the run, if it was one.
	detach(ended error) error
}

// sampler yields what a core does, in any of the ways to sample.
type sampler interface {
	snapshot.Source
	Events() []snapshot.Event
	Remarks() []string
	// Learn is told which stack memory unwinding a snapshot used.
	Learn(s *snapshot.Snapshot, used []unwind.Range)
	// facts are the figures of the run for the end of its recording.
	facts() [][2]string
}
