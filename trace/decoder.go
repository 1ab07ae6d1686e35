package trace

// Decoder turns the bytes of a target into what they say. It takes them in pieces
// of any size, finds packets wherever they begin, and counts what lies between
// them. A record is reported only from a packet whose CRC is right and whose whole
// body is well-formed.
type Decoder struct {
	sink    Sink
	frames  framer
	gap     uint64 // bytes lost since the last packet
	count   Counts
	records []Record
	packet2 reader2
	numbers numbering
}

// DecoderOptions may be zero.
type DecoderOptions struct {
	Variant    *Variant // nil: to be detected
	MaxPayload int      // bytes; a longer packet is none; 0: 16384, at most 65535
}

// maxPayload is more than targets have room for that have 10 KiB for tracing.
const maxPayload = 16 << 10

// Counts is what a Decoder has seen.
type Counts struct {
	Bytes     uint64
	LostBytes uint64 // that belong to no packet
	WrongCRC  uint64 // what looks like a packet but for the CRC; a damaged header hides one
	Packets   uint64 // with a right CRC
	Records   uint64 // calls and context switches
	Malformed uint64 // packets
	Unknown   uint64 // packets
}

// NewDecoder reports to a sink, from within Write, Flush and Close.
func NewDecoder(sink Sink, o DecoderOptions) *Decoder {
	if o.MaxPayload <= 0 {
		o.MaxPayload = maxPayload
	}
	d := &Decoder{sink: sink, frames: newFramer(min(o.MaxPayload, 0xFFFF), o.Variant)}
	d.frames.packet, d.frames.lost = d.packet, d.lost
	return d
}

// Write takes the next bytes of the stream. It never fails.
func (d *Decoder) Write(p []byte) (int, error) {
	d.count.Bytes += uint64(len(p))
	d.frames.write(p)
	return len(p), nil
}

// beginAnew forgets what is missing so far: nobody wanted it. It returns the bytes that may be
// the beginning of a packet; what follows makes of them what another Decoder makes of both.
func (d *Decoder) beginAnew() []byte {
	d.gap, d.numbers = 0, numbering{}
	return d.frames.buf[d.frames.read:]
}

// Flush gives up a packet that is incomplete: no more bytes of it will come. What
// waits for its variant to be detected goes on waiting.
func (d *Decoder) Flush() error {
	d.frames.flush()
	d.reportGap()
	return nil
}

// Close is the end of the stream: all bytes that are left are lost.
func (d *Decoder) Close() error {
	d.frames.close()
	d.reportGap()
	return nil
}

// Counts is what has been seen so far.
func (d *Decoder) Counts() Counts {
	c := d.count
	c.WrongCRC = d.frames.wrongCRC
	return c
}

// Variant is the one of the target; false: not yet certain.
func (d *Decoder) Variant() (Variant, bool) { return d.frames.variant, d.frames.locked }

// maxGap is after how many lost bytes a gap is reported though it goes on.
const maxGap = 64 << 10

func (d *Decoder) lost(n int) {
	d.count.LostBytes += uint64(n)
	if d.gap += uint64(n); d.gap >= maxGap {
		d.reportGap()
	}
}

func (d *Decoder) reportGap() {
	if d.gap > 0 {
		d.sink.Loss(Loss{Kind: LostBytes, Bytes: d.gap})
		d.gap = 0
	}
}

// packet reports what a payload says.
func (d *Decoder) packet(payload []byte) {
	d.reportGap()
	d.count.Packets++
	body := payload[1:]
	switch payload[0] {
	case TypeACK:
		d.answer(body, 0)
	case TypeNACK:
		d.answer(body, ReasonUnsaid)
	case TypeMetadata:
		m := ParseMetadata(body)
		if m.Flags&FlagStarted != 0 {
			d.numbers.restart()
		}
		d.sink.Metadata(m)
	case TypeStatus:
		d.sink.Status(ParseStatus(body))
	case TypeGprof:
		d.gprof(body)
	case TypeProfileData:
		d.profileData1(body)
	case TypeProfileData2:
		d.profileData2(body)
	default:
		d.count.Unknown++
		d.sink.Loss(Loss{Kind: Unknown, Bytes: frameBytes(payload)})
	}
}

// answer reports an ACK or a NACK; what it does not say is command 0.
func (d *Decoder) answer(body []byte, reason byte) {
	var command byte
	if len(body) > 0 {
		command = body[0]
	}
	if reason != 0 && len(body) > 1 && body[1] != 0 {
		reason = body[1]
	}
	if reason == 0 && (command == CommandStart || command == CommandReset) {
		d.numbers.restart()
	}
	d.sink.Answer(command, reason)
}

// malformed reports a packet none of whose records can be believed.
func (d *Decoder) malformed(body []byte) {
	d.count.Malformed++
	d.sink.Loss(Loss{Kind: Malformed, Bytes: frameBytes(body) + 1})
}

// frameBytes is the size of a packet with a payload.
func frameBytes(payload []byte) uint64 {
	return uint64(len(payload) + frameHead + frameTail)
}
