package check

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/mprof/mprof/cortexm"
	"github.com/mprof/mprof/snapshot"
)

const (
	sampleRate = 100 // Hz
	sampleTime = time.Second
)

// sampling is the whole of it, for a second: what mprof sample would do.
func sampling(b *bench, ctx context.Context) (f Finding, err error) {
	s, err := cortexm.NewSampler(b.core, cortexm.SampleOptions{Rate: sampleRate, Duration: sampleTime, Clock: b.clock, Seed: 1})
	if err != nil {
		return f, err
	}
	for {
		sp, err := s.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return f, err
		}
		b.stood(sp.Halted)
	}
	st := s.Stats()
	f.fact("%d samples asked for, %d taken", st.Asked, st.Taken)
	for m, n := range st.Missed {
		if n > 0 {
			f.fact("%d missed: %v", n, snapshot.Miss(m))
		}
	}
	f.fact("plan: %s", st.Plan)
	f.short("%d of %d taken", st.Taken, st.Asked)
	f.value("asked", float64(st.Asked))
	f.value("taken", float64(st.Taken))
	f.judge(st.Taken*20 >= st.Asked*19, "ready for mprof sample", "samples are missed: the reasons stand above")
	return f, nil
}
