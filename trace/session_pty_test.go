//go:build linux

package trace

import (
	"context"
	"errors"
	"net"
	"testing"

	"github.com/creack/pty"

	"github.com/mprof/mprof/trace/uart"
)

// TestSessionOverPTY: the same over a real terminal of the system.
func TestSessionOverPTY(t *testing.T) {
	far, tty, err := pty.Open()
	if err != nil {
		t.Fatalf("no pseudo-terminal: %v", err)
	}
	port, err := uart.Open(tty.Name(), 921600)
	tty.Close()
	if err != nil {
		t.Fatal(err)
	}
	fw := (&target{meta: ourMetadata(), rate: 20}).boot(far)
	defer fw.end()
	s, err := Open(t.Context(), port, SessionOptions{Baud: 921600, BuildID: ourMetadata().BuildID})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithCancel(t.Context())
	r := &traced{target: fw}
	r.until, r.cancel = 2000, cancel
	if err := s.Run(ctx, r); err != nil {
		t.Fatal(err)
	}
	r.exact(t)

	// The emulator ends.
	r.until, r.onRecords = 1<<30, func() { far.Close() }
	if err := s.Run(t.Context(), r); !errors.Is(err, ErrLost) || !errors.Is(err, uart.ErrGone) {
		t.Error(err)
	}
}

// TestSessionOverTCP: the same over a network, which merges and cuts pieces.
func TestSessionOverTCP(t *testing.T) {
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	fw := &target{meta: ourMetadata(), rate: 20}
	booted := make(chan struct{})
	go func() {
		defer close(booted)
		if c, err := l.Accept(); err == nil {
			fw.boot(c)
		}
	}()
	port, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	<-booted
	defer fw.end()
	s, err := Open(t.Context(), port, SessionOptions{BuildID: ourMetadata().BuildID})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithCancel(t.Context())
	r := &traced{target: fw}
	r.until, r.cancel = 2000, cancel
	if err := s.Run(ctx, r); err != nil {
		t.Fatal(err)
	}
	r.exact(t)
}
