//go:build linux

package usbfs

import (
	"encoding/binary"
	"syscall"
)

// struct usbdevfs_urb on a 64-bit machine.
const (
	urbSize         = 56
	urbStatus       = 4
	urbActualLength = 28
)

// URB types and flags.
const (
	urbInterrupt = 1
	urbControl   = 2
	urbBulk      = 3

	urbZeroPacket = 0x40
)

// Status of a finished URB: minus an errno (Linux, Documentation/driver-api/
// usb/error-codes.rst).
const (
	statusCancelled = -int32(syscall.ENOENT)
	statusStall     = -int32(syscall.EPIPE)
	statusProtocol  = -int32(syscall.EPROTO)
	statusOverflow  = -int32(syscall.EOVERFLOW)
	statusGone      = -int32(syscall.ESHUTDOWN)
)

// urb is one transfer of a program.
type urb struct {
	client   *client
	addr     uint64 // of the struct in the program's memory
	kind     byte
	endpoint byte
	flags    uint32
	buffer   uint64
	length   int

	data   []byte // sent to the device, or received from it
	status int32
	actual int
	in     bool
	at     uint64 // where in the program's memory received data go
}

func parseURB(addr uint64, b []byte) *urb {
	u := &urb{
		addr: addr, kind: b[0], endpoint: b[1],
		flags:  binary.LittleEndian.Uint32(b[8:]),
		buffer: binary.LittleEndian.Uint64(b[16:]),
		length: int(int32(binary.LittleEndian.Uint32(b[24:]))),
	}
	u.in, u.at = u.endpoint&0x80 != 0, u.buffer
	return u
}

// finish sets the outcome; data received are cut to the buffer.
func (u *urb) finish(status int32, received []byte) {
	u.status = status
	if !u.in {
		if status == 0 {
			u.actual = len(u.data)
		}
		return
	}
	if len(received) > u.length {
		u.status, received = statusOverflow, received[:u.length]
	}
	u.data, u.actual = received, len(received)
}

// reap writes the outcome where the program looks for it.
func (u *urb) reap(r *remote) {
	if u.in {
		r.write(u.at, u.data[:u.actual])
	}
	r.writeU32(u.addr+urbStatus, uint32(u.status))
	r.writeU32(u.addr+urbActualLength, uint32(u.actual))
}
