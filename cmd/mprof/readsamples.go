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

// readOptions say how to read a recording.
type readOptions struct {
	elf     string   // in place of the file that it names
	extra   []string // in place of those that it names
	method  string   // "" and methodAuto: as it was recorded
	noGuess bool     // cut a stack where no method knows the caller
	force   bool     // go on though the ELF file is of another build
}

// readSamples makes a profile of a recording of samples. name is what errors call it.
func readSamples(ctx context.Context, in io.Reader, name string, o readOptions) (*profile.Profile, *symbol.Program, error) {
	recording, err := snapshot.NewReader(in, name)
	if err != nil {
		return nil, nil, err
	}
	header := recording.Header()
	app, err := openAnyImage(cmp.Or(o.elf, recordedELF(header)))
	if err != nil {
		return nil, nil, err
	}
	of, remarks, err := joinRecorded(app, o.extra, recordedExtra(header))
	if err != nil {
		return nil, nil, err
	}
	of.SetChip(header.Parameters[keyChip])
	buildErr := checkBuild("recording", header.BuildID, of.App())
	if buildErr != nil && !o.force {
		return nil, nil, buildErr
	}
	if err := o.chooseMethod(header); err != nil {
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
func (o *readOptions) chooseMethod(h snapshot.Header) error {
	recorded := cmp.Or(h.Parameters[keyMethod], profile.MethodDWARF)
	w := recordedUnwinding(h)
	w.noGuess = w.noGuess || o.noGuess
	switch {
	case o.method == methodAuto || o.method == "" || o.method == profile.MethodPC && recorded == profile.MethodPC:
	case recorded == profile.MethodPC || recorded == profile.MethodPCSR:
		return fmt.Errorf("--method %s: the recording was made with --method %s", o.method, recorded)
	default:
		h.Parameters[keyMethod] = o.method
		w = unwindingOf(o.method, w.noGuess)
	}
	w.parameters(h.Parameters)
	return nil
}

// recordedELF is the ELF file of a recording; "" is the built-in one.
func recordedELF(h snapshot.Header) string {
	if h.ELF == builtInPath {
		return ""
	}
	return h.ELF
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
