//go:build !linux

package schedule

import "time"

// timerLate is how much later than asked for Go's timers fire.
const timerLate = 0

// doze sleeps for d.
func doze(d time.Duration) { time.Sleep(d) }
