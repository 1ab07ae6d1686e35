package sim

import (
	"slices"
	"time"

	"github.com/mprof/mprof/sim/dap"
	"github.com/mprof/mprof/sim/wire"
)

// submit queues a packet at the host's present time. DAP_TransferAbort acts
// when it arrives, behind the packets before it on the bus, where the probe
// knows it.
func (b *Board) submit(p []byte) {
	if b.usb.unplugged {
		return // it will turn out that nobody took it
	}
	if b.model.TransferAbort && p[0] == dap.IDTransferAbort {
		slot := max(b.model.PacketTime, b.model.PollInterval)
		arrives := b.now + wire.Span(time.Duration(len(b.usb.queue)+1)*slot)
		b.pins.aborts = append(b.pins.aborts, arrives)
		return
	}
	b.usb.queue = append(b.usb.queue, sent{packet: append([]byte(nil), p...), at: b.now})
}

// pump executes the packets that the probe begins up to an instant.
func (b *Board) pump(to wire.Instant) {
	for len(b.usb.queue) > 0 && b.begin() <= to {
		b.executeNext()
	}
}

// begin is when the probe starts on the first packet of the queue.
func (b *Board) begin() wire.Instant {
	head := &b.usb.queue[0]
	if !head.placed {
		head.start, head.placed = b.usb.line.Begin(head.at), true
	}
	return head.start
}

// executeNext runs the probe on the first packet of the queue, at its time.
func (b *Board) executeNext() {
	u := &b.usb
	start := b.begin()
	next := u.queue[0]
	b.advance(start)
	if u.unplugged {
		return
	}
	u.queue = u.queue[1:]
	struck := b.faults.onPacket(b)
	if slices.ContainsFunc(struck, func(f *Fault) bool { return f.Kind == LostRequest }) {
		u.line.End(b.at)
		return
	}
	answer, later, lost := b.spoil(b.processor.Execute(next.packet), struck)
	if b.model.HID {
		answer = append(answer, make([]byte, b.model.PacketSize-len(answer))...)
	}
	if end := u.line.End(b.at + later); !lost {
		u.ready = append(u.ready, response{packet: answer, at: end})
	}
}
