package main

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

// openGmonUART reaches the counters through the UART of firmware/mprof. The core cannot be halted there.
func openGmonUART(ctx context.Context, f *gmonFlags, of *symbol.Program, args []string) (gmonSource, []string, error) {
	place, err := gmonPlace(of)
	if err != nil {
		return nil, nil, err
	}
	port, err := target.OpenPort(ctx, f.port, f.baud, firstOf(args))
	if err != nil {
		return nil, nil, err
	}
	var remarks []string
	session, err := trace.Open(ctx, port, trace.SessionOptions{
		Port: port.Name, Baud: port.Baud, BuildID: append([]byte{}, of.App().BuildID()...), Force: f.force,
		Remark: func(text string) { remarks = append(remarks, text) },
	})
	if err != nil {
		return nil, nil, interrupted(ctx, err)
	}
	return &blockSource{
		Target:  &counters.Target{Memory: uartMemory{session.Gprof(place.Addr)}, Place: place, Clock: schedule.NewWall()},
		options: counters.FetchOptions{Reset: f.reset},
		closing: func(error) error { return session.Close() },
	}, remarks, nil
}
