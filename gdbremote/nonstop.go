package gdbremote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// notified takes a notification (GDB manual, E.11). Only stops matter.
func (c *Client) notified(p []byte) {
	body, ok := bytes.CutPrefix(p, []byte("Stop:"))
	if !ok {
		return
	}
	if s, ok, err := parseStop(body); ok {
		c.stopped(s, err)
		c.unaccepted = true
	}
}

// acceptStops tells the server that its notification came, and takes those that it
// held back: one for each thread.
func (c *Client) acceptStops(ctx context.Context) error {
	for c.unaccepted {
		p, err := c.ask(ctx, "vStopped")
		if err != nil {
			return err
		}
		if _, ok, _ := parseStop(p); !ok {
			c.unaccepted = false
		}
	}
	return nil
}

// haltThreads halts in non-stop mode: a request that is answered, and a
// notification.
func (c *Client) haltThreads(ctx context.Context) (Stop, error) {
	c.interrupted = true
	request := "vCtrlC"
	if strings.Contains(c.vCont, "t") {
		request = "vCont;t"
	}
	if err := c.askOK(ctx, request); err != nil {
		return Stop{}, err
	}
	until := time.Now().Add(c.timeout)
	for !c.halted {
		e, err := c.wire.next(ctx, until)
		switch {
		case errors.Is(err, ErrTimeout):
			return Stop{}, timeoutError("halt", c.timeout)
		case err != nil:
			return Stop{}, fmt.Errorf("gdbremote: halt: %w", err)
		case e.kind == gotNotification:
			c.notified(e.body)
		}
	}
	return c.stop(ctx)
}

// resumeThreads resumes in non-stop mode, where it is answered.
func (c *Client) resumeThreads(ctx context.Context) error {
	if err := c.acceptStops(ctx); err != nil {
		return err
	}
	c.halted, c.interrupted = false, false
	if err := c.askOK(ctx, c.resumedBy); err != nil {
		c.halted = true
		return err
	}
	return nil
}
