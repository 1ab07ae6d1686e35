//go:build cgo

package usb

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/gousb"

	"github.com/mprof/mprof/probe"
)

// Open opens the probe that name means: "" for the only one, a serial number,
// VID:PID, VID:PID:SERIAL, or part of a name. Several matches are an error that
// lists them.
func Open(ctx context.Context, name string) (probe.Transport, Device, error) {
	c, err := newContext()
	if err != nil {
		return nil, Device{}, err
	}
	t, d, err := openNamed(ctx, c, name)
	if err != nil {
		return nil, d, errors.Join(err, c.Close())
	}
	return t, d, nil
}

func openNamed(ctx context.Context, c *gousb.Context, name string) (*transport, Device, error) {
	found, err := scan(ctx, c)
	if err != nil {
		return nil, Device{}, err
	}
	devices := make([]Device, len(found))
	for i, f := range found {
		devices[i] = f.Device
	}
	d, err := parseSelector(name).choose(devices)
	if err != nil {
		return nil, d, err
	}
	if d.Problem != nil {
		return nil, d, d.Problem
	}
	t, err := openFound(c, found, d)
	return t, d, err
}

// openFound opens d, one of those found.
func openFound(c *gousb.Context, found []candidate, d Device) (*transport, error) {
	for _, f := range found {
		if f.Bus == d.Bus && f.Address == d.Address {
			return openChannel(c, f)
		}
	}
	return nil, fmt.Errorf("usb: %s: %w", d, probe.ErrNotFound)
}

// openChannel claims the interface and starts reading ahead. On an error
// everything but c is closed again.
func openChannel(c *gousb.Context, f candidate) (*transport, error) {
	action := fmt.Sprintf("open %s", f.Device)
	dev, err := openAt(c, f.Bus, f.Address)
	if err != nil {
		return nil, translate(action, err)
	}
	t := &transport{context: c, dev: dev, channel: f.channel, name: f.Device.String()}
	if err := t.claim(); err != nil {
		return nil, errors.Join(translate(action, err), t.closeDevice())
	}
	t.start()
	return t, nil
}

// claim takes the interface, and the HID interface from its kernel driver.
// Detaching is switched on after Config, which would take every interface of
// the device from its driver and give none back: the probe's serial port too.
func (t *transport) claim() (err error) {
	if t.config, err = t.dev.Config(t.channel.config); err != nil {
		return err
	}
	if t.sharesKernelInterface {
		if err := t.dev.SetAutoDetach(true); err != nil {
			return err
		}
	}
	t.padInterfaces()
	return t.openInterface()
}

// openInterface claims the interface and finds its endpoints.
func (t *transport) openInterface() (err error) {
	if t.intf, err = t.config.Interface(t.number, t.alt); err != nil {
		return err
	}
	if t.inEndpoint, err = t.intf.InEndpoint(t.in.Number); err != nil {
		return err
	}
	if t.hasOut {
		t.outEndpoint, err = t.intf.OutEndpoint(t.out.Number)
	}
	return err
}

// padInterfaces makes the list of interfaces long enough to be indexed by
// number, which gousb does although numbers may have gaps.
func (t *transport) padInterfaces() {
	d := &t.config.Desc
	for len(d.Interfaces) <= t.number {
		d.Interfaces = append(d.Interfaces, gousb.InterfaceDesc{Number: -1})
	}
}
