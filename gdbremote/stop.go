package gdbremote

import (
	"bytes"
	"fmt"
	"strconv"
)

// Signals of the protocol (GDB manual, appendix "File Formats"; gdb's
// signals.def).
const (
	SignalInt  = 2 // the interrupt byte halted the target
	SignalTrap = 5 // a breakpoint, a watchpoint, a step; with some servers any halt
)

// Stop says why a target stands.
type Stop struct {
	Signal byte
	// Already: the target stood before it was asked to halt, or halted by itself.
	Already bool
	Reason  string // as in "swbreak", "watch 20000010"; "": not said
	Thread  string // as the server names it; "": not said
}

func (s Stop) String() string {
	text := "signal " + strconv.Itoa(int(s.Signal))
	if s.Reason != "" {
		text += " (" + s.Reason + ")"
	}
	return text
}

// parseStop takes a stop reply apart (GDB manual, E.3 "Stop Reply Packets"). ok
// tells whether it is one at all; the error is *ExitedError for a target that
// ended.
func parseStop(p []byte) (s Stop, ok bool, err error) {
	if len(p) == 0 {
		return s, false, nil
	}
	switch p[0] {
	case 'W', 'X':
		status, _, _ := bytes.Cut(p[1:], []byte{';'})
		if !allDigits(status) || len(status) > 8 {
			return s, false, nil
		}
		return s, true, &ExitedError{exitStatus(p[0], status)}
	case 'N':
		return s, len(p) == 1, nil
	case 'S':
		if len(p) != 3 || !allDigits(p[1:]) {
			return s, false, nil
		}
		s.Signal = digit(p[1])<<4 | digit(p[2])
		return s, true, nil
	case 'T':
		return parseT(p)
	}
	return s, false, nil
}

func exitStatus(kind byte, status []byte) string {
	if kind == 'X' {
		return fmt.Sprintf("X%s: ended by signal 0x%s", status, status)
	}
	return fmt.Sprintf("W%s: exit status 0x%s", status, status)
}

// parseT takes T, two digits and pairs "name:value;" apart.
func parseT(p []byte) (s Stop, ok bool, err error) {
	if len(p) < 3 || !allDigits(p[1:3]) {
		return s, false, nil
	}
	s.Signal = digit(p[1])<<4 | digit(p[2])
	for pair := range bytes.SplitSeq(p[3:], []byte{';'}) {
		name, value, colon := bytes.Cut(pair, []byte{':'})
		switch {
		case len(pair) == 0:
		case !colon:
			return Stop{}, false, nil
		case string(name) == "thread":
			s.Thread = shortened(value)
		case allDigits(name) || string(name) == "core":
			// An expedited register; the number of a processor.
		default:
			s.Reason = reasonOf(name, value)
		}
	}
	return s, true, nil
}

func reasonOf(name, value []byte) string {
	if len(value) == 0 {
		return shortened(name)
	}
	return shortened(name) + " " + shortened(value)
}
