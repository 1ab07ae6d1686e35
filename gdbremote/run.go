package gdbremote

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// againAfter is when the interrupt is sent once more: a target that was in the
// middle of a request for a file loses the first.
const againAfter = time.Second

// Halt stops the target. Where it stands already, by a breakpoint, a fault or
// because it was never resumed, the Stop says so. An error leaves open whether
// the target stands: Halt and Detach may be tried again.
func (c *Client) Halt(ctx context.Context) (Stop, error) {
	if err := c.collect(); err != nil {
		return Stop{}, err
	}
	if c.halted {
		return c.standing(ctx)
	}
	if c.nonStop {
		return c.haltThreads(ctx)
	}
	c.stray = c.stray || c.interrupted // by a halt that was given up half way
	c.interrupted = true
	c.wire.interrupting.Store(true)
	if err := c.wire.raw([]byte{interruptByte}); err != nil {
		return Stop{}, err
	}
	if err := c.awaitStop(ctx); err != nil {
		return Stop{}, fmt.Errorf("gdbremote: halt: %w", err)
	}
	return c.stop(ctx)
}

// standing is the stop of a target that stood before it was asked to.
func (c *Client) standing(ctx context.Context) (Stop, error) {
	s, err := c.stop(ctx)
	s.Already = true
	return s, err
}

// stop is the latest stop, after what has to be asked before the registers of the
// right thread can be.
func (c *Client) stop(ctx context.Context) (Stop, error) {
	if c.ended != nil {
		return c.latest, c.ended
	}
	if c.nonStop {
		if err := c.acceptStops(ctx); err != nil {
			return c.latest, err
		}
	}
	return c.latest, c.choose(ctx)
}

// choose makes g and p speak of the thread that stopped.
func (c *Client) choose(ctx context.Context) error {
	if t := c.latest.Thread; t != c.thread && t != "" {
		if _, err := c.ask(ctx, "Hg"+t); err != nil {
			return err
		}
		c.thread = t
	}
	return nil
}

// collect takes note of what came while the target ran.
func (c *Client) collect() error {
	for range mostPolls {
		e, ok, err := c.wire.poll()
		if !ok {
			return err
		}
		switch {
		case e.kind == gotNotification:
			c.notified(e.body)
		case e.kind == gotPacket && !c.halted:
			if _, err := c.sinceResume(e.body); err != nil {
				return err
			}
		case e.kind == gotPacket: // a target can end while it stands
			if s, ok, err := parseStop(e.body); ok && err != nil {
				c.stopped(s, err)
			}
		}
	}
	return nil
}

// lastWords takes note of what the server said before it was gone: often that the target
// ended.
func (c *Client) lastWords() {
	for until := time.Now().Add(lastWords); ; {
		e, err := c.wire.next(context.Background(), until)
		if err != nil {
			return
		}
		if s, ok, err := parseStop(e.body); ok && e.kind == gotPacket {
			c.stopped(s, err)
		}
	}
}

// sinceResume takes a packet that came after a resume. It is the stop reply, or
// the refusal of the resume.
func (c *Client) sinceResume(p []byte) (stopped bool, err error) {
	if s, ok, err := parseStop(p); ok {
		c.stopped(s, err)
		return true, nil
	}
	if c.outOfStep || c.nonStop || !isRefusal(p) {
		return false, nil
	}
	packet := c.resumedBy
	if len(p) == 0 {
		c.vCont = "" // the next resume is a plain one
	}
	c.stopped(Stop{}, nil)
	return true, &RefusedError{Packet: packet, Answer: shortened(p)}
}

// awaitStop waits for the stop reply.
func (c *Client) awaitStop(ctx context.Context) error {
	first := min(againAfter, c.timeout/4)
	until := time.Now().Add(first)
	tries := 1
	for {
		e, err := c.wire.next(ctx, until)
		switch {
		case errors.Is(err, ErrTimeout):
			if tries++; tries > 2 {
				return fmt.Errorf("%w (%v)", ErrTimeout, c.timeout)
			}
			c.stray = true
			if err := c.wire.raw([]byte{interruptByte}); err != nil {
				return err
			}
			until = time.Now().Add(c.timeout - first)
		case err != nil:
			return err
		case e.kind == gotNotification:
			c.notified(e.body)
		case e.kind == gotPacket:
			if stopped, err := c.sinceResume(e.body); stopped || err != nil {
				return err
			}
		}
	}
}

// Resume lets the target run on.
func (c *Client) Resume(ctx context.Context) error {
	if err := c.collect(); err != nil {
		return err
	}
	if c.ended != nil {
		return c.ended
	}
	if !c.halted {
		return nil
	}
	if err := c.settle(ctx); err != nil {
		return err
	}
	c.resumedBy = "c"
	if strings.Contains(c.vCont, "c") {
		c.resumedBy = "vCont;c"
	}
	if c.nonStop {
		return c.resumeThreads(ctx)
	}
	c.halted, c.interrupted = false, false
	c.wire.interrupting.Store(false)
	c.wire.running.Store(true)
	if err := c.wire.send([]byte(c.resumedBy)); err != nil {
		return err
	}
	if c.wire.noAck.Load() || !c.acknowledges {
		return nil
	}
	return c.awaitAck(ctx)
}

// awaitAck waits until the server has the packet that resumes the target.
func (c *Client) awaitAck(ctx context.Context) error {
	until := time.Now().Add(c.timeout)
	for resends := 0; ; {
		e, err := c.wire.next(ctx, until)
		switch {
		case errors.Is(err, ErrTimeout):
			return timeoutError("resume by "+c.resumedBy, c.timeout)
		case err != nil:
			return fmt.Errorf("gdbremote: resume: %w", err)
		case e.kind == gotAck:
			return nil
		case e.kind == gotNak:
			if resends++; resends > mostResends {
				return fmt.Errorf("gdbremote: %s: the server received it damaged, again and again", c.resumedBy)
			}
			if err := c.wire.send([]byte(c.resumedBy)); err != nil {
				return err
			}
		case e.kind == gotPacket:
			if stopped, err := c.sinceResume(e.body); stopped || err != nil {
				return err
			}
		}
	}
}
