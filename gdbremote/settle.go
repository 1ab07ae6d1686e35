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
// answer is like no other, and drops what comes before that. Of a server that was
// away for longer than one wait, an answer to an earlier question of settle may come first, with
// others behind it: each question asks for another number of bytes.
func (c *Client) settle(ctx context.Context) error {
	if !c.outOfStep {
		return nil
	}
	question, size := "qSupported", 0
	switch {
	case c.layout.described:
		size = markerSize(c.settles)
		question = fmt.Sprintf("qXfer:features:read:target.xml:0,%x", size)
	case c.features["PacketSize"] == "":
		return c.awaitQuiet(ctx)
	}
	if err := c.wire.send([]byte(question)); err != nil {
		return err
	}
	c.settles++
	c.unsettled++
	until, came := time.Now().Add(c.timeout), false
	for {
		e, err := c.wire.next(ctx, until)
		switch {
		case errors.Is(err, ErrTimeout) && came && !c.measured: // one of them was lost: nothing is due
			c.outOfStep, c.unsettled = false, 0
			return nil
		case errors.Is(err, ErrTimeout):
			return timeoutError("after a lost answer", c.timeout)
		case err != nil:
			return fmt.Errorf("gdbremote: %w", err)
		case e.kind == gotNotification:
			c.notified(e.body)
		case e.kind != gotPacket:
		case isMarker(e.body):
			if c.settledBy(e.body, size) {
				c.outOfStep, c.unsettled = false, 0
				return nil
			}
			until, came = time.Now().Add(c.timeout), true
		default:
			if stop, ok, err := parseStop(e.body); ok {
				c.stopped(stop, err)
			}
		}
	}
}

// markerSize is what the question n asks for, in bytes: sixteen in a row differ.
func markerSize(n int) int { return 4 + n%16 }

// settledBy tells whether an answer to a question of settle is that to the last one: as long as was asked for,
// or, of a server that was never seen to heed that, the last that is due.
func (c *Client) settledBy(p []byte, size int) bool {
	for n := c.settles - c.unsettled; size > 0 && n < c.settles; n++ {
		c.measured = c.measured || len(p) == 1+markerSize(n)
	}
	c.unsettled--
	return size > 0 && len(p) == 1+size || !c.measured && c.unsettled <= 0
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
	c.stray = c.stray || c.interrupted && s.Signal != SignalInt
	if c.halted {
		s.Already = true // it stood, and was said to before
	}
	c.latest, c.halted, c.interrupted = s, true, false
	c.wire.running.Store(false)
	c.wire.interrupting.Store(false)
}
