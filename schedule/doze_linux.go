package schedule

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// timerLate is how much later than asked for Go's timers fire: an idle process
// waits in epoll_wait(2), which counts milliseconds.
const timerLate = 2 * time.Millisecond

// doze sleeps for d, some 20 us more. The kernel would add 50 us without the
// least timer slack (prctl(2), PR_SET_TIMERSLACK; 0 puts the default back).
func doze(d time.Duration) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	// Without the finer slack the sleep is only a little longer; a signal makes
	// it shorter, and the caller looks at the clock.
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
	ts := unix.NsecToTimespec(int64(d))
	_ = unix.Nanosleep(&ts, nil)
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 0, 0, 0, 0)
}
