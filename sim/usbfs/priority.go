//go:build linux

package usbfs

import (
	"os"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"
)

// prefer asks the kernel once to run this process, and those that it starts,
// before others, where it is allowed to: a packet takes a dozen messages from
// process to process, and each would wait for its turn on a busy machine.
var prefer = sync.OnceFunc(func() {
	const niceness = -10
	tasks, _ := os.ReadDir("/proc/self/task")
	for _, t := range tasks { // threads to come inherit it
		if id, err := strconv.Atoi(t.Name()); err == nil {
			_ = unix.Setpriority(unix.PRIO_PROCESS, id, niceness)
		}
	}
})
