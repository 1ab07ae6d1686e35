package schedule

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

// Sleep waits for d or for the end of ctx. It ends some 20 us late on Linux, so
// that intervals of 200 us are possible; the last 2 ms are not cancelled.
func (w Wall) Sleep(ctx context.Context, d time.Duration) error {
	end := time.Now().Add(d)
	if d > timerLate {
		t := time.NewTimer(d - timerLate)
		defer t.Stop()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-t.C:
		}
	}
	for left := time.Until(end); left > 0; left = time.Until(end) {
		doze(left)
	}
	return ctx.Err()
}
