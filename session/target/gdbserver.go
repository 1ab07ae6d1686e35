package target

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/mprof/mprof/gdbremote"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/trace/uart"
)

// GDBServer is where a GDB server is reached, and how.
type GDBServer struct {
	Address string // HOST:PORT, the path of a socket, or a serial port
	Serial  bool
	monitor []string
}

const gdbPrefix = "gdb:"

// IsGDB tells whether a --probe value names a GDB server.
func IsGDB(selector string) bool { return strings.HasPrefix(selector, gdbPrefix) }

// GDBServers are where servers listen unless they are told otherwise: their manuals.
var GDBServers = []struct {
	Port int
	Name string
}{
	{1234, "QEMU, wishbone-tool"}, {3333, "OpenOCD, pyOCD, Renode"}, {2331, "J-Link"}, {61234, "ST-Link"}, {4242, "st-util"},
	{2000, "Black Magic Probe (or serial)"},
}

// UsualPorts names them in one sentence.
func UsualPorts() string {
	var all []string
	for _, s := range GDBServers {
		all = append(all, fmt.Sprintf("%s %d", s.Name, s.Port))
	}
	return strings.Join(all, "; ")
}

// GDBServer is the one that --probe names. What makes no sense with a GDB server is
// refused.
func (o *Options) GDBServer() (s GDBServer, err error) {
	s = GDBServer{Address: strings.TrimPrefix(o.Probe, gdbPrefix), monitor: o.Monitor}
	for _, flag := range []struct {
		given     bool
		name, why string
	}{
		{o.SpeedHz != 0, "--speed", "the server sets the clock of its probe"},
		{o.Core.Text != "", "--core", "a server has a port for each core: name that port"},
		{o.AP.Text != "", "--ap", "the server knows the access port of its core"},
		{o.UnderReset, "--connect-under-reset", "the server connects to the core: start it with its own option for that"},
	} {
		if flag.given {
			return s, &UsageError{fmt.Errorf("%s means nothing with --probe %s: %s", flag.name, o.Probe, flag.why)}
		}
	}
	if strings.Contains(s.Address, "/") || isSerialName(s.Address) {
		info, statErr := os.Stat(s.Address)
		s.Serial = isSerialName(s.Address) || statErr == nil && info.Mode()&fs.ModeCharDevice != 0
		return s, nil
	}
	_, port, splitErr := net.SplitHostPort(s.Address)
	if n, portErr := strconv.ParseUint(port, 10, 16); splitErr != nil || portErr != nil || n == 0 {
		return s, &UsageError{fmt.Errorf("--probe %s: write it as gdb:HOST:PORT, gdb:/path/to/socket or gdb:/dev/ttyACM0; usual ports: %s", o.Probe, UsualPorts())}
	}
	return s, nil
}

// isSerialName tells the names of serial ports where those are no files.
func isSerialName(name string) bool {
	number, ok := strings.CutPrefix(strings.ToUpper(name), "COM")
	_, err := strconv.ParseUint(number, 10, 16)
	return ok && err == nil
}

// ErrNoServer: nobody listens at the address of a GDB server.
var ErrNoServer = errors.New("no GDB server listens there")

// interruptByte halts a running target (GDB manual, E.9 "Interrupts").
const interruptByte = 3

// serialBaud is what servers on real UARTs have; those on USB take any.
const serialBaud = 115200

func (s GDBServer) dial(ctx context.Context) (io.ReadWriteCloser, error) {
	if s.Serial {
		p, err := uart.Open(s.Address, serialBaud)
		if err != nil {
			return nil, err
		}
		// A server behind a serial port does not see that a session ended without a
		// word: it still waits for the target to stop, and hears nothing but this.
		if _, err := p.Write([]byte{interruptByte}); err != nil {
			return nil, errors.Join(err, p.Close())
		}
		return p, nil
	}
	conn, err := gdbremote.Dial(ctx, s.Address)
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("%w: %w", ErrNoServer, err)
	}
	return conn, err
}

// Connect connects to the server and makes a client of it. A server without a target,
// as a Black Magic Probe is, is told to look for one and to attach to the first.
func (s GDBServer) Connect(ctx context.Context, arch snapshot.Arch) (*gdbremote.Client, error) {
	o := gdbremote.Options{Arch: arch, Monitor: s.monitor}
	c, err := s.connectWith(ctx, o)
	if !errors.Is(err, gdbremote.ErrNoTarget) {
		return c, err
	}
	if len(s.monitor) == 0 {
		o.Monitor = []string{"swdp_scan"}
	}
	o.Attach = "1"
	c, secondErr := s.connectWith(ctx, o)
	if errors.As(secondErr, new(*gdbremote.RefusedError)) {
		return nil, fmt.Errorf("%w; %w", err, secondErr)
	}
	return c, secondErr
}

// ConnectAny is connect where no program says what the target is.
func (s GDBServer) ConnectAny(ctx context.Context) (*gdbremote.Client, error) {
	c, err := s.Connect(ctx, snapshot.CortexM)
	if errors.As(err, new(*gdbremote.ArchError)) {
		return s.Connect(ctx, snapshot.RV32)
	}
	return c, err
}

func (s GDBServer) connectWith(ctx context.Context, o gdbremote.Options) (*gdbremote.Client, error) {
	conn, err := s.dial(ctx)
	if err != nil {
		return nil, err
	}
	c, err := gdbremote.Connect(ctx, conn, o)
	if err != nil {
		_ = conn.Close() // the error says more
		return nil, &ConnectError{s.Address, err}
	}
	return c, nil
}

// ConnectError is a server that mprof could not come to terms with.
type ConnectError struct {
	address string
	cause   error
}

func (e *ConnectError) Error() string {
	return fmt.Sprintf("GDB server at %s: %v", e.address, e.cause)
}
func (e *ConnectError) Unwrap() error { return e.cause }

// resetCommands are how servers reset a target, by what they call themselves. The
// target stands behind it where the server can do that. What is not in the list
// may be named with --monitor.
var resetCommands = []struct{ server, command string }{
	{"QEMU", "system_reset"},
	{"Open On-Chip Debugger", "reset halt"},
	{"pyOCD", "reset halt"},
	{"J-Link", "reset"},
	{"Black Magic", "reset"},
	{"Renode", "machine Reset"},
}

// ResetCommand is the one of a server; "": not known.
func ResetCommand(server string) string {
	i := slices.IndexFunc(resetCommands, func(c struct{ server, command string }) bool {
		return strings.Contains(strings.ToLower(server), strings.ToLower(c.server))
	})
	if i < 0 {
		return ""
	}
	return resetCommands[i].command
}
