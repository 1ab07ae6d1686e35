package stubtest

import (
	"net"
	"sync"
	"testing"
)

// Conn is a connection in memory. Writes wait until they are read.
func (s *Stub) Conn(t testing.TB) net.Conn {
	ours, theirs := net.Pipe()
	done := make(chan struct{})
	go func() { defer close(done); s.Serve(ours) }()
	t.Cleanup(func() { theirs.Close(); ours.Close(); <-done })
	return theirs
}

// Listen serves connections to a TCP port of this machine, one after the other, and
// returns its address.
func (s *Stub) Listen(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	var open sync.Map
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			open.Store(conn, nil)
			s.Serve(conn)
			conn.Close()
			open.Delete(conn)
		}
	}()
	t.Cleanup(func() {
		l.Close()
		open.Range(func(conn, _ any) bool { conn.(net.Conn).Close(); return true })
		<-done
	})
	return l.Addr().String()
}
