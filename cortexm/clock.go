package cortexm

import "github.com/mprof/mprof/schedule"

// Clock is the time of a sampling run.
type Clock = schedule.Clock

// Wall is the host's monotonic clock.
type Wall = schedule.Wall

// NewWall returns a clock whose zero is now.
func NewWall() Wall { return schedule.NewWall() }
