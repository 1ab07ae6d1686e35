package gdbremote

import (
	"context"
	"errors"
	"fmt"
)

// Detach leaves the target running and closes the connection. LeftBy says how. An
// error wraps ErrHalted where the target may stand.
func (c *Client) Detach(ctx context.Context) error {
	defer c.wire.close()
	var ended *ExitedError
	err := c.leave(ctx)
	if errors.Is(err, ErrDisconnected) {
		if c.lastWords(); c.ended != nil {
			err = c.ended
		}
	}
	if errors.As(err, &ended) {
		c.leftBy = "the target had ended"
		return nil
	}
	if err != nil {
		return fmt.Errorf("%w: %w", err, ErrHalted)
	}
	return nil
}

// LeftBy says what left the target running, after Detach.
func (c *Client) LeftBy() string { return c.leftBy }

// leave resumes by D (GDB manual, E.2: D resumes). OpenOCD's D leaves the target as
// it is, but it takes requests while the target runs; other servers take none then.
func (c *Client) leave(ctx context.Context) error {
	if err := c.settleHalted(ctx); err != nil {
		return err
	}
	if c.nonStop || c.answersRunning() {
		if err := c.resumeForGood(ctx); err != nil {
			return err
		}
		c.leftBy = c.resumedBy + " and D"
		if c.detached(ctx) != nil {
			c.leftBy = c.resumedBy
		}
		return nil
	}
	refused := c.detached(ctx)
	if refused == nil {
		c.halted, c.leftBy = false, "D"
		return nil
	}
	if errors.Is(refused, ErrDisconnected) || ctx.Err() != nil {
		return refused
	}
	// It does not know D, or what it answered is lost or no answer. If it has let the
	// target go after all, this does no harm.
	if err := c.Resume(ctx); err != nil {
		if !errors.As(refused, new(*RefusedError)) {
			return refused
		}
		return err
	}
	c.leftBy = c.resumedBy
	return nil
}

// mostStrays is how often a resume is looked after.
const mostStrays = 16

// resumeForGood resumes, and where an interrupt may have come to a target that stood, asks something to see that it
// holds: OpenOCD keeps such an interrupt, and halts the target behind the next resume, before it answers anything
// else (gdb_server.c, ctrl_c).
func (c *Client) resumeForGood(ctx context.Context) error {
	var unanswered error
	for range mostStrays {
		if err := c.Resume(ctx); err != nil || c.nonStop || !c.stray {
			return err
		}
		_, unanswered = c.ask(ctx, "qC")
		switch {
		case errors.Is(unanswered, ErrDisconnected) || ctx.Err() != nil:
			return unanswered
		case unanswered == nil && (!c.halted || c.latest.Signal != SignalInt):
			return nil
		}
	}
	if unanswered != nil {
		return unanswered
	}
	return fmt.Errorf("gdbremote: the target is halted again behind each %s", c.resumedBy)
}

// settleHalted halts a target that has to stand for D, or that may: a halt that was
// given up half way.
func (c *Client) settleHalted(ctx context.Context) error {
	if c.halted || (c.nonStop || c.answersRunning()) && !c.interrupted {
		return c.ended
	}
	_, err := c.Halt(ctx)
	return err
}

func (c *Client) detached(ctx context.Context) error { return c.askOK(ctx, "D") }
