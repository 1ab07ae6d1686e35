package gdbremote

import (
	"errors"
	"fmt"
	"time"

	"github.com/mprof/mprof/snapshot"
)

// For callers that branch with errors.Is.
var (
	// ErrDisconnected: the connection to the server is gone.
	ErrDisconnected = errors.New("the connection to the GDB server is lost")
	// ErrTimeout: the server did not answer within Options.Timeout.
	ErrTimeout = errors.New("the GDB server did not answer in time")
	// ErrAnswer: the server answered something that is no answer to the request.
	ErrAnswer = errors.New("malformed answer")
	// ErrNoTarget: the server has no target attached: a Black Magic Probe needs
	// "monitor swdp_scan" and an attach first.
	ErrNoTarget = errors.New("the GDB server has no target attached")
	// ErrRunning: the request needs a halted target with this server.
	ErrRunning = errors.New("the target runs, and this GDB server gives access to halted targets only")
	// ErrHalted: the target cannot be brought to run, or nobody knows.
	ErrHalted = errors.New("the target may be left halted")
)

// RefusedError is a request that the server answered with an error (E and a
// number or a text) or with the empty packet, which says that it does not know
// the request.
type RefusedError struct {
	Packet string // as far as it tells what was asked
	Answer string
}

func (e *RefusedError) Error() string {
	if e.Answer == "" {
		return fmt.Sprintf("gdbremote: %s: the server does not know this request", e.Packet)
	}
	return fmt.Sprintf("gdbremote: %s: refused (%s)", e.Packet, e.Answer)
}

// ArchError is a server of another architecture than the program's.
type ArchError struct {
	Program snapshot.Arch
	Stub    string // what the server says of itself
}

func (e *ArchError) Error() string {
	return fmt.Sprintf("gdbremote: the program is for %v, and the GDB server's target is %s", e.Program, e.Stub)
}

// ExitedError is a target that ended, as processes and some emulators do.
type ExitedError struct{ Status string }

func (e *ExitedError) Error() string {
	return fmt.Sprintf("gdbremote: the target ended (%s)", e.Status)
}

func timeoutError(what string, after time.Duration) error {
	return fmt.Errorf("gdbremote: %s: %w (%v)", what, ErrTimeout, after)
}

func answerError(what string, answer []byte) error {
	return fmt.Errorf("gdbremote: %s: %w %q", what, ErrAnswer, shortened(answer))
}

// shortened is the beginning of something long.
func shortened(p []byte) string {
	const most = 60
	if len(p) > most {
		return string(p[:most]) + "..."
	}
	return string(p)
}
