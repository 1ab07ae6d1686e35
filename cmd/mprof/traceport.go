package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"

	"github.com/mprof/mprof/trace/uart"
)

// tracePort is where instrumented firmware is reached.
type tracePort struct {
	io.ReadWriteCloser
	name string // for errors: /dev/ttyUSB0 at 921600 baud
	baud int    // bits per second; 0: the port has none
}

// openPort opens what --port names: a serial port or a pseudo-terminal at a baud rate,
// tcp:HOST:PORT, or the simulated board, which runs the ELF file; "" is the built-in
// one.
func openPort(ctx context.Context, spec string, baud int, elf string) (*tracePort, error) {
	switch address, isTCP := strings.CutPrefix(spec, "tcp:"); {
	case isSim(spec):
		return openSimulatedPort(ctx, spec, elf)
	case spec == "":
		return nil, &UsageError{fmt.Errorf("which port? name it with --port: %s", portsHere())}
	case isTCP:
		return openTCPPort(ctx, spec, address)
	}
	if info, err := os.Stat(spec); err == nil && info.Mode().IsRegular() {
		return nil, &UsageError{fmt.Errorf("%s is a file: --from replays a recording", spec)}
	}
	p, err := uart.Open(spec, baud)
	if errors.Is(err, uart.ErrNotFound) {
		return nil, fmt.Errorf("%w; %s", err, portsHere())
	}
	if err != nil {
		return nil, err
	}
	return &tracePort{p, fmt.Sprintf("%s at %d baud", spec, baud), baud}, nil
}

// openSimulatedPort opens a port of the simulated board.
func openSimulatedPort(ctx context.Context, spec, elf string) (*tracePort, error) {
	image, err := tracedImage(elf)
	if err != nil {
		return nil, err
	}
	port, err := openSimPort(ctx, spec, image)
	if err != nil {
		return nil, err
	}
	return &tracePort{ReadWriteCloser: port, name: spec}, nil
}

// errTCPPort is a TCP port where nobody listens.
var errTCPPort = errors.New("cannot connect")

// openTCPPort connects to an emulator or to a serial port server.
func openTCPPort(ctx context.Context, spec, address string) (*tracePort, error) {
	host, port, err := net.SplitHostPort(address)
	if n, numberErr := strconv.ParseUint(port, 10, 16); err != nil || numberErr != nil || n == 0 {
		return nil, &UsageError{fmt.Errorf("--port %s: write it as tcp:HOST:PORT, such as tcp:localhost:3456", spec)}
	}
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", spec, errTCPPort, err)
	}
	return &tracePort{ReadWriteCloser: conn, name: spec}, nil
}

// portsHere names the serial ports of this machine.
func portsHere() string {
	ports, err := uart.List()
	switch {
	case err != nil:
		return fmt.Sprintf("serial ports cannot be listed: %v", err)
	case len(ports) == 0:
		return "this machine has no serial port"
	}
	names := make([]string, len(ports))
	for i, p := range ports {
		names[i] = p.String()
	}
	return "serial ports here: " + strings.Join(names, ", ")
}
