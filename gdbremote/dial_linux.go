package gdbremote

import (
	"io"
	"net"
	"syscall"
)

// quick acknowledges what it reads at once. A server that leaves Nagle's algorithm on
// holds back its next packet until then, and Linux takes 40 ms over it where traffic
// goes to and fro (tcp(7), TCP_QUICKACK, which has to be set again and again).
type quick struct {
	net.Conn
	raw syscall.RawConn
}

func quickly(conn net.Conn) io.ReadWriteCloser {
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return conn
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return conn
	}
	return &quick{conn, raw}
}

func (q *quick) Read(p []byte) (int, error) {
	n, err := q.Conn.Read(p)
	if n > 0 { // without it, it is slow and works all the same
		_ = q.raw.Control(func(fd uintptr) { _ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, syscall.TCP_QUICKACK, 1) })
	}
	return n, err
}
