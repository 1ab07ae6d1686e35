//go:build linux && cgo

package strangers

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/mprof/mprof/gdbremote"
	"github.com/mprof/mprof/snapshot"
)

// TestInterruptedTwice: a halt that is given up, as by Ctrl-C, and asked for again sends OpenOCD two interrupts, of
// which the second comes to a core that stands. It runs afterwards.
func TestInterruptedTwice(t *testing.T) {
	s := openocdWith(t, 1)
	for range 3 {
		conn, err := gdbremote.Dial(t.Context(), s.address)
		if err != nil {
			t.Fatal(err)
		}
		c, err := gdbremote.Connect(t.Context(), conn, gdbremote.Options{Arch: snapshot.CortexM, Timeout: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Resume(t.Context()); err != nil {
			t.Fatal(err)
		}
		given, up := context.WithCancel(t.Context())
		up()
		for range 2 {
			if _, err := c.Halt(given); err != nil && !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
		}
		time.Sleep(100 * time.Millisecond) // the interrupts come to it one after the other, or together
		if err := c.Detach(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.runs(t)
		s.awaitFree(t)
	}
}
