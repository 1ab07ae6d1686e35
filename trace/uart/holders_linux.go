package uart

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// holders are the programs that have a port open for reading, as far as this user may
// see them, from proc(5).
func holders(proc, name string) []string {
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		return nil
	}
	processes, _ := os.ReadDir(proc)
	var found []string
	for _, p := range processes {
		pid, err := strconv.Atoi(p.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		dir := filepath.Join(proc, p.Name())
		files, _ := os.ReadDir(filepath.Join(dir, "fd"))
		for _, f := range files {
			to, err := os.Readlink(filepath.Join(dir, "fd", f.Name()))
			if err == nil && to == real && reads(filepath.Join(dir, "fdinfo", f.Name())) {
				found = append(found, fmt.Sprintf("%s (pid %d)", line(dir, "comm"), pid))
				break
			}
		}
	}
	return found
}

// reads tells whether a file was not opened for writing alone: flags, in octal.
func reads(fdinfo string) bool {
	b, _ := os.ReadFile(fdinfo)
	for l := range strings.Lines(string(b)) {
		if value, ok := strings.CutPrefix(l, "flags:"); ok {
			flags, err := strconv.ParseUint(strings.TrimSpace(value), 8, 64)
			return err != nil || flags&uint64(os.O_WRONLY|os.O_RDWR) != uint64(os.O_WRONLY)
		}
	}
	return true
}

// shared is an error if another program reads from a port: each would get a part
// of the bytes. At a pseudo-terminal it may be the emulator itself.
func shared(name string) error {
	if real, err := filepath.EvalSymlinks(name); err != nil || strings.HasPrefix(real, "/dev/pts/") {
		return nil
	}
	if len(holders("/proc", name)) > 0 {
		return busy(name)
	}
	return nil
}

// busy names who has a port.
func busy(name string) error {
	if h := holders("/proc", name); len(h) > 0 {
		return &Error{name, fmt.Errorf("%w: %s", ErrBusy, strings.Join(h, ", "))}
	}
	return &Error{name, ErrBusy}
}
