package sim

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// doze sleeps for d, some 20 us more. The timers of Go's runtime are a
// millisecond late, because an idle process waits in epoll_wait(2), and the
// kernel adds 50 us to what it is asked for unless the timer slack is less
// (prctl(2), PR_SET_TIMERSLACK; 0 puts the default back).
func doze(d time.Duration) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	// Without the finer slack the sleep is only a little longer, as with a
	// signal it is shorter.
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
	ts := unix.NsecToTimespec(int64(d))
	_ = unix.Nanosleep(&ts, nil)
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 0, 0, 0, 0)
}
