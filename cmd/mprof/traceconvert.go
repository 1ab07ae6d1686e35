package main

import (
	"context"
	"errors"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/session/tracing"
	"github.com/mprof/mprof/symbol"
)

// readTrace makes a profile of a recording of mprof trace. err with a profile is why it
// ends early.
func (a *app) readTrace(ctx context.Context, f *convertFlags) (p *profile.Profile, program *symbol.Program, err error) {
	if f.forSamples() {
		return nil, nil, usageError{errors.New("--method and --no-guess are for samples: this is a recording of traced calls")}
	}
	r, err := tracing.New(tracing.Options{From: f.input, ELF: f.ELF, Extra: f.Extra, Force: f.Force, Keep: defaultKeep, Command: f.command, Version: versionString()})
	if err != nil {
		return nil, nil, err
	}
	if p, err = r.Replay(ctx); p != nil {
		err = concludeTrace(ctx, p, false, err, nil)
	}
	return p, r.Program, err
}
