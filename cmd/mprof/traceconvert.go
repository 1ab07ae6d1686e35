package main

import (
	"context"
	"errors"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/symbol"
)

// readTrace makes a profile of a recording of mprof trace. err with a profile is why it
// ends early.
func (a *app) readTrace(ctx context.Context, f *convertFlags) (p *profile.Profile, program *symbol.Program, err error) {
	if f.forSamples() {
		return nil, nil, usageError{errors.New("--method and --no-guess are for samples: this is a recording of traced calls")}
	}
	r, err := newTracingRun(traceOptions{from: f.input, elf: f.elf, extra: f.extra, force: f.force, keep: defaultKeep, command: f.command, version: versionString()})
	if err != nil {
		return nil, nil, err
	}
	if p, err = r.replayed(ctx); p != nil {
		err = concludeTrace(ctx, p, false, err, nil)
	}
	return p, r.program, err
}
