package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/mprof/mprof/cortexm/check"
	"github.com/mprof/mprof/gdbremote"
)

// signalError is a run that a signal ended before its time.
type signalError struct{ signal syscall.Signal }

func (e *signalError) Error() string { return fmt.Sprintf("ended by %v", e.signal) }

// withSignals returns a context that the first SIGINT or SIGTERM cancels,
// with a signalError as its cause. A second one is left to the system, so
// that a stuck run can still be ended.
func withSignals(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	ch := make(chan os.Signal, 1)
	signal.Notify(ch, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case s := <-ch:
			number, ok := s.(syscall.Signal)
			if !ok {
				number = syscall.SIGINT
			}
			signal.Stop(ch)
			cancel(&signalError{number})
		case <-ctx.Done():
		}
	}()
	return ctx, func() { signal.Stop(ch); cancel(nil) }
}

// interrupted is the signal that ended what failed, if it was one, and what else went wrong on the
// way out.
func interrupted(ctx context.Context, err error) error {
	var sig *signalError
	if errors.Is(err, context.Canceled) && errors.As(context.Cause(ctx), &sig) {
		return errors.Join(sig, besideSignal(err))
	}
	return err
}

// besideSignal is what an error says beside that a signal ended the run: a core that may stand, an output that
// could not be written. nil: nothing.
func besideSignal(err error) error {
	if many, ok := err.(interface{ Unwrap() []error }); ok && err.Error() == errors.Join(many.Unwrap()...).Error() {
		var rest []error
		for _, e := range many.Unwrap() {
			rest = append(rest, besideSignal(e))
		}
		return errors.Join(rest...)
	}
	if (errors.Is(err, context.Canceled) || as[*signalError](err)) && !errors.Is(err, gdbremote.ErrHalted) && !errors.Is(err, check.ErrHalted) {
		return nil
	}
	return err
}
