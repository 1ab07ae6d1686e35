package qemu

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// pipeBytes is what a pipe keeps for a host that does not read: 10 s at 921600 baud. A pseudo-terminal
// keeps 64 KiB (proc(5), pipe-max-size, says how much a user may have).
const pipeBytes = 1 << 20

// pipes are the host's end of a serial port of which each direction is a pipe.
type pipes struct{ from, to *os.File }

func (p pipes) Read(b []byte) (int, error)  { return p.from.Read(b) }
func (p pipes) Write(b []byte) (int, error) { return p.to.Write(b) }
func (p pipes) Close() error                { return errors.Join(p.from.Close(), p.to.Close()) }

// openPipes makes the pipes of a serial port, and returns the value of -serial.
func (m *Machine) openPipes() (string, error) {
	path := filepath.Join(m.dir, "serial")
	var p pipes
	for name, file := range map[string]**os.File{".out": &p.from, ".in": &p.to} {
		err := syscall.Mkfifo(path+name, 0o600)
		if err == nil {
			*file, err = os.OpenFile(path+name, os.O_RDWR|syscall.O_NONBLOCK, 0) // open at once, and to be waited for
		}
		if err != nil {
			return "", fmt.Errorf("qemu: %w", err)
		}
	}
	raw, err := p.from.SyscallConn()
	if err != nil {
		return "", fmt.Errorf("qemu: %w", err)
	}
	var sized error
	err = raw.Control(func(fd uintptr) { _, sized = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeBytes) })
	if err := errors.Join(err, sized); err != nil {
		return "", fmt.Errorf("qemu: a pipe of %d bytes: %w", pipeBytes, err)
	}
	m.Pipe = p
	return "pipe:" + path, nil
}
