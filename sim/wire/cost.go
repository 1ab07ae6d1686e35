package wire

import "time"

// SWCLK cycles of one transfer (ADIv5.2, B4.2; turnaround of one cycle, no
// idle cycles).
const (
	OKCycles     = 46 // 8 request, 1 turnaround, 3 acknowledge, 32 data, 1 parity, 1 turnaround
	NoDataCycles = 13 // WAIT or FAULT without a data phase: 8 + 1 + 3 + 1
)

// SWCLK is the clock that the probe really makes when hz is asked for. Asking
// for 0 changes nothing on a probe and returns its power-on clock, 1 MHz.
func (m Model) SWCLK(hz uint32) uint32 {
	if hz == 0 {
		hz = 1_000_000
	}
	return min(hz, m.MaxSWCLK)
}

// TransferTime is what n acknowledged SWD transfers take when the host asked
// for swclkHz: n*(46/SWCLK + overhead).
func (m Model) TransferTime(n int, swclkHz uint32) time.Duration {
	bits := Cycles(uint64(n)*OKCycles, m.SWCLK(swclkHz)).Duration()
	return bits + time.Duration(n)*m.TransferOverhead
}

// CommandTime is what n DAP commands cost beyond their transfers.
func (m Model) CommandTime(n int) time.Duration { return time.Duration(n) * m.CommandOverhead }

// Load is the work inside one packet: DAP commands (DAP_ExecuteCommands itself
// not counted) and acknowledged SWD transfers.
type Load struct{ Commands, Transfers int }

// BatchTime is how long the probe works on packets that the host submitted
// together: from the start of the first to the end of the last, with the gaps
// in which it waits for the next to arrive. This is the part of a halt that a
// driver cannot avoid.
func (m Model) BatchTime(packets []Load, swclkHz uint32) time.Duration {
	line := NewTimeline(m, 0)
	var first, end Instant
	for i, p := range packets {
		start := line.Begin(0)
		if i == 0 {
			first = start
		}
		end = start + Span(m.CommandTime(p.Commands)+m.TransferTime(p.Transfers, swclkHz))
		line.End(end)
	}
	return (end - first).Duration()
}

// RoundTrip is the time from handing over one packet to having its response,
// for a packet that takes work to execute, on an idle probe. For HID it is the
// mean over the phase of the request in its frame.
func (m Model) RoundTrip(work time.Duration) time.Duration {
	if !m.HID {
		return 2*m.PacketTime + work
	}
	out := m.PollInterval/2 + m.PacketTime // half a frame until the OUT slot, on average
	ready := m.PacketTime + work
	frames := ready/m.PollInterval + 1 // the IN slot after the response is ready
	return out + frames*m.PollInterval
}
