// Package usb finds CMSIS-DAP probes on USB and opens them. In: what the user
// calls the probe. Out: a probe.Transport over bulk endpoints (CMSIS-DAP v2) or
// over the interrupt endpoints of a HID interface (v1).
package usb

import (
	"fmt"
	"strings"
)

// The values of Device.Kind.
const (
	KindBulk = "CMSIS-DAP v2" // bulk endpoints
	KindHID  = "CMSIS-DAP v1" // HID reports
)

// marker is what a product or interface string of a probe contains
// (CMSIS-DAP, "Configure USB peripheral").
const marker = "CMSIS-DAP"

// Device is a probe on the bus.
type Device struct {
	VendorID, ProductID           uint16
	Bus, Address                  int
	Port                          string // where it is plugged in, as Linux writes it: 1-2.4, bus 1, port 2, port 4 of the hub there
	Product, Manufacturer, Serial string
	Kind                          string // KindBulk or KindHID; "" if it could not be opened to find out
	Known                         string // DAPLink, debugprobe, MCU-Link, ...; "" for one that is not in the table
	// Problem keeps it from being used: errors.Is tells probe.ErrPermission,
	// probe.ErrBusy and so on. nil: none.
	Problem error
}

// String names the probe in a list of several.
func (d Device) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%04x:%04x", d.VendorID, d.ProductID)
	if name := d.Name(); name != "" {
		fmt.Fprintf(&b, " %s", name)
	}
	if d.Serial != "" {
		fmt.Fprintf(&b, " (serial %s)", d.Serial)
	} else {
		fmt.Fprintf(&b, " (bus %d device %d)", d.Bus, d.Address)
	}
	return b.String()
}

// Name is what the probe calls itself, or what it is known as.
func (d Device) Name() string {
	if d.Product != "" {
		return d.Product
	}
	return d.Known
}
