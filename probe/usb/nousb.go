//go:build !cgo

package usb

import (
	"context"
	"fmt"

	"github.com/mprof/mprof/probe"
)

var errNoUSB = fmt.Errorf("usb: %w: it was built without cgo; install a C compiler and libusb 1.0 with its headers and build with CGO_ENABLED=1", probe.ErrNoUSB)

// List fails with probe.ErrNoUSB in a binary that was built without cgo.
func List(context.Context) ([]Device, error) { return nil, errNoUSB }

// Open fails with probe.ErrNoUSB in a binary that was built without cgo.
func Open(context.Context, string) (probe.Transport, Device, error) {
	return nil, Device{}, errNoUSB
}

// Reopen fails with probe.ErrNoUSB in a binary that was built without cgo.
func Reopen(context.Context, Device) (probe.Transport, error) { return nil, errNoUSB }
