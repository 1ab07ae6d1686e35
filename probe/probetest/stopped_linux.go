package probetest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/mprof/mprof/probe"
)

// Stopped is a transport to a probe whose user, another process, stands still (SIGSTOP) between a request and its
// response, so that the response is there long before the process can look.
type Stopped struct {
	probe.Transport
	// Stops is asked at each request for how long. 0: not.
	Stops func(request []byte) (pid int, d time.Duration)
}

// WritePacket passes a request on, with the process stopped if it is to be.
func (s *Stopped) WritePacket(ctx context.Context, p []byte) error {
	if pid, d := s.Stops(p); d > 0 {
		if err := stop(pid); err != nil {
			return err
		}
		time.AfterFunc(d, func() { _ = syscall.Kill(pid, syscall.SIGCONT) })
	}
	return s.Transport.WritePacket(ctx, p)
}

// stop stops a process, and returns once it stands.
func stop(pid int) error {
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		return fmt.Errorf("probetest: stop process %d: %w", pid, err)
	}
	for {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			return fmt.Errorf("probetest: %w", err)
		}
		// The state stands behind the name in parentheses (proc_pid_stat(5)).
		if i := bytes.LastIndexByte(stat, ')'); bytes.HasPrefix(stat[i+1:], []byte(" T")) {
			return nil
		}
		time.Sleep(100 * time.Microsecond)
	}
}
