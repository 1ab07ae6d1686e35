//go:build cgo

package usb

import (
	"context"
	"errors"
	"time"

	"github.com/google/gousb"

	"github.com/mprof/mprof/probe"
)

// Reopen opens the probe d again after it was unplugged or reset: the one with
// the same ids and serial number, wherever it is plugged in now; one without a
// serial number at the port where it was. A probe that is not there is
// probe.ErrNotFound at once, so that the caller chooses how often to ask. One
// that has just come is tried for half a second: the system still sets its
// permissions, or a kernel driver still looks at it.
func Reopen(ctx context.Context, d Device) (probe.Transport, error) {
	const first, longest = 20 * time.Millisecond, 160 * time.Millisecond
	for pause := first; ; pause *= 2 {
		t, err := reopenOnce(ctx, d)
		if err == nil {
			return t, nil
		}
		if errors.Is(err, probe.ErrNotFound) || ctx.Err() != nil || pause > longest {
			return nil, err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// reopenOnce looks at the bus anew: a context of libusb knows the devices that
// were there when it was made.
func reopenOnce(ctx context.Context, d Device) (*transport, error) {
	c, err := newContext()
	if err != nil {
		return nil, err
	}
	t, err := openSame(ctx, c, d)
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return t, nil
}

func openSame(ctx context.Context, c *gousb.Context, d Device) (*transport, error) {
	found, err := scan(ctx, c)
	if err != nil {
		return nil, err
	}
	devices := make([]Device, len(found))
	for i, f := range found {
		devices[i] = f.Device
	}
	again, err := d.sameAmong(devices)
	if err != nil {
		return nil, err
	}
	if again.Problem != nil {
		return nil, again.Problem
	}
	return openFound(c, found, again)
}
