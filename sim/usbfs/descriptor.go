//go:build linux

package usbfs

import (
	"encoding/binary"
	"unicode/utf16"
)

// Indices of the strings.
const (
	stringManufacturer = 1 + iota
	stringProduct
	stringSerial
	stringInterface
)

// Descriptor types (USB 2.0 table 9-5, HID 1.11 section 7.1).
const (
	typeDevice    = 1
	typeConfig    = 2
	typeString    = 3
	typeInterface = 4
	typeEndpoint  = 5
	typeHID       = 0x21
	typeReport    = 0x22
)

const english = 0x0409

// deviceDescriptor is USB 2.0 table 9-8.
func (c Config) deviceDescriptor() []byte {
	d := []byte{18, typeDevice, 0x00, 0x02, 0xEF, 2, 1, 64}
	d = binary.LittleEndian.AppendUint16(d, c.VendorID)
	d = binary.LittleEndian.AppendUint16(d, c.ProductID)
	return append(d, 0x00, 0x01, stringManufacturer, stringProduct, stringSerial, 1)
}

// configDescriptor is USB 2.0 table 9-10 with what belongs to it.
func (c Config) configDescriptor() []byte {
	d := []byte{9, typeConfig, 0, 0, 2, 1, 0, 0x80, 50}
	if c.HID {
		d = c.appendHID(d)
	} else {
		d = append(d, 9, typeInterface, interfaceDAP, 0, 3, 0xFF, 0, 0, stringInterface)
		for _, e := range []byte{endpointOut, endpointIn, endpointSWO} {
			d = c.appendEndpoint(d, e, 0)
		}
	}
	d = append(d, 9, typeInterface, interfaceSerial, 0, 1, 2, 2, 0, 0)
	d = append(d, 7, typeEndpoint, endpointNotify, 3, 8, 0, 16)
	binary.LittleEndian.PutUint16(d[2:], uint16(len(d)))
	return d
}

func (c Config) appendHID(d []byte) []byte {
	report := reportDescriptor(c.PacketSize)
	endpoints := []byte{endpointIn, endpointOut}
	if c.NoOut {
		endpoints = endpoints[:1]
	}
	d = append(d, 9, typeInterface, interfaceDAP, 0, byte(len(endpoints)), 3, 0, 0, stringInterface)
	d = append(d, 9, typeHID, 0x11, 0x01, 0, 1, typeReport, byte(len(report)), 0)
	for _, e := range endpoints {
		d = c.appendEndpoint(d, e, 1)
	}
	return d
}

func (c Config) appendEndpoint(d []byte, address, interval byte) []byte {
	_, attributes, _ := c.endpoint(address)
	d = append(d, 7, typeEndpoint, address, attributes)
	d = binary.LittleEndian.AppendUint16(d, uint16(c.PacketSize))
	return append(d, interval)
}

// reportDescriptor: one input and one output report of n bytes without an
// identifier, vendor usage page (HID 1.11 section 6.2.2).
func reportDescriptor(n int) []byte {
	return []byte{0x06, 0x00, 0xFF, 0x09, 0x01, 0xA1, 0x01, 0x15, 0x00, 0x26, 0xFF, 0x00, 0x75, 0x08,
		0x96, byte(n), byte(n >> 8), 0x09, 0x01, 0x81, 0x02,
		0x96, byte(n), byte(n >> 8), 0x09, 0x01, 0x91, 0x02, 0xC0}
}

// stringDescriptor is USB 2.0 section 9.6.7: UTF-16 with a header.
func (c Config) stringDescriptor(index byte) ([]byte, bool) {
	text := map[byte]string{stringManufacturer: c.Manufacturer, stringProduct: c.Product, stringSerial: c.Serial, stringInterface: c.Interface}
	units := []uint16{english}
	if index != 0 {
		s, ok := text[index]
		if !ok {
			return nil, false
		}
		units = utf16.Encode([]rune(s))
	}
	d := []byte{byte(2 + 2*len(units)), typeString}
	for _, u := range units {
		d = binary.LittleEndian.AppendUint16(d, u)
	}
	return d, true
}

// descriptor answers GET_DESCRIPTOR (USB 2.0 section 9.4.3).
func (c Config) descriptor(kind, index byte) ([]byte, bool) {
	switch kind {
	case typeDevice:
		return c.deviceDescriptor(), true
	case typeConfig:
		return c.configDescriptor(), index == 0
	case typeString:
		return c.stringDescriptor(index)
	case typeReport:
		return reportDescriptor(c.PacketSize), c.HID
	}
	return nil, false
}
