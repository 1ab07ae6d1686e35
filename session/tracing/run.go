// Package tracing traces calls. In: a port with instrumented firmware behind it, or a
// recording of its bytes. Out: a recording as it goes, and a profile in the end.
package tracing

import (
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/symbol"
	"github.com/mprof/mprof/trace"
	"github.com/mprof/mprof/trace/calls"
)

// Run is one trace: where its bytes come from, and what they have added up
// to.
type Run struct {
	options Options
	Program *symbol.Program // nil: no ELF file was named
	builder *calls.Builder
	sink    *sink
	session *trace.Session // with what is behind a port
	raw     *rawFile
	remarks []string
	took    time.Duration // on the host's clock; of a recording 0
	bytes   uint64        // that came
	source  string        // what the bytes came from, for the profile
}

// New reads the ELF files, and prepares for their calls.
func New(o Options) (*Run, error) {
	r := &Run{options: o}
	started := o.Started // zero for a recording, which does not say when it was
	if o.Port != "" {
		started = time.Now()
	}
	var err error
	if r.Program, err = o.program(); err != nil {
		return nil, err
	}
	if r.Program == nil {
		r.remark("no ELF file was named, so functions are addresses")
	}
	r.builder = o.builder(r.Program, started)
	return r, nil
}

// buildID is that of the application; nil where no ELF file was named.
func (r *Run) buildID() []byte {
	if r.Program == nil {
		return nil
	}
	return append([]byte{}, r.Program.App().BuildID()...)
}

func (r *Run) remark(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	r.remarks = append(r.remarks, text)
	if r.options.Model != nil {
		r.options.Model.Remark(text)
	}
}

// play lets a source give what it has to the builder. A bug in there must not lose
// what has been received.
func (r *Run) play(source func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error while tracing: %v\n%s", p, debug.Stack())
		}
	}()
	return source()
}

// finish makes the profile of what there is.
func (r *Run) finish(endReason string) *profile.Profile {
	a := profile.Acquisition{
		Command: r.options.Command, Version: r.options.Version, Method: profile.MethodTrace, Probe: r.source,
		EndReason: endReason, Remarks: r.remarks,
	}
	if r.Program != nil {
		a.Remarks = append(a.Remarks, r.Program.Remarks()...)
	}
	// In between the target's clock counts, which an emulator's is not the host's.
	p := r.builder.Finish(a, 0)
	p.Duration += r.sink.silence(r.took)
	p.Trace.Bytes, p.Trace.Firmware = r.bytes, r.sink.name
	if r.Program == nil {
		p.Mapping.Name = r.sink.name
	}
	if r.options.Model != nil {
		r.options.Model.Finish(p)
	}
	return p
}

// ErrNoCalls is the error of a run in which no call returned.
var ErrNoCalls = errors.New("no traced call returned")

// ErrNoneRead is the error of a run in which calls returned, none of which is known.
var ErrNoneRead = errors.New("no traced call could be read")

// CheckCalls is the error of a profile that there is nothing in.
func CheckCalls(p *profile.Profile) error {
	if p.Trace.Calls == 0 && p.Trace.LostCalls > 0 {
		return fmt.Errorf("%w: %d were lost or left out of the %s from %s", ErrNoneRead, p.Trace.LostCalls, countBytes(p.Trace.Bytes), p.Taken.Probe)
	}
	if p.Trace.Calls == 0 {
		return fmt.Errorf("%w in %s from %s", ErrNoCalls, countBytes(p.Trace.Bytes), p.Taken.Probe)
	}
	return nil
}
