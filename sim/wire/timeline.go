package wire

// Timeline places packets in time: when each reaches the probe, when the probe
// starts on it and when its response reaches the host.
//
// Bulk: a packet takes PacketTime in each direction, the directions apart. HID:
// the frame has one slot per direction (USB 2.0, 5.7.4), so a report leaves at
// the next frame boundary that has no other report in that direction.
// The probe has PacketCount buffers; a buffer is free when its packet is done,
// and until then the endpoint NAKs. Packets execute one after the other.
type Timeline struct {
	model   Model
	phase   Instant   // of the frames, HID
	outFree Instant   // the OUT direction is free from here on
	inFree  Instant   // the same for IN
	done    []Instant // ends of the last PacketCount packets, oldest first
	idle    Instant   // end of the last packet
}

// NewTimeline starts with an idle bus. phase shifts the frames of a HID model
// against the clock's zero.
func NewTimeline(m Model, phase Instant) *Timeline {
	return &Timeline{model: m, phase: phase}
}

// Begin says when the probe starts on the next packet, submitted at submit.
// Every Begin is followed by its End.
func (l *Timeline) Begin(submit Instant) Instant {
	return max(l.arrive(submit), l.idle)
}

// arrive takes the OUT slot for a packet.
func (l *Timeline) arrive(submit Instant) Instant {
	at := max(submit, l.outFree)
	if n := l.model.PacketCount; n > 0 && len(l.done) >= n {
		at = max(at, l.done[len(l.done)-n])
	}
	at = l.slot(at)
	l.outFree = l.after(at)
	return at + Span(l.model.PacketTime)
}

// End notes that the packet was done at end and says when its response is at
// the host.
func (l *Timeline) End(end Instant) Instant {
	l.idle = end
	l.done = append(l.done, end)
	if n := l.model.PacketCount; len(l.done) > n {
		l.done = l.done[:copy(l.done, l.done[len(l.done)-n:])]
	}
	at := l.slot(max(end, l.inFree))
	l.inFree = l.after(at)
	return at + Span(l.model.PacketTime)
}

// slot is the first moment from at when a packet may leave.
func (l *Timeline) slot(at Instant) Instant {
	poll := Span(l.model.PollInterval)
	if !l.model.HID || poll <= 0 {
		return at
	}
	n := at - l.phase
	frames := n / poll
	if n%poll > 0 {
		frames++
	}
	return l.phase + frames*poll
}

// after is the moment from which another packet may leave, when one left at at.
func (l *Timeline) after(at Instant) Instant {
	if l.model.HID && l.model.PollInterval > 0 {
		return at + Span(l.model.PollInterval)
	}
	return at + Span(l.model.PacketTime)
}
