//go:build cgo

package usb

import (
	"slices"
	"strings"

	"github.com/google/gousb"
)

// channel is where in a device the packets go.
type channel struct {
	kind                  string
	config, number, alt   int // interface
	in, out               gousb.EndpointDesc
	hasOut                bool // a HID interface may do without: SET_REPORT on endpoint 0
	inPacket, outPacket   int  // wMaxPacketSize in bytes
	sharesKernelInterface bool // a kernel driver holds it (HID)
}

// findChannel looks for the interface of CMSIS-DAP in the active
// configuration, v2 before v1. A device that is known to be a probe need not
// say so in its strings.
func findChannel(dev *gousb.Device, product string, known bool) (channel, bool) {
	config, err := dev.ActiveConfigNum()
	if err != nil {
		return channel{}, false
	}
	var bulk, hid []channel
	for _, i := range dev.Desc.Configs[config].Interfaces {
		if len(i.AltSettings) == 0 {
			continue
		}
		alt := i.AltSettings[0]
		text, _ := dev.InterfaceDescription(config, alt.Number, alt.Alternate)
		named := strings.Contains(text, marker)
		c := channel{config: config, number: alt.Number, alt: alt.Alternate}
		switch {
		case alt.Class == gousb.ClassVendorSpec && c.useBulk(dev, alt):
			if named {
				bulk = slices.Insert(bulk, 0, c)
			} else if known && text == "" {
				bulk = append(bulk, c)
			}
		case alt.Class == gousb.ClassHID && c.useHID(alt):
			if named {
				hid = slices.Insert(hid, 0, c)
			} else if known || strings.Contains(product, marker) {
				hid = append(hid, c)
			}
		}
	}
	all := append(bulk, hid...)
	if len(all) == 0 {
		return channel{}, false
	}
	return all[0], true
}

// useBulk takes the first OUT and the first IN endpoint in the order of the
// descriptor: a third is SWO (CMSIS-DAP, "Configure USB peripheral").
func (c *channel) useBulk(dev *gousb.Device, alt gousb.InterfaceSetting) bool {
	return c.use(alt, gousb.TransferTypeBulk, endpointOrder(dev, c.config, alt.Number), KindBulk) && c.hasOut
}

// useHID takes the interrupt endpoints; there is one of each direction at most.
func (c *channel) useHID(alt gousb.InterfaceSetting) bool {
	c.sharesKernelInterface = true
	return c.use(alt, gousb.TransferTypeInterrupt, nil, KindHID)
}

// use chooses endpoints of one transfer type, in the order given or else by
// address.
func (c *channel) use(alt gousb.InterfaceSetting, kind gousb.TransferType, order []byte, name string) bool {
	c.kind = name
	if len(order) == 0 {
		for address := range alt.Endpoints {
			order = append(order, byte(address))
		}
		slices.Sort(order)
	}
	hasIn := false
	for _, address := range order {
		e, ok := alt.Endpoints[gousb.EndpointAddress(address)]
		switch {
		case !ok || e.TransferType != kind || e.MaxPacketSize <= 0:
		case e.Direction == gousb.EndpointDirectionIn && !hasIn:
			c.in, c.inPacket, hasIn = e, packetSize(e), true
		case e.Direction == gousb.EndpointDirectionOut && !c.hasOut:
			c.out, c.outPacket, c.hasOut = e, packetSize(e), true
		}
	}
	if !c.hasOut {
		c.outPacket = c.inPacket
	}
	return hasIn
}

// packetSize is bits 10 to 0 of wMaxPacketSize (USB 2.0 table 9-13).
func packetSize(e gousb.EndpointDesc) int { return e.MaxPacketSize & 0x7FF }

// endpointOrder reads the configuration descriptor for the order of endpoints,
// which gousb does not keep. It is empty where that fails.
func endpointOrder(dev *gousb.Device, config, number int) []byte {
	const (
		in, getDescriptor    = 0x80, 6
		typeConfig, longest  = 2, 4096
		mostConfigurations   = 8
		configurationValueAt = 5
	)
	for index := range uint16(min(len(dev.Desc.Configs), mostConfigurations)) {
		buf := make([]byte, longest)
		n, err := dev.Control(in, getDescriptor, typeConfig<<8|index, 0, buf)
		if err != nil || n <= configurationValueAt {
			return nil
		}
		if int(buf[configurationValueAt]) == config {
			return endpointsOf(buf[:n], number)
		}
	}
	return nil
}
