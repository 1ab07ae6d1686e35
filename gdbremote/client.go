// Package gdbremote is a client of GDB servers: OpenOCD, J-Link, ST-Link, pyOCD,
// Black Magic Probe, Renode, QEMU and whatever else speaks the GDB remote serial
// protocol (GDB manual, appendix E). In: a connection to a server. Out: a target
// that is halted and resumed, its registers and its memory, and snapshots of it.
package gdbremote

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/mprof/mprof/snapshot"
)

// DefaultTimeout is how long a server may take for one answer.
const DefaultTimeout = 5 * time.Second

// Options say how to connect. The zero value serves for a Cortex-M.
type Options struct {
	// Arch of the program: a server of another one is refused with *ArchError.
	Arch    snapshot.Arch
	Timeout time.Duration // of one answer; 0: DefaultTimeout
	// Monitor is commands for the server itself ("monitor ..." in gdb), given
	// before anything is asked of the target.
	Monitor []string
	// Attach is the argument of vAttach for servers that begin without a target
	// (Black Magic Probe: "1"); "": none.
	Attach string
	// Log is told of every packet, without its framing. It is called by two
	// goroutines, one at a time. nil: nobody is.
	Log func(sent bool, packet []byte)
}

// Client is a connection to a server with a target behind it. One goroutine at a
// time may use it; Close may be called by another.
type Client struct {
	wire    *wire
	timeout time.Duration
	arch    snapshot.Arch

	features   features
	server     string // what it says of itself; "": nothing
	layout     layout
	remarks    []string
	packetSize int
	pipelines  bool // requests may follow one another without waiting for answers
	nonStop    bool
	vCont      string // the letters of vCont that the server has; "": no vCont
	thread     string // the thread that Hg chose

	acknowledges bool // the server does so while acknowledges are on
	halted       bool
	interrupted  bool // the interrupt was sent, and the stop has not come
	unaccepted   bool // a notification of a stop was not answered by vStopped
	latest       Stop
	resumedBy    string // the packet that the target was resumed with
	ended        error  // the target's end: *ExitedError
	leftBy       string

	stray     bool // an interrupt may have come to a target that stood
	outOfStep bool // the next answer may be that to an earlier request
	settles   int  // questions of settle
	unsettled int  // those of them that may still be answered
	measured  bool // their answers are as long as is asked for
	refused   snapshot.RegSet
	requests  []request
}

// Connect makes a client of a connection: it agrees on the protocol, gives the
// monitor commands, attaches, reads the description of the target and finds out
// whether the target stands. Most servers halt the target when somebody connects;
// beyond that it is left as found. On an error conn is the caller's to close, and
// the target may be halted.
func Connect(ctx context.Context, conn io.ReadWriteCloser, o Options) (*Client, error) {
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	c := &Client{wire: newWire(conn, o.Timeout, o.Log), timeout: o.Timeout, arch: o.Arch, packetSize: leastPacketSize}
	if err := c.handshake(ctx, o); err != nil {
		c.giveUp(err)
		return nil, err
	}
	return c, nil
}

// giveUp lets a target run that Connect halted, as far as that is known, before an
// error is returned.
func (c *Client) giveUp(err error) {
	defer c.wire.close()
	if !c.halted || errors.Is(err, ErrDisconnected) {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), c.timeout)
	defer cancel()
	_ = c.Detach(ctx) // the error that led here says more
}

// Description says what the server and its target are, as far as they tell.
func (c *Client) Description() string { return cmp.Or(c.server, "GDB server") + ", " + c.Core() }

// Server is what the server says of itself; "": nothing.
func (c *Client) Server() string { return c.server }

// Core says what the target is, as far as the server tells.
func (c *Client) Core() string {
	if c.layout.core == "" {
		return c.arch.String()
	}
	return c.arch.String() + " (" + c.layout.core + ")"
}

// Remarks are what a user should know of this server: what it does not have, and
// what was done about it.
func (c *Client) Remarks() []string { return slices.Clone(c.remarks) }

// Halted tells whether the target stands, as far as the server has said.
func (c *Client) Halted() bool { return c.halted }

// FileRequests counts the files that the running target asked the host for. They
// are not there: what it writes is dropped, everything else fails.
func (c *Client) FileRequests() int64 { return c.wire.fileRequests.Load() }

// Close ends the connection and says nothing to the server: Detach before it.
func (c *Client) Close() error {
	c.wire.close()
	return nil
}
