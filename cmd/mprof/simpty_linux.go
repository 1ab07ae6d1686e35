package main

import "golang.org/x/sys/unix"

// ptyTellsWho: a pseudo-terminal whose other side nobody has open hangs up.
const ptyTellsWho = true

// listening tells whether somebody has the terminal open.
func (e *ptyEnding) listening() bool {
	c, err := e.ends.SyscallConn()
	if err != nil {
		return false
	}
	var hungUp bool
	err = c.Control(func(fd uintptr) {
		set := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		_, err := unix.Poll(set, 0)
		hungUp = err != nil || set[0].Revents&unix.POLLHUP != 0 && set[0].Revents&unix.POLLIN == 0
	})
	return err == nil && !hungUp
}
