package sampling

import (
	"context"
	"errors"

	"github.com/mprof/mprof/session/target"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/symbol"
)

// Look finds out what a run with these options would sample, and whether it is what the
// program is for; the core is left running as it was. Errors are those of Open.
func Look(ctx context.Context, o Options, of *symbol.Program) (found Found, err error) {
	if _, err := o.checkProgram(of); err != nil {
		return found, err
	}
	o.Target.Reset = false // that is for the run
	core, err := attach(ctx, &o, of)
	if err != nil {
		return found, err
	}
	defer func() { err = errors.Join(err, core.detach(err)) }()
	h := snapshot.Header{Parameters: map[string]string{}}
	core.describe(&h)
	found = Found{Core: h.Core, Chip: core.chip(ctx), Probe: h.Probe}
	var mismatch *symbol.MismatchError
	if err = target.Verify(ctx, core, of); o.Force && errors.As(err, &mismatch) {
		err = nil
	}
	return found, err
}
