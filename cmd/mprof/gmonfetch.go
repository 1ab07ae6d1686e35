package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mprof/mprof/session/target"
	"github.com/mprof/mprof/symbol"
)

// gmonRun is one run of mprof gmon fetch.
type gmonRun struct {
	app     *app
	flags   *gmonFlags
	of      *symbol.Program // nil: no ELF file was named
	source  gmonSource
	remarks []string // of the target, for each file
	number  int      // of the next file, from 1; 0: one file, with the name that was given
}

// openGmon reaches the counters in the way that the command line names.
func (a *app) openGmon(ctx context.Context, f *gmonFlags, args []string) (s gmonSource, of *symbol.Program, remarks []string, err error) {
	if len(args) > 0 {
		open := target.OpenProgram
		if f.from != "" || target.IsGDB(f.Probe) {
			open = target.OpenAnyProgram
		}
		if of, err = open(args[0], f.extra); err != nil {
			return nil, nil, nil, err
		}
	}
	switch {
	case f.from != "":
		s, err = openGmonTFTP(f, of)
	case f.port != "":
		s, remarks, err = openGmonUART(ctx, f, of, args)
	case target.IsGDB(f.Probe):
		s, remarks, err = openGmonGDB(ctx, f, of)
	default:
		s, remarks, err = a.openGmonProbe(ctx, f, of, args)
	}
	return s, of, remarks, err
}

// gmonFetch is the command: open, read once or in turn, write.
func (a *app) gmonFetch(ctx context.Context, f *gmonFlags, args []string) error {
	if err := f.prepareFetch(args); err != nil {
		return err
	}
	source, of, remarks, err := a.openGmon(ctx, f, args)
	if err != nil {
		return err
	}
	r := &gmonRun{app: a, flags: f, of: of, source: source, remarks: remarks}
	err = interrupted(ctx, r.run(ctx))
	return errors.Join(err, source.close(err))
}

// gmonReset is the command.
func (a *app) gmonReset(ctx context.Context, f *gmonFlags, args []string) error {
	if err := f.checkArguments(args); err != nil {
		return err
	}
	source, _, _, err := a.openGmon(ctx, f, args)
	if err != nil {
		return err
	}
	text, err := source.reset(ctx)
	err = interrupted(ctx, err)
	if err == nil && !f.quiet {
		_, err = fmt.Fprintln(a.stdout, text)
	}
	return errors.Join(err, source.close(err))
}

func (r *gmonRun) run(ctx context.Context) error {
	f := r.flags
	if f.every == 0 && f.duration == 0 {
		return r.fetch(ctx)
	}
	every, clock := time.Duration(f.every), r.source.clock()
	if f.every == 0 {
		every = time.Duration(f.duration)
	} else {
		r.number = 1
	}
	if err := r.source.begin(ctx); err != nil {
		return cmp.Or(context.Cause(ctx), err)
	}
	begun := clock.Now()
	for next := every; ; next += every {
		end := f.duration != 0 && next >= time.Duration(f.duration)
		if end {
			next = time.Duration(f.duration)
		}
		if err := clock.Sleep(ctx, begun+next-clock.Now()); err != nil {
			return r.cut(ctx)
		}
		if err := r.fetch(ctx); err != nil && ctx.Err() != nil {
			return r.cut(ctx)
		} else if err != nil || end {
			return err
		}
	}
}

// cut ends a run that a signal ends: what was counted in the interval that began is written, too.
func (r *gmonRun) cut(ctx context.Context) error {
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastFetch)
	defer cancel()
	if err := r.fetch(last); err != nil {
		return err
	}
	var sig *signalError
	if r.flags.duration != 0 && errors.As(context.Cause(ctx), &sig) {
		return sig
	}
	return nil
}

// lastFetch bounds the reading behind a signal.
const lastFetch = 30 * time.Second

// fetch reads once and writes the files. What was read is written also where it could not be cleared.
func (r *gmonRun) fetch(ctx context.Context) error {
	reading, err := r.source.next(ctx)
	if reading == nil {
		if r.number > 0 && idle(err) {
			r.number++
			fmt.Fprintf(r.app.stderr, "mprof: %v: no file for this interval\n", err)
			return nil
		}
		return err
	}
	reading.Remarks = append(reading.Remarks, r.remarks...)
	for _, path := range r.flags.outputs {
		if r.number > 0 {
			path = numbered(path, r.number)
		}
		if e := r.write(path, reading); e != nil {
			err = errors.Join(err, e)
		} else {
			reading.Files = append(reading.Files, path)
		}
	}
	if r.number > 0 {
		r.number++
	}
	return errors.Join(err, r.tell(reading))
}
