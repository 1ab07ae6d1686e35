package target

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

// Port is where instrumented firmware is reached.
type Port struct {
	io.ReadWriteCloser
	Name string // for errors: /dev/ttyUSB0 at 921600 baud
	Baud int    // bits per second; 0: the port has none
}

// OpenPort opens what --port names: a serial port or a pseudo-terminal at a baud rate,
// tcp:HOST:PORT, or the simulated board, which runs the ELF file; "" is the built-in
// one.
func OpenPort(ctx context.Context, spec string, baud int, elf string) (*Port, error) {
	switch address, isTCP := strings.CutPrefix(spec, "tcp:"); {
	case IsSim(spec):
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
	return &Port{p, fmt.Sprintf("%s at %d baud", spec, baud), baud}, nil
}

// openSimulatedPort opens a port of the simulated board.
func openSimulatedPort(ctx context.Context, spec, elf string) (*Port, error) {
	image, err := tracedImage(elf)
	if err != nil {
		return nil, err
	}
	port, err := OpenSimPort(ctx, spec, image)
	if err != nil {
		return nil, err
	}
	return &Port{ReadWriteCloser: port, Name: spec}, nil
}

// ErrTCPPort is a TCP port where nobody listens.
var ErrTCPPort = errors.New("cannot connect")

// openTCPPort connects to an emulator or to a serial port server.
func openTCPPort(ctx context.Context, spec, address string) (*Port, error) {
	host, port, err := net.SplitHostPort(address)
	if n, numberErr := strconv.ParseUint(port, 10, 16); err != nil || numberErr != nil || n == 0 {
		return nil, &UsageError{fmt.Errorf("--port %s: write it as tcp:HOST:PORT, such as tcp:localhost:3456", spec)}
	}
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", spec, ErrTCPPort, err)
	}
	return &Port{ReadWriteCloser: conn, Name: spec}, nil
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
