package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"time"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/symbol"
)

// samplingRun is one run on a target: the core that is attached, where the
// samples go, and what they have added up to.
type samplingRun struct {
	app       *app
	flags     *sampleFlags
	core      attachedCore
	sampler   sampler
	method    string // how it samples
	stacks    *stacks
	recording *snapshot.Writer
	path      string // of the recording
	chip      string // its name, "" where it is not known
	header    snapshot.Header
	progress  *progress
	origin    time.Duration // of the run, on the target's clock
}

// startRun checks the images and opens the recording. On an error the core is left
// as it was found.
func (a *app) startRun(ctx context.Context, f *sampleFlags, of *symbol.Program, c attachedCore) (*samplingRun, error) {
	r := &samplingRun{app: a, flags: f, core: c}
	if err := r.begin(ctx, of); err != nil {
		if left := c.detach(nil); left != nil {
			return nil, errors.Join(err, left)
		}
		return nil, interrupted(ctx, err)
	}
	return r, nil
}

// begin does what can fail between attaching and the first sample.
func (r *samplingRun) begin(ctx context.Context, of *symbol.Program) (err error) {
	r.chip = r.core.chip(ctx)
	verifyErr := verifyImages(ctx, r.core, of)
	var mismatch *symbol.MismatchError
	if verifyErr != nil && !(r.flags.force && errors.As(verifyErr, &mismatch)) {
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
	of.SetChip(r.chip)
	if r.stacks, err = newStacks(of, profileOptions(r.header, of), recordedUnwinding(r.header)); err != nil {
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
	r.path = recordingPath(r.flags)
	r.recording, err = snapshot.Create(r.path, r.header)
	return err
}

// run takes samples until the duration, a signal or an error ends it. The
// core is detached when it returns, also after a panic.
func (r *samplingRun) run(ctx context.Context) (err error) {
	r.progress = newProgress(r.app.stderr, r.app.errTerminal && !r.flags.quiet, time.Duration(r.flags.duration))
	r.origin = r.core.clock().Now()
	defer func() {
		r.progress.done()
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
			return nil // a signal: context.Cause says which
		case err != nil:
			return err
		}
		if err := r.take(s); err != nil {
			return err
		}
	}
}

// take keeps one sample: in the recording first.
func (r *samplingRun) take(s *snapshot.Snapshot) error {
	if err := r.recording.Append(s); err != nil {
		return err
	}
	if err := r.tell(); err != nil {
		return err
	}
	r.sampler.Learn(s, r.stacks.add(s))
	r.progress.update(s.Time, r.stacks.taken, r.stacks.halted, r.stacks.cut)
	return nil
}

// finish closes the recording and makes the profile of what there is.
func (r *samplingRun) finish(ctx context.Context, runErr error) *profile.Profile {
	took := r.core.clock().Now() - r.origin
	if err := r.tell(); err != nil { // what happened behind the last sample
		r.stacks.remark("%v", err)
	}
	for _, text := range r.sampler.Remarks() {
		r.stacks.remark("%s", text)
	}
	facts := append([][2]string{{keyElapsed, took.String()}}, r.sampler.facts()...)
	end := snapshot.End{Reason: endReason(ctx, runErr), Facts: map[string]string{}}
	for _, f := range facts {
		end.Facts[f[0]] = f[1]
	}
	if err := r.recording.Finish(end.Reason, facts...); err != nil {
		r.stacks.remark("%v", err)
	}
	r.stacks.remarkTroubles(end)
	if share := float64(r.stacks.halted) / float64(max(took, 1)); share > dearShare {
		r.stacks.remark("the core stood still for %.0f %% of the run, so whatever depends on time ran late: a lower --rate or --max-overhead takes less, and so does a faster probe", 100*share)
	}
	return r.stacks.profile(recordedAcquisition(r.header, end), took)
}

// dearShare is the share of stolen time that a user should be told of.
const dearShare = 0.1

// endReason says in words why a run ended.
func endReason(ctx context.Context, runErr error) string {
	var sig *signalError
	switch {
	case runErr != nil:
		return runErr.Error()
	case errors.As(context.Cause(ctx), &sig):
		return sig.Error()
	}
	return "duration reached"
}

// conclude removes the recording unless somebody wants it, and returns what
// the command returns: the error of the run, of its outputs, or the signal
// that cut a run with a duration short.
func (r *samplingRun) conclude(ctx context.Context, p *profile.Profile, runErr, outputErr error) error {
	if r.flags.record == "" && outputErr == nil {
		_ = os.Remove(r.path)
	} else if outputErr != nil {
		outputErr = fmt.Errorf("%w\n  all samples are in %s: mprof convert makes profiles from it", outputErr, r.path)
	}
	if err := errors.Join(runErr, outputErr); err != nil {
		return err
	}
	var sig *signalError
	if r.flags.duration != 0 && errors.As(context.Cause(ctx), &sig) {
		return sig
	}
	return noSamples(p)
}
