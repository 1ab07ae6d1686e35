// Package target opens what a session is about. In: how people name a probe, a GDB
// server, a serial port or the simulated board, and ELF files. Out: the way to the target,
// open and with its clock, and the program that should run there.
package target

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

// Target is a probe with a board behind it, and the clock that its run goes by.
type Target struct {
	Transport  probe.Transport
	reopen     func(context.Context) (probe.Transport, error) // nil: a probe that is gone stays gone
	Clock      cortexm.Clock
	ClockLabel string
	maxSWCLK   uint32
	Board      *sim.Board // of the simulated board, nil otherwise
	USB        *usb.Device
}

func (t *Target) Close() { _ = t.Transport.Close() }

// Name says which probe it is, for the profile.
func (t *Target) Name(info probe.Info) string {
	product := info.Product
	if product == "" && t.USB != nil {
		product = t.USB.Name()
	}
	for _, part := range []struct{ label, value string }{{"serial", info.Serial}, {"firmware", info.Firmware}} {
		if part.value != "" {
			product += ", " + part.label + " " + part.value
		}
	}
	return product
}

// Clocks that a run goes by, as profiles name them.
const (
	HostTime    = "host time"
	VirtualTime = "virtual time" // of the simulated board: it passes when somebody uses the board
)

// IsSim tells whether a --probe value names the simulated board.
func IsSim(selector string) bool {
	name := strings.TrimPrefix(selector, "sim")
	return name != selector && (name == "" || name[0] == ':' || name[0] == ',')
}

// Open opens the probe that --probe names. elf is the file that the simulated
// board runs, "" the built-in one.
func Open(ctx context.Context, selector, elf string) (*Target, error) {
	if IsSim(selector) {
		raw, err := ReadELF(elf)
		if err != nil {
			return nil, err
		}
		return openSim(selector, raw)
	}
	if IsGDB(selector) {
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
	return &Target{Transport: transport, reopen: reopen, Clock: cortexm.NewWall(), ClockLabel: HostTime, USB: &device}, nil
}

// openTCP opens a probe on the network.
func openTCP(ctx context.Context, address string) (*Target, error) {
	reopen := func(ctx context.Context) (probe.Transport, error) { return tcp.Open(ctx, address) }
	transport, err := reopen(ctx)
	if err != nil {
		return nil, err
	}
	return &Target{Transport: transport, reopen: reopen, Clock: cortexm.NewWall(), ClockLabel: HostTime}, nil
}

// ReadELF is the ELF file as a whole, which the simulated board runs; "" is the
// built-in one.
func ReadELF(path string) ([]byte, error) {
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
