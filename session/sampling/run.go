// Package sampling samples a core. In: a target, its program, how to sample. Out: a
// recording as it goes, and a profile in the end, also of an old recording; the core runs on.
package sampling

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"time"

	"github.com/mprof/mprof/live"
	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/session/target"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/symbol"
)

// Run is one run on a target: the core that is attached, where the
// samples go, and what they have added up to.
type Run struct {
	options   *Options
	core      attachedCore
	sampler   sampler
	method    string // how it samples
	stacks    *Stacks
	recording *snapshot.Writer
	chipName  string // "" where it is not known
	header    snapshot.Header
	origin    time.Duration // of the run, on the target's clock
	begun     time.Time     // the same on the host's
	paced     bool
}

// Open attaches to the core, compares its memory with the program, and opens the
// recording. On an error the core is left as it was found.
func Open(ctx context.Context, o Options, of *symbol.Program) (*Run, error) {
	remark, err := o.checkProgram(of)
	if err != nil {
		return nil, err
	}
	r := &Run{options: &o}
	if r.core, err = attach(ctx, r.options, of); err != nil {
		return nil, err
	}
	if err := r.begin(ctx, of); err != nil {
		return nil, errors.Join(err, r.core.detach(nil))
	}
	if remark != "" {
		r.stacks.remark("%s", remark)
	}
	return r, nil
}

// attach attaches to the core that the options name.
func attach(ctx context.Context, o *Options, of *symbol.Program) (attachedCore, error) {
	if target.IsGDB(o.Target.Probe) {
		return attachGDB(ctx, o, of)
	}
	return attachProbe(ctx, o)
}

// begin does what can fail between attaching and the first sample.
func (r *Run) begin(ctx context.Context, of *symbol.Program) (err error) {
	r.chipName = r.core.chip(ctx)
	verifyErr := target.Verify(ctx, r.core, of)
	var mismatch *symbol.MismatchError
	if verifyErr != nil && !(r.options.Force && errors.As(verifyErr, &mismatch)) {
		return verifyErr
	}
	remarks, err := r.core.reset(ctx)
	if err != nil {
		return err
	}
	needs := func(reg snapshot.Reg) bool { return r.stacks.unwinder.Consulted(reg) }
	var remark string
	if r.sampler, r.method, remark, err = r.core.newSampler(ctx, of, needs); err != nil {
		return err
	}
	r.header = r.recordingHeader(of)
	of.SetChip(r.chipName)
	if r.stacks, err = NewStacks(of, profileOptions(r.header, of), recordedUnwinding(r.header)); err != nil {
		return err
	}
	if verifyErr != nil {
		r.stacks.remark("%v; sampled all the same (--force), so functions may carry the wrong names", verifyErr)
	}
	for _, text := range append(remarks, remark) {
		if text != "" {
			r.stacks.remark("%s", text)
		}
	}
	if r.recording, err = snapshot.Create(r.options.Recording, r.header); err != nil {
		return err
	}
	if m := r.options.Model; m != nil {
		m.WatchSamples(r.stacks.builder, live.Setup{Source: r.Source()})
		for _, text := range r.stacks.remarks {
			m.Remark(text)
		}
	}
	return nil
}

// Source reads the source files of the program.
func (r *Run) Source() func(file string) (string, bool) {
	return profileOptions(r.header, r.stacks.Program).Source
}

// ELF is the application's file.
func (r *Run) ELF() string { return r.header.ELF }

// Found is what a run samples, through what.
type Found struct {
	Core  string // and which of several
	Chip  string // "" where it is not known
	Probe string // or GDB server
}

// Found says what is sampled.
func (r *Run) Found() Found {
	return Found{Core: r.header.Core, Chip: r.chipName, Probe: r.header.Probe}
}

// Sample takes samples until the duration, the context or an error ends it; the end of the
// context is no error. The core is detached when it returns, also after a panic.
func (r *Run) Sample(ctx context.Context) (err error) {
	r.origin, r.begun = r.core.clock().Now(), time.Now()
	r.paced = r.options.Paced && r.header.Parameters[keyClock] == target.VirtualTime
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error while sampling: %v\n%s", p, debug.Stack())
		}
		err = errors.Join(err, r.core.detach(err))
	}()
	if err := r.core.run(ctx); err != nil {
		return err
	}
	for {
		s, err := r.sampler.Next(ctx)
		switch {
		case err == io.EOF: // alone: a connection that ended may be in the chain of another error
			return nil
		case err != nil && ctx.Err() != nil:
			return nil // context.Cause says why
		case err != nil:
			return err
		}
		if err := r.take(s); err != nil {
			return err
		}
		if r.paced {
			r.pace(ctx, s.Time)
		}
	}
}

// pace waits until as much time has passed on the host's clock as on the target's.
func (r *Run) pace(ctx context.Context, at time.Duration) {
	const least = 2 * time.Millisecond // of a sleep that is worth it
	ahead := at - time.Since(r.begun)
	if ahead < least {
		return
	}
	select {
	case <-ctx.Done():
	case <-time.After(ahead):
	}
}

// take keeps one sample: in the recording first.
func (r *Run) take(s *snapshot.Snapshot) error {
	if err := r.recording.Append(s); err != nil {
		return err
	}
	if err := r.tell(); err != nil {
		return err
	}
	r.sampler.Learn(s, r.stacks.Add(s))
	if r.options.Progress != nil {
		r.options.Progress(Progress{s.Time, r.stacks.taken, r.stacks.halted, r.stacks.cut})
	}
	return nil
}

// Finish closes the recording and makes the profile of what there is. runErr is what
// sample returned.
func (r *Run) Finish(ctx context.Context, runErr error) *profile.Profile {
	took := r.core.clock().Now() - r.origin
	if err := r.tell(); err != nil { // what happened behind the last sample
		r.stacks.remark("%v", err)
	}
	for _, text := range r.sampler.Remarks() {
		r.stacks.remark("%s", text)
	}
	facts := append([][2]string{{keyElapsed, took.String()}}, r.sampler.facts()...)
	end := snapshot.End{Reason: target.EndReason(ctx, runErr), Facts: map[string]string{}}
	for _, f := range facts {
		end.Facts[f[0]] = f[1]
	}
	if err := r.recording.Finish(end.Reason, facts...); err != nil {
		r.stacks.remark("%v", err)
	}
	r.stacks.remarkTroubles(end)
	r.stacks.remarkStolen(took)
	p := r.stacks.Profile(recordedAcquisition(r.header, end), took)
	if r.options.Model != nil {
		r.options.Model.Finish(p)
	}
	return p
}
