package main

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/symbol"
	"github.com/mprof/mprof/trace/calls"
)

// tracingRun is one trace: where its bytes come from, and what they have added
// up to.
type tracingRun struct {
	app     *app
	flags   *traceFlags
	program *symbol.Program // nil: no ELF file was named
	builder *calls.Builder
	sink    *traceSink
	remarks []string
	started time.Time     // zero for a recording, which does not say when it was
	took    time.Duration // on the host's clock; of a recording 0
	bytes   uint64        // that came
	source  string        // what the bytes came from, for the profile
}

// errNoCalls is the error of a run in which no call returned.
var errNoCalls = errors.New("no traced call returned")

// errNoneRead is the error of a run in which calls returned, none of which is known.
var errNoneRead = errors.New("no traced call could be read")

// trace is the command: open, run, and whatever happened, write.
func (a *app) trace(ctx context.Context, f *traceFlags, args []string) error {
	r := &tracingRun{app: a, flags: f}
	if f.port != "" {
		r.started = time.Now()
	}
	if err := r.openProgram(args); err != nil {
		return err
	}
	if f.port == "" {
		return r.replay(ctx)
	}
	return r.live(ctx, args)
}

// openProgram reads the ELF files, and prepares for their calls.
func (r *tracingRun) openProgram(args []string) error {
	of, err := r.flags.program(args)
	if err != nil {
		return err
	}
	r.program = of
	var sym profile.Symbolizer = nameless{new(symbol.Image)}
	o := calls.Options{Options: profile.Options{Start: r.started}, Keep: r.flags.keep.option(), NoCalibrate: r.flags.noCalibrate}
	if of == nil {
		r.remark("no ELF file was named, so functions are addresses")
	} else {
		mappings := of.Mappings()
		sym, o.Mapping, o.Others, o.Source = of, mappings[0], mappings[1:], of.Source
	}
	if r.flags.builtIn(args) {
		o.Source = tracedSource
	}
	r.builder = calls.NewBuilder(sym, o)
	return nil
}

// buildID is that of the application; nil where no ELF file was named.
func (r *tracingRun) buildID() []byte {
	if r.program == nil {
		return nil
	}
	return append([]byte{}, r.program.App().BuildID()...)
}

func (r *tracingRun) remark(format string, args ...any) {
	r.remarks = append(r.remarks, fmt.Sprintf(format, args...))
}

// play lets a source give what it has to the builder. A bug in there must not lose
// what has been received.
func (r *tracingRun) play(source func() error) (err error) {
	defer func() {
		r.sink.progress.done()
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error while tracing: %v\n%s", p, debug.Stack())
		}
	}()
	return source()
}

// finish makes the profile of what there is.
func (r *tracingRun) finish(endReason string) *profile.Profile {
	a := profile.Acquisition{
		Command: r.flags.command, Version: versionString(), Method: profile.MethodTrace, Probe: r.source,
		EndReason: endReason, Remarks: r.remarks,
	}
	if r.program != nil {
		a.Remarks = append(a.Remarks, r.program.Remarks()...)
	}
	// In between the target's clock counts, which an emulator's is not the host's.
	p := r.builder.Finish(a, 0)
	p.Duration += r.sink.silence(r.took)
	p.Trace.Bytes, p.Trace.Firmware = r.bytes, r.sink.name
	if r.program == nil {
		p.Mapping.Name = r.sink.name
	}
	return p
}

// deliver writes the outputs and the summary.
func (r *tracingRun) deliver(p *profile.Profile) error {
	f := r.flags
	top := f.top
	if top == 0 {
		top = -1
	}
	return r.app.deliver(p, outputs{paths: f.outputs, quiet: f.quiet, json: f.json, sort: f.order, gmon: f.gmon, functions: top})
}

// conclude is what the command returns: the error of the run, of its outputs, the
// signal that cut a run with a duration short, or that there was nothing.
func (r *tracingRun) conclude(ctx context.Context, p *profile.Profile, runErr, outputErr error) error {
	if err := errors.Join(runErr, outputErr); err != nil {
		return err
	}
	var sig *signalError
	if r.flags.duration != 0 && errors.As(context.Cause(ctx), &sig) {
		return sig
	}
	if p.Trace.Calls == 0 && p.Trace.LostCalls > 0 {
		return fmt.Errorf("%w: %d were lost or left out of the %s from %s", errNoneRead, p.Trace.LostCalls, countBytes(p.Trace.Bytes), r.source)
	}
	if p.Trace.Calls == 0 {
		return fmt.Errorf("%w in %s from %s", errNoCalls, countBytes(p.Trace.Bytes), r.source)
	}
	return nil
}

func countBytes(n uint64) string {
	if n == 1 {
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", n)
}

// nameless knows no function, but the exceptions of the architecture.
type nameless struct{ *symbol.Image }

// Lookup finds nothing.
func (nameless) Lookup(uint32) []symbol.Location { return nil }

// Region finds nothing: an address is a better name.
func (nameless) Region(uint32) string { return "" }

// elfArguments are the ELF files of the command line, to type again.
func (f *traceFlags) elfArguments(args []string) (words []string) {
	for _, e := range f.extra {
		words = append(words, "--extra-elf", e)
	}
	return append(words, args...)
}
