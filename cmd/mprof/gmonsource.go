package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mprof/mprof/gmon"
	"github.com/mprof/mprof/gmon/counters"
)

// gmonSource is where counters come from.
type gmonSource interface {
	clock() counters.Clock
	// begin makes the next reading hold only what is counted from now on.
	begin(ctx context.Context) error
	// next is what was counted since begin or the reading before. A reading that could be taken and
	// not cleared comes with the error.
	next(ctx context.Context) (*gmonReading, error)
	// reset has the target clear its counters, and says what it had counted.
	reset(ctx context.Context) (string, error)
	// close leaves the target running. ended is the error that ended the run, nil: none.
	close(ended error) error
}

// gmonReading is one reading, and what is to be known of it.
type gmonReading struct {
	data    *gmon.Data
	Ticks   uint32  `json:"ticks,omitempty"`
	Counted uint64  `json:"counted"` // of them, in the histogram
	Arcs    int     `json:"arcs"`
	Seconds float64 `json:"interval_s"` // of a tick
	Took    float64 `json:"took_s"`
	Halted  float64 `json:"halted_s"`
	Reset   bool    `json:"reset"`

	Outside   uint32   `json:"outside,omitempty"`
	Saturated uint32   `json:"saturated,omitempty"`
	ArcsLost  uint32   `json:"calls_lost,omitempty"`
	Remarks   []string `json:"remarks"`
	Files     []string `json:"files"`
}

// blockSource reads the block of firmware/gprof, in whatever way its memory is reached.
type blockSource struct {
	*counters.Target
	options counters.FetchOptions
	last    *counters.Counts // of the reading before; nil: all that was counted
	parts   bool             // readings hold what was counted since the one before
	closing func(ended error) error
}

func (s *blockSource) clock() counters.Clock { return s.Clock }

func (s *blockSource) close(ended error) error { return s.closing(ended) }

// idle tells whether a target has nothing to give yet, or any more.
func idle(err error) bool {
	return errors.Is(err, counters.ErrNotStarted) || errors.Is(err, counters.ErrOff)
}

func (s *blockSource) begin(ctx context.Context) error {
	s.parts = true
	if s.options.Reset {
		_, _, err := s.Target.Reset(ctx)
		if idle(err) {
			return nil
		}
		return err
	}
	f, err := s.Target.Fetch(ctx, s.options)
	if err == nil {
		s.last = f.Counts
	}
	if idle(err) { // what it counts later is from now on
		return nil
	}
	return err
}

func (s *blockSource) next(ctx context.Context) (*gmonReading, error) {
	f, err := s.Target.Fetch(ctx, s.options)
	if f.Counts == nil {
		return nil, err
	}
	counts, remarks := f.Counts, f.Exactness()
	if s.last != nil {
		var ok bool
		if counts, ok = f.Since(s.last); !ok {
			remarks = append(remarks, "the counters were cleared since the reading before: what was counted until then is in no file")
		}
	}
	if s.last = nil; s.parts && !f.Reset {
		s.last = f.Counts
	}
	b := &counts.After
	d := counts.Data()
	return &gmonReading{
		data: d, Ticks: b.Ticks, Counted: counts.Total(), Arcs: len(d.Arcs), Seconds: b.Interval(),
		Took: f.Took.Seconds(), Halted: f.Halted.Seconds(), Reset: f.Reset,
		Outside: b.Outside, Saturated: b.Saturated, ArcsLost: b.ArcsLost,
		Remarks: append(remarks, counts.Remarks()...),
	}, err
}

func (s *blockSource) reset(ctx context.Context) (string, error) {
	before, _, err := s.Target.Reset(ctx)
	if err != nil {
		return "", err
	}
	took := time.Duration(float64(before.Ticks) * before.Interval() * float64(time.Second))
	return fmt.Sprintf("the firmware has cleared its counters: %d ticks in %v", before.Ticks, took.Round(time.Millisecond)), nil
}
