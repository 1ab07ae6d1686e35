package trace

import (
	"fmt"
	"time"
)

// SilentError is a port from which nothing comes.
type SilentError struct {
	Port   string
	Waited time.Duration
}

func (e *SilentError) Error() string {
	return fmt.Sprintf("trace: nothing came from %s in %.3g s", e.Port, e.Waited.Seconds())
}

// EchoError is a port that gives back what is sent to it.
type EchoError struct{ Port string }

func (e *EchoError) Error() string {
	return fmt.Sprintf("trace: %s sends back what mprof sends, and nothing else comes", e.Port)
}

// DeafError is firmware that talks, has no records, and does not answer.
type DeafError struct {
	Port    string
	Packets int
	Err     error // of writing to the port, nil: none
}

func (e *DeafError) Error() string {
	s := fmt.Sprintf("trace: the firmware on %s does not hear: it sent %d packets and answered no command", e.Port, e.Packets)
	if e.Err != nil {
		s += fmt.Sprintf(" (%v)", e.Err)
	}
	return s
}

func (e *DeafError) Unwrap() error { return e.Err }

// RefusedError is a NACK of a command that a run cannot do without.
type RefusedError struct {
	Port    string
	Command byte // 0: of all that were tried
	Reason  byte
}

func (e *RefusedError) Error() string {
	if e.Command == 0 {
		return fmt.Sprintf("trace: what is on %s refuses every command (STOP, GET_METADATA): %s", e.Port, reasonWords(e.Reason))
	}
	return fmt.Sprintf("trace: the firmware on %s refuses %s: %s", e.Port, commandNames[e.Command], reasonWords(e.Reason))
}

var commandNames = map[byte]string{
	CommandStart: "START", CommandStop: "STOP", CommandStatus: "GET_STATUS",
	CommandReset: "RESET_BUFFERS", CommandGetMetadata: "GET_METADATA",
	CommandGetGprof: "GET_GPROF", CommandResetGprof: "RESET_GPROF",
}

func reasonWords(reason byte) string {
	switch reason {
	case ReasonUnknownCommand:
		return "it does not know the command"
	case ReasonNotNow:
		return "not now"
	case ReasonWrongLength:
		return "wrong length"
	}
	return fmt.Sprintf("reason %d", reason)
}

// BuildIDError is firmware that is not that of the ELF file.
type BuildIDError struct{ Target, ELF []byte }

func (e *BuildIDError) Error() string {
	return fmt.Sprintf("trace: the firmware has build id %x and the ELF file %x", e.Target, e.ELF)
}
