package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/mprof/mprof/sim"
)

// tcpEnding is a port where one connection at a time gets the bytes.
type tcpEnding struct{ net.Listener }

// listenSim listens at PORT of this machine alone, or at HOST:PORT.
func listenSim(ctx context.Context, address string) (simEnding, error) {
	if !strings.Contains(address, ":") {
		address = "127.0.0.1:" + address
	}
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, usageError{fmt.Errorf("--uart tcp:%s: %w", address, err)}
	}
	return tcpEnding{l}, nil
}

func (e tcpEnding) describe(args []string) string {
	return fmt.Sprintf("tcp:%s: %s", e.Addr(), traceExample("tcp:"+e.Addr().String(), args))
}

func (e tcpEnding) serve(ctx context.Context, b *sim.Board, uart string) {
	defer context.AfterFunc(ctx, func() { e.Close() })()
	for {
		conn, err := e.Accept()
		if err != nil {
			return
		}
		u, err := b.PacedUART(uart)
		if err != nil {
			return
		}
		stop := context.AfterFunc(ctx, func() { conn.Close() })
		carry(conn, u)
		stop()
	}
}

// carry copies both ways until either side ends, and closes both.
func carry(conn io.ReadWriteCloser, u *sim.UART) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(conn, u)
		conn.Close()
	}()
	_, _ = io.Copy(u, conn)
	u.Close()
	conn.Close()
	<-done
}
