// Package probe drives a CMSIS-DAP debug probe. In: a packet transport. Out:
// reads and writes of debug port and access port registers and of target
// memory, batched into as few packets as the probe allows.
package probe

import "context"

// Transport carries CMSIS-DAP packets: one command packet out, one response
// packet in, in order. Writing and reading are apart so that several packets
// can be in flight. Implementations: probe/usb for real probes, sim for the
// simulated board, probe/probetest for tests.
type Transport interface {
	// WritePacket queues one command packet of at most PacketSize bytes. It
	// returns when the probe (or the operating system) has taken it.
	WritePacket(ctx context.Context, p []byte) error
	// ReadPacket waits for the next response and copies it into p. HID
	// responses are padded to the packet size.
	ReadPacket(ctx context.Context, p []byte) (n int, err error)
	// PacketSize is the limit in bytes of a packet on this transport (bulk:
	// wMaxPacketSize clamps it; HID: the report size).
	PacketSize() int
	Close() error
}
