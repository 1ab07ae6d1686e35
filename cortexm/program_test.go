package cortexm_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"

	"github.com/mprof/mprof/cortexm"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/symbol"
	"github.com/mprof/mprof/unwind"
)

// newUnwinder makes the unwinder of an image as the command does.
func newUnwinder(t testing.TB, file []byte) *unwind.Unwinder {
	t.Helper()
	image, err := symbol.New(bytes.NewReader(file), int64(len(file)), "test.elf")
	if err != nil {
		t.Fatal(err)
	}
	p := unwind.Program{ReadCode: image.ReadCode}
	p.DebugFrame, _, _ = image.Section(".debug_frame")
	p.EHFrame, p.EHFrameAt, _ = image.Section(".eh_frame")
	for _, r := range image.CodeRanges() {
		p.Code = append(p.Code, unwind.Range(r))
	}
	p.Function = func(pc uint32) (unwind.Range, bool) {
		r, ok := image.Bounds(pc)
		return unwind.Range(r), ok
	}
	if pc, ok := image.ResetHandler(); ok {
		p.Outermost = append(p.Outermost, pc)
	}
	u, err := unwind.New(p)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// sampled is a sample with what became of it.
type sampled struct {
	*snapshot.Snapshot
	used []cortexm.Extent
	stop unwind.Stop
}

// profile samples with the real unwinder as the teacher, until the run ends;
// before and after, where not nil, are called around each sample.
func (b *bench) profile(t testing.TB, s *cortexm.Sampler, u *unwind.Unwinder, each func(sampled)) {
	t.Helper()
	var frames []unwind.Frame
	for {
		sp, err := s.Next(context.Background())
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		x := sampled{Snapshot: sp, stop: unwind.Stop{Reason: unwind.NoSample}}
		if sp.Miss == snapshot.Taken {
			frames, x.stop = u.Unwind(frames[:0], sp)
			for _, r := range u.Touched() {
				x.used = append(x.used, cortexm.Extent(r))
			}
			s.Learn(sp, x.used)
		}
		each(x)
	}
}
