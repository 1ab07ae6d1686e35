//go:build cgo

package usb

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/gousb"

	"github.com/mprof/mprof/probe"
)

// startAttempts is how often libusb is started: its monitor of the bus may fail to
// begin while another process begins one.
const (
	startAttempts = 3
	startPause    = 100 * time.Millisecond
)

// newContext starts libusb.
func newContext() (c *gousb.Context, err error) {
	for range startAttempts {
		if c, err = startLibusb(); err == nil {
			return c, nil
		}
		time.Sleep(startPause)
	}
	return nil, err
}

// startLibusb gives an error where gousb panics.
func startLibusb() (c *gousb.Context, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("usb: libusb does not start: %v", r)
		}
	}()
	return gousb.NewContext(), nil
}

// List finds the probes. One that cannot be used is in the list with its
// Problem; the error is about the bus as a whole.
func List(ctx context.Context) ([]Device, error) {
	c, err := newContext()
	if err != nil {
		return nil, err
	}
	defer c.Close()
	found, err := scan(ctx, c)
	devices := make([]Device, len(found))
	for i, f := range found {
		devices[i] = f.Device
	}
	return devices, err
}

// candidate is a probe and where in it the packets go.
type candidate struct {
	Device
	channel
}

// scan looks at every device that can be a probe.
func scan(ctx context.Context, c *gousb.Context) ([]candidate, error) {
	var descs []*gousb.DeviceDesc
	_, err := c.OpenDevices(func(d *gousb.DeviceDesc) bool {
		if mayBeProbe(d) {
			descs = append(descs, d)
		}
		return false
	})
	if err != nil && len(descs) == 0 {
		return nil, translate("list devices", err)
	}
	var found []candidate
	for _, d := range descs {
		if ctx.Err() != nil {
			return found, ctx.Err()
		}
		if f, ok := look(c, d); ok {
			found = append(found, f)
		}
	}
	slices.SortFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.Bus, b.Bus), cmp.Compare(a.Address, b.Address))
	})
	return found, nil
}

// mayBeProbe spares the devices that cannot be one: those without a vendor
// interface and without HID.
func mayBeProbe(d *gousb.DeviceDesc) bool {
	for _, config := range d.Configs {
		for _, i := range config.Interfaces {
			for _, alt := range i.AltSettings {
				if alt.Class == gousb.ClassVendorSpec || alt.Class == gousb.ClassHID {
					return true
				}
			}
		}
	}
	return knownAs(uint16(d.Vendor), uint16(d.Product), "") != ""
}

// look opens a device for a moment to read its strings.
func look(c *gousb.Context, desc *gousb.DeviceDesc) (candidate, bool) {
	f := candidate{Device: Device{VendorID: uint16(desc.Vendor), ProductID: uint16(desc.Product), Bus: desc.Bus, Address: desc.Address, Port: portOf(desc)}}
	f.Known = knownAs(f.VendorID, f.ProductID, "")
	dev, err := openAt(c, desc.Bus, desc.Address)
	if err != nil {
		return f, f.closed(translate(fmt.Sprintf("open %s", f.Device), err))
	}
	defer dev.Close()
	f.Product, _ = dev.Product()
	f.Manufacturer, _ = dev.Manufacturer()
	f.Serial, _ = dev.SerialNumber()
	// A name alone does not make an unnamed interface one of CMSIS-DAP: in its
	// RISC-V mode a WCH-Link is called as in the other.
	channel, ok := findChannel(dev, f.Product, f.Known != "")
	f.Known = knownAs(f.VendorID, f.ProductID, f.Product)
	f.channel, f.Kind = channel, channel.kind
	return f, ok
}

// portOf writes a place on the bus as Linux does.
func portOf(desc *gousb.DeviceDesc) string {
	ports := make([]string, len(desc.Path))
	for i, p := range desc.Path {
		ports[i] = strconv.Itoa(p)
	}
	return fmt.Sprintf("%d-%s", desc.Bus, strings.Join(ports, "."))
}

// closed fills in what is known of a device that cannot be opened, and says
// whether it is a probe.
func (f *candidate) closed(problem error) bool {
	t, _ := sysfsTexts(sysfs, f.Bus, f.Address)
	isProbe := f.Known != "" || t.isProbe()
	f.Product, f.Manufacturer, f.Serial = t.product, t.manufacturer, t.serial
	f.Known = knownAs(f.VendorID, f.ProductID, f.Product)
	f.Problem = problem
	return isProbe && !errors.Is(problem, probe.ErrDisconnected)
}

// openAt opens the device at a place on the bus.
func openAt(c *gousb.Context, bus, address int) (*gousb.Device, error) {
	all, err := c.OpenDevices(func(d *gousb.DeviceDesc) bool { return d.Bus == bus && d.Address == address })
	if len(all) == 0 {
		if err == nil {
			err = gousb.ErrorNoDevice
		}
		return nil, err
	}
	for _, more := range all[1:] {
		more.Close()
	}
	return all[0], nil
}
