package target

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/mprof/mprof/firmware/examples"
	"github.com/mprof/mprof/sim"
)

// AwaitUART is how long the firmware of a simulated board may take, on its own
// clock, until it sets up a UART.
const AwaitUART = 2 * time.Second

// OpenSimPort runs firmware on a simulated board in this process, by the wall
// clock, and opens a serial port of it: sim[:OPTION,...], where an option is
// uart=NAME (without it the first that the firmware sets up), clock=HZ, board=,
// chip= or fpu=. elf nil is the
// built-in firmware that is traced. Closing the port ends the board.
func OpenSimPort(ctx context.Context, spec string, elf []byte) (io.ReadWriteCloser, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	o := sim.Options{ELF: elf}
	if elf == nil {
		o.ELF = examples.DemoELF
	}
	var name string
	for f := range strings.SplitSeq(strings.TrimLeft(strings.TrimPrefix(spec, "sim"), ":,"), ",") {
		if f == "" {
			continue
		}
		if value, found := strings.CutPrefix(f, "uart="); found {
			name = value
			continue
		}
		known, err := ParseSimOption(&o, f)
		if !known {
			err = fmt.Errorf("%q is no option: there are uart=USART2, clock=168M, board=stm32f405, chip=rp2040, fpu=on", f)
		}
		if err != nil {
			return nil, &UsageError{fmt.Errorf("--port %s: %w", spec, err)}
		}
	}
	b, err := sim.New(o)
	if err != nil {
		return nil, err
	}
	return OpenUART(b, name)
}

// ErrNoUART is firmware that sets up no UART.
var ErrNoUART = errors.New("no UART")

// OpenUART opens a UART in real time, without a name the first that the
// firmware sets up.
func OpenUART(b *sim.Board, name string) (*sim.UART, error) {
	if name == "" {
		var err error
		if name, err = b.AwaitUART(AwaitUART); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrNoUART, err)
		}
	}
	return b.PacedUART(name)
}
