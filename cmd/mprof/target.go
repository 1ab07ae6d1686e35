package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/mprof/mprof/cortexm"
	"github.com/mprof/mprof/firmware/demo"
	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/probe/tcp"
	"github.com/mprof/mprof/probe/usb"
	"github.com/mprof/mprof/sim"
)

// target is a probe with a board behind it, and the clock that its run goes by.
type target struct {
	transport  probe.Transport
	reopen     func(context.Context) (probe.Transport, error) // nil: a probe that is gone stays gone
	clock      cortexm.Clock
	clockLabel string
	maxSWCLK   uint32
	board      *sim.Board // of the simulated board, nil otherwise
	usb        *usb.Device
}

func (t *target) close() { _ = t.transport.Close() }

// name says which probe it is, for the profile.
func (t *target) name(info probe.Info) string {
	product := info.Product
	if product == "" && t.usb != nil {
		product = t.usb.Name()
	}
	for _, part := range []struct{ label, value string }{{"serial", info.Serial}, {"firmware", info.Firmware}} {
		if part.value != "" {
			product += ", " + part.label + " " + part.value
		}
	}
	return product
}

// isSim tells whether a --probe value names the simulated board.
func isSim(selector string) bool {
	name := strings.TrimPrefix(selector, "sim")
	return name != selector && (name == "" || name[0] == ':' || name[0] == ',')
}

// openTarget opens the probe that --probe names. elf is the file that the simulated
// board runs, "" the built-in one.
func openTarget(ctx context.Context, selector, elf string) (*target, error) {
	if isSim(selector) {
		raw, err := rawImage(elf)
		if err != nil {
			return nil, err
		}
		return openSim(selector, raw)
	}
	if isGDB(selector) {
		return nil, &UsageError{fmt.Errorf("--probe %s names a GDB server; this needs a CMSIS-DAP probe, or sim", selector)}
	}
	if address, ok := strings.CutPrefix(selector, "tcp:"); ok {
		return openTCP(ctx, address)
	}
	transport, device, err := usb.Open(ctx, selector)
	if err != nil {
		return nil, err
	}
	reopen := func(ctx context.Context) (probe.Transport, error) { return usb.Reopen(ctx, device) }
	return &target{transport: transport, reopen: reopen, clock: cortexm.NewWall(), clockLabel: "host time", usb: &device}, nil
}

// openTCP opens a probe on the network.
func openTCP(ctx context.Context, address string) (*target, error) {
	reopen := func(ctx context.Context) (probe.Transport, error) { return tcp.Open(ctx, address) }
	transport, err := reopen(ctx)
	if err != nil {
		return nil, err
	}
	return &target{transport: transport, reopen: reopen, clock: cortexm.NewWall(), clockLabel: "host time"}, nil
}

// rawImage is the ELF file as a whole, which the simulated board runs; "" is the
// built-in one.
func rawImage(path string) ([]byte, error) {
	if path == "" {
		return demo.ELF, nil
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return raw, nil
}

// UsageError is a selector, a port or an option that makes no sense, whatever is
// connected.
type UsageError struct{ Err error }

func (e *UsageError) Error() string { return e.Err.Error() }
func (e *UsageError) Unwrap() error { return e.Err }
