package sampling

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/session/target"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/symbol"
)

// ReadOptions say how to read a recording.
type ReadOptions struct {
	ELF     string   // in place of the file that it names
	Extra   []string // in place of those that it names
	Method  string   // "" and MethodAuto: as it was recorded
	NoGuess bool     // cut a stack where no method knows the caller
	Force   bool     // go on though the ELF file is of another build
	// Program is in place of all ELF files, where somebody has read them before.
	Program *symbol.Program
	// Growing: the run goes on, so that the recording has no end yet.
	Growing bool
}

// Read makes a profile of a recording of samples. name is what errors call it.
func Read(ctx context.Context, in io.Reader, name string, o ReadOptions) (*profile.Profile, *symbol.Program, error) {
	recording, err := snapshot.NewReader(in, name)
	if err != nil {
		return nil, nil, err
	}
	header := recording.Header()
	of, remarks, err := o.program(header)
	if err != nil {
		return nil, nil, err
	}
	of.SetChip(header.Parameters[KeyChip])
	buildErr := target.CheckBuild("recording", header.BuildID, of.App())
	if buildErr != nil && !o.Force {
		return nil, nil, buildErr
	}
	if err := o.chooseMethod(header); err != nil {
		return nil, nil, err
	}
	w := recordedUnwinding(header)
	remark, err := w.Check(of)
	if err != nil {
		return nil, nil, err
	}
	s, err := NewStacks(of, profileOptions(header, of), w)
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
	if err := s.addAll(ctx, recording, o.Growing); err != nil {
		return nil, nil, err
	}
	for _, e := range recording.Events() {
		s.event(e)
	}
	end, ended := recording.End()
	if o.Growing && !ended {
		end.Reason = "the run goes on"
	}
	s.remarkTroubles(end)
	took := elapsed(end, s.last)
	s.remarkStolen(took)
	return s.Profile(recordedAcquisition(header, end), took), of, nil
}

// program is that of a recording; the remarks say what is missing of it.
func (o *ReadOptions) program(h snapshot.Header) (of *symbol.Program, remarks []string, err error) {
	if o.Program != nil {
		return o.Program, nil, nil
	}
	app, err := target.OpenAnyImage(cmp.Or(o.ELF, recordedELF(h)))
	if err != nil {
		return nil, nil, err
	}
	return target.JoinRecorded(app, o.Extra, RecordedExtra(h))
}

// chooseMethod makes the header say what is to be made of the samples. PCs have
// no stacks to be found.
func (o *ReadOptions) chooseMethod(h snapshot.Header) error {
	recorded := cmp.Or(h.Parameters[KeyMethod], profile.MethodDWARF)
	w := recordedUnwinding(h)
	w.NoGuess = w.NoGuess || o.NoGuess
	switch {
	case o.Method == MethodAuto || o.Method == "" || o.Method == profile.MethodPC && recorded == profile.MethodPC:
	case recorded == profile.MethodPC || recorded == profile.MethodPCSR:
		return fmt.Errorf("--method %s: the recording was made with --method %s", o.Method, recorded)
	default:
		h.Parameters[KeyMethod] = o.Method
		w = UnwindingOf(o.Method, w.NoGuess)
	}
	w.parameters(h.Parameters)
	return nil
}

// recordedELF is the ELF file of a recording; "" is the built-in one.
func recordedELF(h snapshot.Header) string {
	if h.ELF == target.BuiltIn {
		return ""
	}
	return h.ELF
}

// RecordedExtra are the ELF files beside the application's that a recording
// was made with.
func RecordedExtra(h snapshot.Header) []string {
	return strings.FieldsFunc(h.Parameters[keyExtraELF], func(r rune) bool { return r == '\n' })
}

// addAll reads a recording to its end; a cut is a remark, not an error. One that grows
// may end anywhere.
func (s *Stacks) addAll(ctx context.Context, source snapshot.Source, growing bool) error {
	for {
		snap, err := source.Next(ctx)
		var cut *snapshot.CutError
		switch {
		case err == nil:
			s.Add(snap)
		case growing && errors.As(err, &cut):
			return nil
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
