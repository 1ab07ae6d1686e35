//go:build linux

package usbfs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// fifo is the device node. usbfs lets poll(POLLOUT) return when a transfer is
// complete; a FIFO does when it has room. So it is kept full, and emptied while
// something can be reaped.
type fifo struct {
	fd    int
	ready bool
}

// onePage is the smallest capacity that Linux gives a pipe.
const onePage = 4096

func newFIFO(dir string, address int) (*fifo, error) {
	path := filepath.Join(dir, "dev", node(address))
	if err := syscall.Mkfifo(path, 0o666); err != nil {
		return nil, fmt.Errorf("mkfifo %s: %w", path, err)
	}
	if err := os.Chmod(path, 0o666); err != nil { // whatever the umask
		return nil, err
	}
	fd, err := syscall.Open(path, syscall.O_RDWR|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	f := &fifo{fd: fd, ready: true}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETPIPE_SZ, onePage); err != nil {
		syscall.Close(fd)
		return nil, fmt.Errorf("shrink %s: %w", path, err)
	}
	return f, f.set(false)
}

// set makes the node writable or not.
func (f *fifo) set(ready bool) error {
	if f.ready == ready {
		return nil
	}
	f.ready = ready
	buf := make([]byte, onePage)
	for {
		var err error
		if ready {
			_, err = syscall.Read(f.fd, buf)
		} else {
			_, err = syscall.Write(f.fd, buf)
		}
		switch {
		case errors.Is(err, syscall.EAGAIN):
			return nil
		case errors.Is(err, syscall.EINTR), err == nil:
		default:
			return err
		}
	}
}

func (f *fifo) close() { syscall.Close(f.fd) }
