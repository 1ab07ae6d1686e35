package gdbremote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"
)

// isMarker tells an answer to a question of settle.
func isMarker(p []byte) bool {
	return bytes.HasPrefix(p, []byte("m<")) || bytes.HasPrefix(p, []byte("l<")) || bytes.Contains(p, []byte("PacketSize="))
}

// settle brings the conversation in step again after an answer that did not come
// or could not be read: there is no number in answers, so it asks something whose
// answer is like no other, and drops what comes before that.
func (c *Client) settle(ctx context.Context) error {
	if !c.outOfStep {
		return nil
	}
	question := "qSupported"
	switch {
	case c.layout.described:
		question = "qXfer:features:read:target.xml:0,4"
	case c.features["PacketSize"] == "":
		return c.awaitQuiet(ctx)
	}
	if err := c.wire.send([]byte(question)); err != nil {
		return err
	}
	until := time.Now().Add(c.timeout)
	for {
		e, err := c.wire.next(ctx, until)
		switch {
		case errors.Is(err, ErrTimeout):
			return timeoutError("after a lost answer", c.timeout)
		case err != nil:
			return fmt.Errorf("gdbremote: %w", err)
		case e.kind == gotNotification:
			c.notified(e.body)
		case e.kind != gotPacket:
		case isMarker(e.body):
			c.outOfStep = false
			return nil
		default:
			if stop, ok, err := parseStop(e.body); ok {
				c.stopped(stop, err)
			}
		}
	}
}

// quietTime is how long a server that cannot be asked anything whose answer is
// like no other has to be silent.
const quietTime = 300 * time.Millisecond

// awaitQuiet drops what comes until nothing does.
func (c *Client) awaitQuiet(ctx context.Context) error {
	for end := time.Now().Add(c.timeout); ; {
		e, err := c.wire.next(ctx, time.Now().Add(quietTime))
		switch {
		case err == nil && time.Now().After(end):
			return timeoutError("after a lost answer: silence", c.timeout)
		case errors.Is(err, ErrTimeout):
			c.outOfStep = false
			return nil
		case err != nil:
			return fmt.Errorf("gdbremote: %w", err)
		case e.kind == gotPacket:
			if stop, ok, err := parseStop(e.body); ok {
				c.stopped(stop, err)
			}
		}
	}
}

// stopped notes a stop reply.
func (c *Client) stopped(s Stop, err error) {
	if err != nil {
		c.ended = err
	}
	s.Already = !c.interrupted
	if c.halted {
		s.Already = true // it stood, and was said to before
	}
	c.latest, c.halted, c.interrupted = s, true, false
	c.wire.running.Store(false)
	c.wire.interrupting.Store(false)
}
