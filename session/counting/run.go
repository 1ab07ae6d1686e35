// Package counting takes out of a target what firmware/gprof has counted there. In: a way to the
// target (a probe, a GDB server, a UART, TFTP), its program, when to read. Out: readings, each the
// contents of a gmon.out and how far to trust it; the target runs on.
package counting

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/mprof/mprof/schedule"
	"github.com/mprof/mprof/session/target"
	"github.com/mprof/mprof/symbol"
)

// Run is a target whose counters can be reached. Fetch or Reset ends it.
type Run struct {
	options *Options
	program *symbol.Program // nil: no ELF file was named
	source  source
	remarks []string // of the target, for each reading
	number  int      // of the next reading, from 1; 0: there is one
}

// Open reaches the counters in the way that the options name, and compares the target's memory with
// the program. On an error the target is left running. Errors: ErrNoBlock, ErrNoSymbols,
// *symbol.MismatchError, *target.UsageError, those of ELF files and of the way.
func Open(ctx context.Context, o Options) (r *Run, err error) {
	r = &Run{options: &o}
	if o.ELF != "" || o.From == "" {
		open := target.OpenProgram
		if o.From != "" || target.IsGDB(o.Target.Probe) {
			open = target.OpenAnyProgram
		}
		if r.program, err = open(o.ELF, o.Extra); err != nil {
			return nil, err
		}
	}
	switch {
	case o.From != "":
		r.source, err = openTFTP(o.From, r.program)
	case o.Port != "":
		r.source, r.remarks, err = o.openUART(ctx, r.program)
	case target.IsGDB(o.Target.Probe):
		r.source, r.remarks, err = o.openGDB(ctx, r.program)
	default:
		r.source, r.remarks, err = o.openProbe(ctx, r.program)
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// Program is that of the ELF files; nil where none was named.
func (r *Run) Program() *symbol.Program { return r.program }

// Reset has the target clear what it has counted, and lets go of it. What was cleared comes also with
// the error of letting go.
func (r *Run) Reset(ctx context.Context) (c *Cleared, err error) {
	defer func() { err = errors.Join(err, r.source.close(err)) }()
	return r.source.reset(ctx)
}

// Fetch gives take one reading, or one each interval until the duration is over or the context ends,
// and lets go of the target. An error of take ends the run. The interval that the context cuts short is
// read, too; the error is then context.Cause where the run was to have a duration, else nil. A reading
// that could be taken and not cleared is the last: the error says why. Errors: those of
// counters.Target, of TFTP.
func (r *Run) Fetch(ctx context.Context, take func(*Reading) error) (err error) {
	defer func() { err = errors.Join(err, r.source.close(err)) }()
	if r.options.Every == 0 && r.options.Duration == 0 {
		return r.fetch(ctx, take)
	}
	every, clock := r.options.Every, r.source.clock()
	if every == 0 {
		every = r.options.Duration
	} else {
		r.number = 1
	}
	if err := r.source.begin(ctx); err != nil {
		return cmp.Or(context.Cause(ctx), err)
	}
	begun := clock.Now()
	for next := every; ; next += every {
		end := r.options.Duration != 0 && next >= r.options.Duration
		if end {
			next = r.options.Duration
		}
		if err := clock.Sleep(ctx, begun+next-clock.Now()); err != nil {
			return r.cut(ctx, take)
		}
		if err := r.fetch(ctx, take); err != nil && ctx.Err() != nil {
			return r.cut(ctx, take)
		} else if err != nil || end {
			return err
		}
	}
}

// cut ends a run whose context has ended: what was counted in the interval that began is read, too.
func (r *Run) cut(ctx context.Context, take func(*Reading) error) error {
	last, cancel := schedule.Patience(context.WithoutCancel(ctx), lastFetch)
	defer cancel()
	if err := r.fetch(last, take); err != nil || r.options.Duration == 0 {
		return err
	}
	return context.Cause(ctx)
}

// lastFetch bounds the reading behind the end of the context.
const lastFetch = 30 * time.Second

// fetch reads once. What was read is passed on also where it could not be cleared.
func (r *Run) fetch(ctx context.Context, take func(*Reading) error) error {
	reading, err := r.source.next(ctx)
	number := r.number
	if number > 0 && (reading != nil || idle(err)) {
		r.number++
	}
	switch {
	case reading != nil:
		reading.Number = number
		reading.Remarks = append(reading.Remarks, r.remarks...)
		return errors.Join(err, take(reading))
	case number > 0 && idle(err):
		if r.options.Idle != nil {
			r.options.Idle(err)
		}
		return nil
	}
	return err
}
