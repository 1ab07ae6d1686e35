//go:build linux

package usbfs

import "github.com/mprof/mprof/sim/wire"

// Config is what the device says of itself in its descriptors.
type Config struct {
	VendorID, ProductID           uint16
	Manufacturer, Product, Serial string
	Interface                     string // string of the CMSIS-DAP interface
	HID                           bool   // v1: interrupt endpoints
	NoOut                         bool   // HID without an OUT endpoint: reports go through endpoint 0
	PacketSize                    int    // wMaxPacketSize; 512 makes it a high-speed device
	Port                          int    // of the root hub; 0: the next one
}

// ConfigOf is the device that a probe model is.
func ConfigOf(m wire.Model) Config {
	c := Config{
		VendorID: m.VendorID, ProductID: m.ProductID,
		Manufacturer: "mprof", Product: m.Product, Serial: m.Serial, Interface: "CMSIS-DAP v2 Interface",
		HID: m.HID, PacketSize: m.PacketSize,
	}
	if c.HID {
		c.Interface = "CMSIS-DAP v1 Interface"
	}
	return c
}

func (c Config) highSpeed() bool { return c.PacketSize > 64 }

// The interfaces: CMSIS-DAP, and the control interface of a serial port, which
// must stay with its kernel driver. Linux binds usbhid and cdc_acm.
const (
	interfaceDAP    = 0
	interfaceSerial = 1
)

// Endpoint addresses. SWO's is the lowest IN endpoint and stands third: only
// the order in the descriptor tells which is which.
const (
	endpointOut    = 0x04
	endpointIn     = 0x85
	endpointSWO    = 0x81
	endpointNotify = 0x83
)

// drivers are the kernel drivers that a fresh device has.
func (c Config) drivers() map[uint32]string {
	d := map[uint32]string{interfaceSerial: "cdc_acm"}
	if c.HID {
		d[interfaceDAP] = "usbhid"
	}
	return d
}

// endpoint says which interface and transfer type an endpoint address has
// (USB 2.0 table 9-13: 2 bulk, 3 interrupt).
func (c Config) endpoint(address byte) (number uint32, attributes byte, ok bool) {
	kind := byte(2)
	if c.HID {
		kind = 3
	}
	switch {
	case address == endpointNotify:
		return interfaceSerial, 3, true
	case address == endpointIn, address == endpointOut && !c.NoOut, address == endpointSWO && !c.HID:
		return interfaceDAP, kind, true
	}
	return 0, 0, false
}
