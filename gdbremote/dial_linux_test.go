package gdbremote

import (
	"io"
	"net"
	"testing"

	"golang.org/x/sys/unix"
)

// Nothing of what was read is unacknowledged in the server, which would hold back what
// it sends next for 40 ms.
func TestQuickAcknowledge(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	conn, err := Dial(t.Context(), listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	server, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	raw, err := server.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	pending, exchanges := 0, 200
	for range exchanges {
		for _, pair := range [][2]io.ReadWriter{{conn, server}, {server, conn}} {
			if _, err := pair[0].Write([]byte("+")); err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadFull(pair[1], make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
		}
		if err := raw.Control(func(fd uintptr) {
			n, err := unix.IoctlGetInt(int(fd), unix.SIOCOUTQ)
			if err != nil {
				t.Error(err)
			}
			if n > 0 {
				pending++
			}
		}); err != nil {
			t.Fatal(err)
		}
	}
	if pending > exchanges/10 {
		t.Errorf("after %d of %d exchanges the server waits for an acknowledgement", pending, exchanges)
	}
}
