package cortexm

import (
	"context"
	"time"
)

// Clock is the time of a sampling run, from an arbitrary zero. Wall is the
// clock of the host; the simulated board has one of its own, so that a run on
// it is deterministic and goes as fast as the machine allows.
type Clock interface {
	Now() time.Duration
	Sleep(ctx context.Context, d time.Duration) error
}

// Wall is the host's monotonic clock.
type Wall struct{ start time.Time }

// NewWall returns a clock whose zero is now.
func NewWall() Wall { return Wall{start: time.Now()} }

// Now is the time since NewWall.
func (w Wall) Now() time.Duration { return time.Since(w.start) }

// Sleep waits for d or for the end of ctx.
func (w Wall) Sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
