package gdbremote

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"
)

// Dial connects to a GDB server: HOST:PORT, :PORT on this machine, or the path of
// a unix socket, which has a slash in it.
func Dial(ctx context.Context, address string) (io.ReadWriteCloser, error) {
	network := "tcp"
	if strings.Contains(address, "/") {
		network = "unix"
	}
	var d net.Dialer
	conn, err := d.DialContext(ctx, network, address)
	if err != nil {
		return nil, fmt.Errorf("gdbremote: connect to %s: %w", address, err)
	}
	return quickly(conn), nil // writing without delay is the default of Go
}
