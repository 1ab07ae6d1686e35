package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/mprof/mprof/cortexm/check"
	"github.com/mprof/mprof/gdbremote"
)

// TestBesideSignal: a signal ends a run without a word, but not what went wrong beside it.
func TestBesideSignal(t *testing.T) {
	ended := &signalError{syscall.SIGINT}
	disk := errors.New("out.json: no space left on device")
	detach := fmt.Errorf("gdbremote: detach: %w", gdbremote.ErrHalted)
	for _, c := range []struct {
		err  error
		says []error
	}{
		{ended, nil},
		{context.Canceled, nil},
		{fmt.Errorf("probe: read: %w", context.Canceled), nil},
		{errors.Join(fmt.Errorf("probe: read: %w", context.Canceled), ended), nil},
		{errors.Join(context.Canceled, disk), []error{disk}},
		{errors.Join(errors.Join(ended, detach), disk), []error{detach, disk}},
		{errors.Join(context.Canceled, fmt.Errorf("check: %w: %w", check.ErrHalted, context.Canceled)), []error{check.ErrHalted}},
		{fmt.Errorf("gdbremote: %w: %w", context.Canceled, gdbremote.ErrHalted), []error{gdbremote.ErrHalted}},
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(ended)
		var out bytes.Buffer
		code := (&app{stderr: &out}).report(interrupted(ctx, c.err))
		if code != 130 || (out.Len() > 0) != (len(c.says) > 0) {
			t.Errorf("%q: exit code %d, it says %q", c.err, code, out.String())
		}
		for _, says := range c.says {
			if !strings.Contains(out.String(), says.Error()) {
				t.Errorf("%q: it says %q", c.err, out.String())
			}
		}
		if errors.Is(c.err, gdbremote.ErrHalted) && !strings.Contains(out.String(), "Connect once more") {
			t.Errorf("%q: no hint: %q", c.err, out.String())
		}
	}
	if err := interrupted(t.Context(), context.Canceled); !errors.Is(err, context.Canceled) {
		t.Errorf("no signal: %v", err)
	}
}
