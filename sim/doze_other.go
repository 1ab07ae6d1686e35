//go:build !linux

package sim

import "time"

// doze sleeps for d, as exactly as Go's timers do.
func doze(d time.Duration) { time.Sleep(d) }
