package tcp_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"github.com/mprof/mprof/firmware/demo"
	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/probe/tcp"
	"github.com/mprof/mprof/sim"
)

// serve is a probe on the network with t behind it, for one client at a time,
// written from the description of the header.
func serve(t *testing.T, behind probe.Transport) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			answer(c, behind)
			c.Close()
		}
	}()
	return l.Addr().String()
}

func answer(c net.Conn, behind probe.Transport) {
	ctx := context.Background()
	buf := make([]byte, 2048)
	for {
		if _, err := io.ReadFull(c, buf[:8]); err != nil {
			return
		}
		n := int(binary.LittleEndian.Uint16(buf[4:]))
		if !bytes.Equal(buf[:4], []byte("DAP\x00")) || buf[6] != 1 || buf[7] != 0 {
			return
		}
		if _, err := io.ReadFull(c, buf[8:8+n]); err != nil {
			return
		}
		if err := behind.WritePacket(ctx, buf[8:8+n]); err != nil {
			return
		}
		n, err := behind.ReadPacket(ctx, buf[8:])
		if err != nil {
			return
		}
		binary.LittleEndian.PutUint16(buf[4:], uint16(n))
		buf[6] = 2
		if _, err := c.Write(buf[:8+n]); err != nil {
			return
		}
	}
}

func TestDriverOverTCP(t *testing.T) {
	b, err := sim.New(sim.Options{ELF: demo.ELF})
	if err != nil {
		t.Fatal(err)
	}
	address := serve(t, b.Transport())
	for range 2 { // and again after it was closed
		tr, err := tcp.Open(t.Context(), address)
		if err != nil {
			t.Fatal(err)
		}
		p, err := probe.Open(t.Context(), tr, probe.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if i := p.Info(); i.PacketSize != 512 || i.PacketCount != b.Model().PacketCount {
			t.Errorf("%+v", i)
		}
		got, again := make([]byte, 9000), make([]byte, 9000)
		if err := errors.Join(p.ReadMemory(t.Context(), 0x08000000, got), p.ReadMemory(t.Context(), 0x08000000, again)); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, again) || bytes.Count(got, []byte{0}) == len(got) {
			t.Error("wrong data")
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// raw is a server that sends what it is given and then nothing, or hangs up.
func raw(t *testing.T, send []byte, hangUp bool) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() { close(done); l.Close() })
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		_, _ = c.Write(send)
		if !hangUp {
			<-done
		}
	}()
	return l.Addr().String()
}

func TestFrames(t *testing.T) {
	good := []byte("DAP\x00\x02\x00\x02\x00\x00\xff")
	long := append([]byte("DAP\x00\x01\x04\x02\x00"), make([]byte, 1025)...)
	for _, c := range []struct {
		name   string
		send   []byte
		hangUp bool
		want   []byte // the first packet
		err    error  // of the read behind it
	}{
		{"whole, then silence", good, false, good[8:], context.DeadlineExceeded},
		{"whole, then the end", good, true, good[8:], probe.ErrDisconnected},
		{"cut", good[:9], true, nil, probe.ErrDisconnected},
		{"cut in the header", good[:5], true, nil, probe.ErrDisconnected},
		{"a request", []byte("DAP\x00\x01\x00\x01\x00\x00"), false, nil, probe.ErrDisconnected},
		{"another protocol", []byte("HTTP/1.1 400 Bad Request\r\n"), false, nil, probe.ErrDisconnected},
		{"too long", long, false, nil, probe.ErrDisconnected},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr, err := tcp.Open(t.Context(), raw(t, c.send, c.hangUp))
			if err != nil {
				t.Fatal(err)
			}
			defer tr.Close()
			buf := make([]byte, tr.PacketSize())
			if c.want != nil {
				if n, err := tr.ReadPacket(t.Context(), buf); err != nil || !bytes.Equal(buf[:n], c.want) {
					t.Fatalf("% x, %v", buf[:n], err)
				}
			}
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			if c.err == probe.ErrDisconnected {
				ctx, cancel = context.WithTimeout(t.Context(), 10*time.Second)
			}
			defer cancel()
			if _, err := tr.ReadPacket(ctx, buf); !errors.Is(err, c.err) {
				t.Errorf("error %v, want %v", err, c.err)
			}
		})
	}
}

// TestCancelledRead: a read that was given up takes nothing off the stream.
func TestCancelledRead(t *testing.T) {
	tr, err := tcp.Open(t.Context(), raw(t, nil, false))
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := tr.ReadPacket(ctx, make([]byte, 1024)); !errors.Is(err, context.Canceled) {
		t.Errorf("read: %v", err)
	}
	if err := tr.WritePacket(ctx, []byte{0, 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("write: %v", err)
	}
	if err := tr.WritePacket(t.Context(), make([]byte, 1025)); err == nil {
		t.Error("a packet that is too long was sent")
	}
	if err := tr.WritePacket(t.Context(), []byte{0, 1}); err != nil {
		t.Error(err)
	}
}

func TestNobodyThere(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	if _, err := tcp.Open(t.Context(), address); !errors.Is(err, probe.ErrNotFound) {
		t.Errorf("error %v", err)
	}
}
