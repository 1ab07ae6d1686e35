package counting

import (
	"context"
	"errors"
	"fmt"

	"github.com/mprof/mprof/gmon/counters"
	"github.com/mprof/mprof/schedule"
	"github.com/mprof/mprof/session/target"
	"github.com/mprof/mprof/symbol"
	"github.com/mprof/mprof/trace"
)

// uartMemory is the counters behind the UART of firmware/mprof.
type uartMemory struct{ *trace.GprofMemory }

// ReadMemory says of a target that clears what the block says of one.
func (m uartMemory) ReadMemory(ctx context.Context, addr uint32, p []byte) error {
	err := m.GprofMemory.ReadMemory(ctx, addr, p)
	if errors.Is(err, trace.ErrGprofCleared) {
		return fmt.Errorf("%w: %w", counters.ErrOff, err)
	}
	return err
}

// openUART reaches the counters through the UART of firmware/mprof. The core cannot be halted there.
func (o *Options) openUART(ctx context.Context, of *symbol.Program) (source, []string, error) {
	at, err := place(of)
	if err != nil {
		return nil, nil, err
	}
	port, err := target.OpenPort(ctx, o.Port, o.Baud, o.ELF)
	if err != nil {
		return nil, nil, err
	}
	var remarks []string
	session, err := trace.Open(ctx, port, trace.SessionOptions{
		Port: port.Name, Baud: port.Baud, BuildID: append([]byte{}, of.App().BuildID()...), Force: o.Force,
		Remark: func(text string) { remarks = append(remarks, text) },
	})
	if err != nil {
		return nil, nil, err
	}
	return &blockSource{
		Target:  &counters.Target{Memory: uartMemory{session.Gprof(at.Addr)}, Place: at, Clock: schedule.NewWall()},
		options: counters.FetchOptions{Reset: o.Reset},
		closing: func(error) error { return session.Close() },
	}, remarks, nil
}
