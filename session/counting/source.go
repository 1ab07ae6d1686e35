package counting

import (
	"context"
	"errors"
	"time"

	"github.com/mprof/mprof/gmon"
	"github.com/mprof/mprof/gmon/counters"
)

// source is where counters come from.
type source interface {
	clock() counters.Clock
	// begin makes the next reading hold only what is counted from now on.
	begin(ctx context.Context) error
	// next is what was counted since begin or the reading before. A reading that could be taken and
	// not cleared comes with the error.
	next(ctx context.Context) (*Reading, error)
	// reset has the target clear its counters.
	reset(ctx context.Context) (*Cleared, error)
	// close leaves the target running. ended is the error that ended the run, nil: none.
	close(ended error) error
}

// Reading is what one reading gave, and what is to be known of it.
type Reading struct {
	Number   int           // of its interval, from 1; 0: the run has this one
	Data     *gmon.Data    // the contents of a gmon.out
	Ticks    uint32        // of the target's timer; 0: not known
	Counted  uint64        // of them, in the histogram
	Interval float64       // between two ticks, seconds
	Took     time.Duration // from the first word to the last
	Halted   time.Duration // the core, for it
	Reset    bool          // the target has cleared its counters

	Outside   uint32   // ticks at addresses that are not counted
	Saturated uint32   // ticks that found their counter at its end
	ArcsLost  uint32   // calls that found no room for another arc
	Remarks   []string // sentences without a full stop, or questions
}

// Cleared is what a target had counted before it cleared its counters.
type Cleared struct {
	Ticks    uint32
	Interval float64 // between two ticks, seconds
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

func (s *blockSource) next(ctx context.Context) (*Reading, error) {
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
	return &Reading{
		Data: counts.Data(), Ticks: b.Ticks, Counted: counts.Total(), Interval: b.Interval(),
		Took: f.Took, Halted: f.Halted, Reset: f.Reset,
		Outside: b.Outside, Saturated: b.Saturated, ArcsLost: b.ArcsLost,
		Remarks: append(remarks, counts.Remarks()...),
	}, err
}

func (s *blockSource) reset(ctx context.Context) (*Cleared, error) {
	before, _, err := s.Target.Reset(ctx)
	if err != nil {
		return nil, err
	}
	return &Cleared{before.Ticks, before.Interval()}, nil
}
