package reliability

import (
	"time"

	"github.com/mprof/mprof/sim"
	"github.com/mprof/mprof/sim/wire"
)

// injection is a fault of the table.
type injection struct {
	name   string
	fault  sim.Fault
	packet bool // it strikes packets, otherwise transfers
	lasts  bool // samples are missed as long as it does
	moves  bool // registers of a core that is halted for a sample change under it
	kill   bool // the process dies instead
}

const (
	unpluggedAndBack = "unplugged and back"
	sigkill          = "SIGKILL, then opened again"
)

const (
	longEnough = 20 * time.Millisecond
	tooLate    = 400 * time.Millisecond // for the sampler's patience
)

// injections are the rows of the table.
var injections = []injection{
	{name: "WAIT", fault: sim.Fault{Kind: sim.TransferWAIT, Count: 66}}, // more than the probe retries
	{name: "FAULT", fault: sim.Fault{Kind: sim.TransferFAULT}},
	{name: "no acknowledge", fault: sim.Fault{Kind: sim.NoAck}},
	{name: "parity", fault: sim.Fault{Kind: sim.Parity}},
	{name: "mismatch", fault: sim.Fault{Kind: sim.Mismatch, For: longEnough}, lasts: true},
	{name: "Secure state", fault: sim.Fault{Kind: sim.Secure, For: longEnough}, lasts: true},
	{name: "reset", fault: sim.Fault{Kind: sim.TargetReset}, moves: true},
	{name: "lockup", fault: sim.Fault{Kind: sim.Lockup}, moves: true},
	{name: "debug domain off", fault: sim.Fault{Kind: sim.DebugOff, For: longEnough}, lasts: true},
	{name: "brown-out", fault: sim.Fault{Kind: sim.BrownOut, For: longEnough}, lasts: true, moves: true},
	{name: unpluggedAndBack, fault: sim.Fault{Kind: sim.Unplug, For: longEnough}, lasts: true},
	{name: "short packet", fault: sim.Fault{Kind: sim.ShortPacket, Bytes: 5}, packet: true},
	{name: "packet of one byte", fault: sim.Fault{Kind: sim.ShortPacket, Bytes: 1}, packet: true},
	{name: "empty packet", fault: sim.Fault{Kind: sim.ShortPacket}, packet: true},
	{name: "long packet", fault: sim.Fault{Kind: sim.LongPacket, Bytes: 7}, packet: true},
	{name: "late packet", fault: sim.Fault{Kind: sim.LatePacket, For: tooLate}, packet: true},
	{name: "lost request", fault: sim.Fault{Kind: sim.LostRequest}, packet: true},
	{name: "lost response", fault: sim.Fault{Kind: sim.LostResponse}, packet: true},
	{name: "wrong count", fault: sim.Fault{Kind: sim.WrongCount}, packet: true},
	{name: sigkill, packet: true, lasts: true, kill: true},
}

// at is the fault at a point that counts from now.
func (i injection) at(point int) sim.Fault {
	f := i.fault
	if i.packet {
		f.Packet = uint64(point)
	} else {
		f.Transfer = uint64(point)
	}
	return f
}

// possible tells whether a probe model can show the fault: reports of HID have
// one length, and a firmware that breaks off fills them up with zeros, which no
// host can tell from data.
func (i injection) possible(model string) bool {
	m, err := wire.ByName(model)
	return err == nil && !(m.HID && i.fault.Kind == sim.ShortPacket)
}
