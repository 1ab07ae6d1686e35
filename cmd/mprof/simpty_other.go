//go:build !linux && !darwin

package main

import "errors"

// defaultSimUART is what --uart is where nobody says.
const defaultSimUART = "tcp:3456"

// openSimPty says what there is instead.
func openSimPty() (simEnding, error) {
	return nil, usageError{errors.New("--uart pty: this system has no pseudo-terminals; --uart tcp:3456 and mprof trace --port tcp:localhost:3456, or mprof trace --port sim, do without")}
}
