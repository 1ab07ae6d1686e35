//go:build cgo

package usb

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/gousb"
)

// isStall tells whether a transfer ended because the endpoint is halted (USB
// 2.0, 8.5.3.4 and 9.4.5).
func isStall(err error) bool {
	var status gousb.TransferStatus
	return errors.As(err, &status) && status == gousb.TransferStall
}

// clearHalt makes halted endpoints work again. No transfer may be under way.
//
// CLEAR_FEATURE(ENDPOINT_HALT) as a control transfer would not do: the device
// begins again with DATA0 while the host's controller, which knows nothing of
// it, goes on with its own toggle, and takes every second packet for a repeated
// one. libusb_clear_halt does both, but gousb does not offer it. SET_INTERFACE
// does, too: it ends the halt of all endpoints of the interface and begins with
// DATA0 (USB 2.0, 9.1.1.5 and 9.4.5), and the system, which sends it, sets its
// own toggles. gousb sends it when an interface with several settings is opened.
func (t *transport) clearHalt() error {
	t.intf.Close()
	t.manySettings()
	if err := t.openInterface(); err != nil {
		return translate(fmt.Sprintf("clear the halt of %s", t.name), err)
	}
	return nil
}

// clearHaltBetween clears a halt when no packet is being sent.
func (t *transport) clearHaltBetween() error {
	t.sending.Lock()
	defer t.sending.Unlock()
	return t.clearHalt()
}

// manySettings lets gousb take the interface for one with several settings.
func (t *transport) manySettings() {
	all := slices.Clone(t.config.Desc.Interfaces)
	i := &all[t.number] // by number and not by place, as gousb counts them
	i.AltSettings = slices.Clone(i.AltSettings)
	for len(i.AltSettings) < 2 {
		i.AltSettings = append(i.AltSettings, gousb.InterfaceSetting{})
	}
	t.config.Desc.Interfaces = all
}

// unstall has the halt cleared by the goroutine that reads ahead, which first
// ends its transfers, and waits for it.
func (t *transport) unstall(ctx context.Context) {
	done := make(chan struct{})
	select {
	case t.stalled <- done:
	case <-t.stopped:
		return
	case <-ctx.Done():
		return
	}
	select {
	case <-done:
	case <-t.stopped:
	case <-ctx.Done():
	}
}
