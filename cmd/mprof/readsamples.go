package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/symbol"
)

// buildError says that a recording or a profile was made of another build than an ELF
// file.
type buildError struct{ what, recorded, path, found string }

func (e *buildError) Error() string {
	return fmt.Sprintf("the %s was made of another build (build id %s) than %s (%s)", e.what, e.recorded, e.path, e.found)
}

// checkBuild compares build ids, where both have one.
func checkBuild(what, recorded string, image *symbol.Image) error {
	id := fmt.Sprintf("%x", image.BuildID())
	if recorded == "" || id == recorded {
		return nil
	}
	return &buildError{what, recorded, image.Path(), cmp.Or(id, "no build id")}
}

// readSamples makes a profile of a recording of samples.
func (f *convertFlags) readSamples(ctx context.Context, in io.Reader) (*profile.Profile, *symbol.Program, error) {
	recording, err := snapshot.NewReader(in, f.input)
	if err != nil {
		return nil, nil, err
	}
	header := recording.Header()
	app, err := openImageBy(f.elfArgument(header), symbol.OpenAny)
	if err != nil {
		return nil, nil, err
	}
	of, remarks, err := joinRecorded(app, f.extra, recordedExtra(header), symbol.OpenAny)
	if err != nil {
		return nil, nil, err
	}
	of.SetChip(header.Parameters[keyChip])
	buildErr := checkBuild("recording", header.BuildID, of.App())
	if buildErr != nil && !f.force {
		return nil, nil, buildErr
	}
	if err := f.chooseMethod(header); err != nil {
		return nil, nil, err
	}
	w := recordedUnwinding(header)
	remark, err := w.check(of)
	if err != nil {
		return nil, nil, err
	}
	s, err := newStacks(of, profileOptions(header, of), w)
	if err != nil {
		return nil, nil, err
	}
	if remark != "" {
		s.remark("%s", remark)
	}
	if buildErr != nil {
		s.remark("%v; converted all the same (--force), so functions may carry the wrong names", buildErr)
	}
	s.remarks = append(s.remarks, remarks...)
	if err := s.addAll(ctx, recording); err != nil {
		return nil, nil, err
	}
	for _, e := range recording.Events() {
		s.event(e)
	}
	end, _ := recording.End()
	s.remarkTroubles(end)
	return s.profile(recordedAcquisition(header, end), elapsed(end, s.last)), of, nil
}

// chooseMethod makes the header say what is to be made of the samples. PCs have
// no stacks to be found.
func (f *convertFlags) chooseMethod(h snapshot.Header) error {
	recorded := cmp.Or(h.Parameters[keyMethod], profile.MethodDWARF)
	w := recordedUnwinding(h)
	w.noGuess = w.noGuess || f.noGuess
	switch {
	case f.method.value == methodAuto || f.method.value == profile.MethodPC && recorded == profile.MethodPC:
	case recorded == profile.MethodPC || recorded == profile.MethodPCSR:
		return fmt.Errorf("--method %s: the recording was made with --method %s", f.method.value, recorded)
	default:
		h.Parameters[keyMethod] = f.method.value
		w = unwindingOf(f.method.value, w.noGuess)
	}
	w.parameters(h.Parameters)
	return nil
}

// elfArgument is the ELF file of a recording, unless another one is named.
func (f *convertFlags) elfArgument(h snapshot.Header) []string {
	switch {
	case f.elf != "":
		return []string{f.elf}
	case h.ELF == builtInPath || h.ELF == "":
		return nil
	}
	return []string{h.ELF}
}

// recordedExtra are the ELF files beside the application's that a recording
// was made with.
func recordedExtra(h snapshot.Header) []string {
	return strings.FieldsFunc(h.Parameters[keyExtraELF], func(r rune) bool { return r == '\n' })
}

// addAll reads a recording to its end; a cut is a remark, not an error.
func (s *stacks) addAll(ctx context.Context, source snapshot.Source) error {
	for {
		snap, err := source.Next(ctx)
		var cut *snapshot.CutError
		switch {
		case err == nil:
			s.add(snap)
		case errors.As(err, &cut):
			s.remark("%v", cut)
			return nil
		case errors.Is(err, io.EOF):
			return nil
		default:
			return err
		}
	}
}

// elapsed is how long the run took: what its end says, or else the time of
// the last sample.
func elapsed(end snapshot.End, last time.Duration) time.Duration {
	if d, err := time.ParseDuration(end.Facts[keyElapsed]); err == nil {
		return max(d, last)
	}
	return last
}
