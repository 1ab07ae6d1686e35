//go:build linux

package usbfs

// halt is the Halt feature of an endpoint with its data toggles (USB 2.0, 8.6
// and 9.4.5).
type halt struct {
	on           bool
	host, device bool // DATA1 is next
}

// pass moves one packet on and tells whether the receiver takes it: with
// toggles that differ it is one that it has already.
func (h *halt) pass() bool {
	same := h.host == h.device
	h.host = !h.host
	if same {
		h.device = !h.device
	}
	return same
}

// Stall halts an endpoint: what is under way there, and all that comes later,
// fails until the halt is cleared.
func (d *Device) Stall(in bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.halts[index(in)].on = true
	if in && len(d.in) > 0 { // the others stay queued
		u := d.in[0]
		d.in = d.in[1:]
		d.done(u, statusStall, nil)
	}
}

// Halted tells whether an endpoint still is.
func (d *Device) Halted(in bool) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.halts[index(in)].on
}

func index(in bool) int {
	if in {
		return 1
	}
	return 0
}

// clearHalt is what the kernel does on request: the device's halt ends, and
// both sides begin with DATA0.
func (d *Device) clearHalt(endpoints ...byte) {
	for _, e := range endpoints {
		d.halts[index(e&0x80 != 0)] = halt{}
	}
}

// clearFeature is what the device does alone.
func (d *Device) clearFeature(endpoint byte) {
	h := &d.halts[index(endpoint&0x80 != 0)]
	h.on, h.device = false, false
}
