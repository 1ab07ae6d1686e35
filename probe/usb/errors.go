//go:build cgo

package usb

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/gousb"

	"github.com/mprof/mprof/probe"
)

// causes are libusb's errors as ours.
var causes = []struct {
	code  gousb.Error
	cause error
}{
	{gousb.ErrorAccess, probe.ErrPermission},
	{gousb.ErrorNoDevice, probe.ErrDisconnected},
	{gousb.ErrorBusy, probe.ErrBusy},
	{gousb.ErrorNotFound, probe.ErrDisconnected},
}

// translate makes an error of ours of one of libusb. gousb wraps most of them
// as text, so that it is the text that must be looked at there.
func translate(action string, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	var status gousb.TransferStatus
	if errors.As(err, &status) && status == gousb.TransferNoDevice {
		return fmt.Errorf("usb: %s: %w", action, probe.ErrDisconnected)
	}
	var code gousb.Error
	isCode := errors.As(err, &code)
	for _, c := range causes {
		if isCode && code == c.code || !isCode && strings.Contains(err.Error(), c.code.Error()) {
			return fmt.Errorf("usb: %s: %w", action, c.cause)
		}
	}
	return fmt.Errorf("usb: %s: %w", action, err)
}
