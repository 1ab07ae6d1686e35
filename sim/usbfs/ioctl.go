//go:build linux

package usbfs

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
)

// The ioctls of usbfs that libusb uses (Linux uapi, linux/usbdevice_fs.h, on a
// 64-bit machine).
const (
	ioctlSetInterface     = 0x80085504
	ioctlSetConfiguration = 0x80045505
	ioctlGetDriver        = 0x41045508
	ioctlSubmitURB        = 0x8038550A
	ioctlDiscardURB       = 0x0000550B
	ioctlReapURB          = 0x4008550C
	ioctlReapURBNoDelay   = 0x4008550D
	ioctlClaimInterface   = 0x8004550F
	ioctlRelease          = 0x80045510
	ioctlIoctl            = 0xC0105512
	ioctlReset            = 0x00005514
	ioctlClearHalt        = 0x80045515
	ioctlDisconnect       = 0x00005516 // inside ioctlIoctl
	ioctlConnect          = 0x00005517 // inside ioctlIoctl
	ioctlGetCapabilities  = 0x8004551A
	ioctlDisconnectClaim  = 0x8108551B
	ioctlGetSpeed         = 0x0000551F
)

// Capabilities that the device claims: zero packets, no limit of packet size,
// reaping after the device is gone.
const capabilities = 0x01 | 0x04 | 0x10

// Commands of the preload library's protocol: frames of three words {command,
// argument, argument}. It sends a request and serves accesses to its memory
// until it gets the result.
const (
	frameIoctl  = 1 // number, address of the argument
	frameDone   = 3 // result, errno
	frameRead   = 5 // address, length: it sends its memory
	frameWrite  = 6 // address, length, followed by the bytes
	frameReadF  = 7 // read(2) on the node
	frameWriteF = 8 // write(2) on the node
)

const frameSize = 24

// remote is the memory of a program under the preload library, while it waits
// for the result of an ioctl.
type remote struct {
	conn net.Conn
	out  []byte // frames to be sent
	err  error  // the first failure; everything after it does nothing
}

// send puts a frame behind those that go out together.
func (r *remote) send(command, a, b uint64, tail ...byte) {
	for _, v := range [...]uint64{command, a, b} {
		r.out = binary.LittleEndian.AppendUint64(r.out, v)
	}
	r.out = append(r.out, tail...)
}

// flush sends what waits: the program takes it up only as a whole.
func (r *remote) flush() {
	if r.err == nil && len(r.out) > 0 {
		_, r.err = r.conn.Write(r.out)
	}
	r.out = r.out[:0]
}

// request waits for the next call of the program.
func (r *remote) request() (command, a, b uint64, err error) {
	if r.flush(); r.err != nil {
		return 0, 0, 0, r.err
	}
	var f [frameSize]byte
	if _, err := io.ReadFull(r.conn, f[:]); err != nil {
		return 0, 0, 0, err
	}
	return binary.LittleEndian.Uint64(f[:]), binary.LittleEndian.Uint64(f[8:]), binary.LittleEndian.Uint64(f[16:]), nil
}

// read copies n bytes of the program's memory.
func (r *remote) read(addr uint64, n int) []byte {
	b := make([]byte, n)
	if n == 0 {
		return b
	}
	r.send(frameRead, addr, uint64(n))
	r.flush()
	if r.err == nil {
		if _, err := io.ReadFull(r.conn, b); err != nil {
			r.err = fmt.Errorf("usbfs: read the program's memory: %w", err)
		}
	}
	return b
}

func (r *remote) readU32(addr uint64) uint32 { return binary.LittleEndian.Uint32(r.read(addr, 4)) }

// write changes the program's memory.
func (r *remote) write(addr uint64, b []byte) {
	if len(b) > 0 {
		r.send(frameWrite, addr, uint64(len(b)), b...)
	}
}

func (r *remote) writeU32(addr uint64, v uint32) {
	r.write(addr, binary.LittleEndian.AppendUint32(nil, v))
}

func (r *remote) writeU64(addr uint64, v uint64) {
	r.write(addr, binary.LittleEndian.AppendUint64(nil, v))
}
