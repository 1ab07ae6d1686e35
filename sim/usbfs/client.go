//go:build linux

package usbfs

import "syscall"

// client is one open file of the device node in a program.
type client struct {
	device *Device
	remote
	finished []*urb // to be reaped
}

// serve answers the calls until the program closes the file.
func (c *client) serve() {
	d := c.device
	for {
		command, number, arg, err := c.request()
		if err != nil {
			break
		}
		d.mu.Lock()
		result, errno := uint64(0), syscall.ENOTTY
		if command == frameIoctl {
			result, errno = c.ioctl(uint32(number), arg)
		}
		if errno != 0 {
			result = ^uint64(0)
		}
		c.send(frameDone, result, uint64(errno))
		d.mu.Unlock()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	c.conn.Close()
	delete(d.clients, c)
	for number, owner := range d.claims {
		if owner == c {
			delete(d.claims, number)
		}
	}
	d.forget(c)
	d.signal()
}

// ioctl runs one call.
func (c *client) ioctl(number uint32, arg uint64) (result uint64, errno syscall.Errno) {
	d := c.device
	switch number {
	case ioctlReapURB, ioctlReapURBNoDelay:
		return 0, c.reap(arg)
	case ioctlDiscardURB:
		if !d.discard(c, arg) {
			return 0, syscall.EINVAL
		}
		return 0, 0
	}
	if d.gone {
		return 0, syscall.ENODEV
	}
	switch number {
	case ioctlGetCapabilities:
		c.writeU32(arg, capabilities)
	case ioctlGetSpeed:
		if d.config.highSpeed() {
			return 3, 0 // USB_SPEED_HIGH
		}
		return 2, 0 // USB_SPEED_FULL
	case ioctlSubmitURB:
		return 0, c.submit(parseURB(arg, c.read(arg, urbSize)))
	case ioctlSetConfiguration:
		if c.readU32(arg) != 1 {
			return 0, syscall.EINVAL
		}
	case ioctlSetInterface:
		n := c.readU32(arg)
		if n > interfaceSerial || c.readU32(arg+4) != 0 {
			return 0, syscall.EINVAL
		}
		if n == interfaceDAP {
			d.clearHalt(endpointOut, endpointIn)
		}
	case ioctlClearHalt:
		e := byte(c.readU32(arg))
		if _, _, ok := d.config.endpoint(e); !ok {
			return 0, syscall.EINVAL
		}
		if e == endpointOut || e == endpointIn {
			d.clearHalt(e)
		}
	case ioctlReset:
	case ioctlIoctl:
		return c.driver(c.readU32(arg), c.readU32(arg+4))
	default:
		return 0, c.ownership(number, arg)
	}
	return 0, 0
}

// ownership runs the calls about who has an interface.
func (c *client) ownership(number uint32, arg uint64) syscall.Errno {
	d := c.device
	n := c.readU32(arg)
	if n > interfaceSerial {
		return syscall.EINVAL
	}
	switch number {
	case ioctlGetDriver:
		name, ok := d.drivers[n]
		if !ok {
			return syscall.ENODATA
		}
		c.write(arg+4, append([]byte(name), 0))
	case ioctlClaimInterface:
		return c.claim(n)
	case ioctlDisconnectClaim:
		delete(d.drivers, n)
		return c.claim(n)
	case ioctlRelease:
		if d.claims[n] != c {
			return syscall.EINVAL
		}
		delete(d.claims, n)
	default:
		return syscall.ENOTTY
	}
	return 0
}

func (c *client) claim(n uint32) syscall.Errno {
	d := c.device
	if owner := d.claims[n]; d.drivers[n] != "" || owner != nil && owner != c {
		return syscall.EBUSY
	}
	d.claims[n] = c
	return 0
}

// driver takes the kernel driver off an interface or gives it back; then the
// result is the number of drivers bound, as the kernel's.
func (c *client) driver(n, code uint32) (bound uint64, errno syscall.Errno) {
	d := c.device
	switch {
	case n > interfaceSerial:
		return 0, syscall.EINVAL
	case code == ioctlDisconnect:
		if d.drivers[n] == "" {
			return 0, syscall.ENODATA
		}
		delete(d.drivers, n)
	case code == ioctlConnect:
		if d.claims[n] != nil || d.drivers[n] != "" {
			return 0, syscall.EBUSY
		}
		if name := d.config.drivers()[n]; name != "" {
			d.drivers[n] = name
			return 1, 0
		}
	default:
		return 0, syscall.ENOTTY
	}
	return 0, 0
}

// submit starts a transfer.
func (c *client) submit(u *urb) syscall.Errno {
	d := c.device
	u.client = c
	if u.length < 0 {
		return syscall.EINVAL
	}
	if u.kind == urbControl && u.endpoint&0x7F == 0 {
		if u.length < setupSize {
			return syscall.EINVAL
		}
		d.control(u, &c.remote)
		return 0
	}
	number, attributes, ok := d.config.endpoint(u.endpoint)
	switch {
	case !ok:
		return syscall.ENOENT
	case u.kind != map[byte]byte{2: urbBulk, 3: urbInterrupt}[attributes], d.claims[number] != c:
		return syscall.EINVAL
	case u.in:
		d.submitIn(u)
	default:
		d.submitOut(u, &c.remote)
	}
	return 0
}

// reap hands a finished transfer back.
func (c *client) reap(arg uint64) syscall.Errno {
	d := c.device
	if len(c.finished) == 0 {
		if d.gone {
			return syscall.ENODEV
		}
		return syscall.EAGAIN
	}
	u := c.finished[0]
	c.finished = c.finished[1:]
	u.reap(&c.remote)
	c.writeU64(arg, u.addr)
	d.signal()
	return 0
}
