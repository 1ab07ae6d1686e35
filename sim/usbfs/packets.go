//go:build linux

package usbfs

import (
	"errors"
	"slices"

	"github.com/mprof/mprof/probe"
)

// submitOut queues a packet for the probe.
func (d *Device) submitOut(u *urb, r *remote) {
	u.data = r.read(u.buffer, u.length)
	if u.length == 0 || u.flags&urbZeroPacket != 0 && u.length%d.config.PacketSize == 0 {
		d.counts.ZeroPackets++
	}
	d.countFull(u.length)
	d.out = append(d.out, u)
	d.changed.Broadcast()
}

// submitIn waits for a response, or takes one that is there.
func (d *Device) submitIn(u *urb) {
	if u.endpoint != endpointIn {
		d.other = append(d.other, u)
		return
	}
	if d.halts[1].on {
		d.done(u, statusStall, nil)
		return
	}
	d.in = append(d.in, u)
	d.counts.DeepestIn = max(d.counts.DeepestIn, len(d.in))
	d.match()
}

// match gives responses to the transfers that wait, both in order.
func (d *Device) match() {
	for len(d.in) > 0 && len(d.inbox) > 0 {
		u, p := d.in[0], d.inbox[0]
		d.inbox = d.inbox[1:]
		d.counts.Responses++
		if d.halts[1].pass() {
			d.in = d.in[1:]
			d.countFull(len(p))
			d.done(u, 0, p)
		}
	}
}

func (d *Device) countFull(length int) {
	if !d.config.HID && length == d.config.PacketSize {
		d.counts.FullPackets++
	}
}

// discard cancels a transfer that has not begun.
func (d *Device) discard(c *client, addr uint64) bool {
	for _, queue := range []*[]*urb{&d.out, &d.in, &d.other} {
		i := slices.IndexFunc(*queue, func(u *urb) bool { return u.client == c && u.addr == addr })
		if i >= 0 {
			u := (*queue)[i]
			*queue = slices.Delete(*queue, i, i+1)
			d.done(u, statusCancelled, nil)
			return true
		}
	}
	return false
}

// forget drops the transfers of a program that is gone.
func (d *Device) forget(c *client) {
	for _, queue := range []*[]*urb{&d.out, &d.in, &d.other} {
		*queue = slices.DeleteFunc(*queue, func(u *urb) bool { return u.client == c })
	}
}

// sendLoop carries packets to the transport.
func (d *Device) sendLoop() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for {
		for len(d.out) == 0 && !d.gone {
			d.changed.Wait()
		}
		if d.gone {
			return
		}
		u := d.out[0]
		d.out = d.out[1:]
		if d.halts[0].on {
			d.done(u, statusStall, nil)
			continue
		}
		d.counts.Requests++
		if !d.halts[0].pass() {
			d.done(u, 0, nil) // acknowledged as a repetition
			continue
		}
		d.mu.Unlock()
		err := d.transport.WritePacket(d.ctx, u.data)
		d.mu.Lock()
		switch {
		case d.gone:
			d.done(u, statusGone, nil)
		case errors.Is(err, probe.ErrDisconnected):
			d.done(u, statusGone, nil)
			d.pull()
		case errors.Is(err, ErrStall):
			d.done(u, statusStall, nil)
		case err != nil:
			d.done(u, statusProtocol, nil)
		default:
			d.owed++
			d.done(u, 0, nil)
			d.changed.Broadcast()
		}
	}
}

// ErrStall is what a transport returns from WritePacket for an endpoint that
// stalls.
var ErrStall = errors.New("stall")

// receiveLoop carries responses from the transport.
func (d *Device) receiveLoop() {
	buf := make([]byte, max(d.config.PacketSize, d.transport.PacketSize()))
	d.mu.Lock()
	defer d.mu.Unlock()
	for {
		for d.owed == 0 && !d.gone {
			d.changed.Wait()
		}
		if d.gone {
			return
		}
		d.mu.Unlock()
		n, err := d.transport.ReadPacket(d.ctx, buf)
		d.mu.Lock()
		d.owed--
		switch {
		case errors.Is(err, probe.ErrDisconnected):
			d.pull()
		case err == nil:
			p := append([]byte(nil), buf[:n]...)
			if d.config.HID {
				p = append(p, make([]byte, max(0, d.config.PacketSize-n))...)
			}
			d.inbox = append(d.inbox, p)
			d.match()
		}
	}
}

// pull is Unplug from inside.
func (d *Device) pull() {
	d.mu.Unlock()
	d.Unplug()
	d.mu.Lock()
}
