//go:build linux || darwin

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/creack/pty"
	"golang.org/x/term"

	"github.com/mprof/mprof/sim"
)

// defaultSimUART is what --uart is where nobody says.
const defaultSimUART = "pty"

// ptyEnding is a pseudo-terminal: programs open its name as a serial port.
type ptyEnding struct {
	ends   *os.File // the board's side
	holder *os.File // the other side, held open where the system cannot tell who is there
	name   string
}

// openSimPty makes a pseudo-terminal that passes bytes as they are.
func openSimPty() (simEnding, error) {
	master, slave, err := pty.Open()
	if err != nil {
		return nil, fmt.Errorf("--uart pty: %w", err)
	}
	defer master.Close()
	if _, err := term.MakeRaw(int(slave.Fd())); err != nil {
		slave.Close()
		return nil, fmt.Errorf("--uart pty: %s: %w", slave.Name(), err)
	}
	// A descriptor of our own that does not block, so that reads and writes end
	// at a deadline.
	fd, err := syscall.Dup(int(master.Fd()))
	if err == nil {
		err = syscall.SetNonblock(fd, true)
	}
	if err != nil {
		slave.Close()
		return nil, fmt.Errorf("--uart pty: %w", err)
	}
	syscall.CloseOnExec(fd)
	e := &ptyEnding{ends: os.NewFile(uintptr(fd), master.Name()), name: slave.Name(), holder: slave}
	if ptyTellsWho {
		e.holder = nil
		slave.Close()
	}
	return e, nil
}

func (e *ptyEnding) describe(args []string) string {
	return fmt.Sprintf("%s: %s", e.name, traceExample(e.name, args))
}

func (e *ptyEnding) Close() error {
	if e.holder != nil {
		e.holder.Close()
	}
	return e.ends.Close()
}

// ptyTick is how often an idle end looks whether somebody has opened or closed
// the other one, and whether it shall end.
const ptyTick = 5 * time.Millisecond

// serve has the port open on the board for as long as somebody has the terminal
// open.
func (e *ptyEnding) serve(ctx context.Context, b *sim.Board, uart string) {
	for ctx.Err() == nil {
		if !e.listening() {
			time.Sleep(ptyTick)
			continue
		}
		u, err := b.PacedUART(uart)
		if err != nil {
			return
		}
		_ = u.SetReadTimeout(ptyTick)
		var out sync.WaitGroup
		out.Go(func() { e.send(ctx, u) })
		e.receive(ctx, u)
		u.Close()
		out.Wait()
	}
}

// receive carries what the other side writes to the board.
func (e *ptyEnding) receive(ctx context.Context, u *sim.UART) {
	p := make([]byte, 4096)
	for ctx.Err() == nil {
		_ = e.ends.SetReadDeadline(time.Now().Add(ptyTick))
		n, err := e.ends.Read(p)
		if n > 0 {
			if _, err := u.Write(p[:n]); err != nil {
				return
			}
		}
		if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) || n == 0 && !e.listening() {
			return
		}
	}
}

// send carries what the board sends to the other side. What that does not take
// in time is lost, as in a serial port's driver.
func (e *ptyEnding) send(ctx context.Context, u *sim.UART) {
	p := make([]byte, 4096)
	for ctx.Err() == nil {
		n, err := u.Read(p)
		if err != nil {
			return
		}
		if n > 0 {
			_ = e.ends.SetWriteDeadline(time.Now().Add(100 * time.Millisecond))
			_, _ = e.ends.Write(p[:n])
		}
	}
}
