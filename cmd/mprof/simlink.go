package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/mprof/mprof/session/target"
	"github.com/mprof/mprof/sim"
)

// link is a UART of the board and where it goes.
type link struct{ uart, where string }

// links reads --uart. A value without a UART's name means the first one that the
// firmware sets up; a program without any needs none.
func (f *simFlags) links(b *sim.Board) ([]link, error) {
	values, asked := f.uarts, len(f.uarts) > 0
	if !asked {
		values = []string{defaultSimUART}
	}
	var all []link
	for _, v := range values {
		if v == "none" {
			continue
		}
		l := link{where: v}
		if name, where, named := strings.Cut(v, "="); named {
			l = link{name, where}
		}
		if !knownEnding(l.where) {
			return nil, usageError{fmt.Errorf("--uart %s: write [UART=]pty, tcp:[HOST:]PORT, stdio or none", v)}
		}
		name, err := uartName(b, l.uart)
		if err != nil && !asked {
			continue
		}
		if err != nil {
			return nil, usageError{fmt.Errorf("--uart %s: %w", v, err)}
		}
		l.uart = name
		all = append(all, l)
	}
	return all, nil
}

// uartName is the name as the board has it; "" stands for the first UART that
// the firmware sets up.
func uartName(b *sim.Board, name string) (string, error) {
	if name == "" {
		return b.AwaitUART(target.AwaitUART)
	}
	u, err := b.UART(name)
	if err != nil {
		return "", err
	}
	defer u.Close()
	return u.Name(), nil
}

func knownEnding(where string) bool {
	return where == "pty" || where == "stdio" || strings.HasPrefix(where, "tcp:")
}

// simEnding is this machine's end of a UART.
type simEnding interface {
	// describe says how it is reached.
	describe(args []string) string
	// serve carries bytes both ways until ctx ends.
	serve(ctx context.Context, b *sim.Board, uart string)
	Close() error
}

// open makes the end. Errors: no such address, no pseudo-terminals here.
func (l link) open(ctx context.Context, in io.Reader, out io.Writer) (simEnding, error) {
	switch {
	case l.where == "pty":
		return openSimPty()
	case l.where == "stdio":
		return stdioEnding{in, out}, nil
	}
	return listenSim(ctx, strings.TrimPrefix(l.where, "tcp:"))
}

// traceExample is a command line that traces what is behind a port.
func traceExample(port string, args []string) string {
	elf := target.BuiltInTraced
	if len(args) > 0 {
		elf = args[0]
	}
	return fmt.Sprintf("mprof trace --port %s %s", port, elf)
}

// stdioEnding is the terminal, or the pipe, of this process.
type stdioEnding struct {
	in  io.Reader
	out io.Writer
}

func (stdioEnding) describe([]string) string { return "this terminal" }
func (stdioEnding) Close() error             { return nil }

func (e stdioEnding) serve(ctx context.Context, b *sim.Board, uart string) {
	u, err := b.PacedUART(uart)
	if err != nil {
		return
	}
	defer context.AfterFunc(ctx, func() { u.Close() })()
	go io.Copy(u, e.in) // until the end of input, or of the board
	_, _ = io.Copy(e.out, u)
}
