//go:build linux

package usbfs

import "encoding/binary"

// Standard and class requests on endpoint 0 (USB 2.0 table 9-4, HID 1.11
// section 7.2).
const (
	requestGetStatus     = 0
	requestClearFeature  = 1
	requestGetDescriptor = 6
	requestSetReport     = 9

	setupSize = 8
	classOut  = 0x21

	endpointOutRequest = 0x02 // standard, to an endpoint
)

// control runs a control transfer, whose setup packet is at the front of its
// buffer.
func (d *Device) control(u *urb, r *remote) {
	setup := r.read(u.buffer, setupSize)
	kind, request := setup[0], setup[1]
	value, length := binary.LittleEndian.Uint16(setup[2:]), int(binary.LittleEndian.Uint16(setup[6:]))
	u.in, u.at = kind&0x80 != 0, u.buffer+setupSize
	u.length = min(length, u.length-setupSize)
	switch {
	case u.in && request == requestGetDescriptor:
		if b, ok := d.config.descriptor(byte(value>>8), byte(value)); ok {
			d.done(u, 0, b[:min(len(b), u.length)])
			return
		}
	case u.in && request == requestGetStatus:
		d.done(u, 0, make([]byte, min(2, u.length)))
		return
	case kind == classOut && request == requestSetReport && d.config.HID:
		u.data = r.read(u.at, u.length)
		d.out = append(d.out, u)
		d.changed.Broadcast()
		return
	case !u.in && request == requestClearFeature:
		if kind == endpointOutRequest && value == 0 {
			d.clearFeature(byte(binary.LittleEndian.Uint16(setup[4:])))
		}
		d.done(u, 0, nil)
		return
	}
	d.done(u, statusStall, nil)
}
