package gdbremote

import "bytes"

// A packet is "$" body "#" checksum: two digits, the sum of the bytes between
// the two signs, modulo 256. In the body "}" makes the next byte, with bit 5
// inverted, part of it, and "*" repeats the byte before it as often as the next
// byte says, less 29. A notification begins with "%" instead and is not
// acknowledged (GDB manual, E.1 "Overview" and E.11 "Notification Packets").
const (
	packetStart       = '$'
	notificationStart = '%'
	packetEnd         = '#'
	escapeNext        = '}'
	repeatLast        = '*'
	escapeBit         = 0x20
	repeatBias        = 29
	interruptByte     = 0x03
)

// mostPacket bounds what a server can make us keep of one packet: servers
// announce up to 64 KiB.
const mostPacket = 1 << 18

const hexDigits = "0123456789abcdef"

// appendPacket appends body as it goes over the wire.
func appendPacket(b, body []byte) []byte {
	b = append(b, packetStart)
	var sum byte
	for _, c := range body {
		switch c {
		case packetStart, packetEnd, escapeNext, repeatLast:
			b = append(b, escapeNext, c^escapeBit)
			c ^= escapeBit
			sum += escapeNext
		default:
			b = append(b, c)
		}
		sum += c
	}
	return append(b, packetEnd, hexDigits[sum>>4], hexDigits[sum&15])
}

// What comes from a server.
type eventKind byte

const (
	gotPacket eventKind = iota
	gotNotification
	gotAck
	gotNak
	gotDamaged // a packet whose checksum or coding is wrong, or that is too long
	gotCut     // a packet that another one broke off
	gotEnd     // of the stream: nothing follows
)

type event struct {
	kind eventKind
	body []byte
	err  error // of gotEnd
}

// decoder takes the stream of a server apart. What is between packets and is no
// acknowledge is passed over; a packet that begins in the middle of another one
// ends that.
type decoder struct {
	step  decodeStep
	kind  eventKind
	body  []byte
	sum   byte
	want  byte
	wrong bool
}

type decodeStep byte

const (
	between decodeStep = iota
	inBody
	inEscape
	inRepeat
	inSum0
	inSum1
)

// feed decodes p and calls emit for whatever is complete. The bodies are emit's.
func (d *decoder) feed(p []byte, emit func(event)) {
	for _, b := range p {
		if e, ok := d.next(b); ok {
			emit(e)
		}
	}
}

// next takes one byte.
func (d *decoder) next(b byte) (event, bool) {
	switch {
	case b == packetStart && d.step != between:
		d.begin(gotPacket)
		return event{kind: gotCut}, true
	case d.step == between:
		return d.nextBetween(b)
	case d.step == inSum0:
		d.want, d.step = digit(b)<<4, inSum1
		d.wrong = d.wrong || !isDigit(b)
	case d.step == inSum1:
		d.want |= digit(b)
		d.wrong = d.wrong || !isDigit(b)
		return d.end()
	case b == packetEnd:
		d.wrong = d.wrong || d.step != inBody
		d.step = inSum0
	default:
		d.sum += b
		d.nextInBody(b)
	}
	return event{}, false
}

func (d *decoder) nextBetween(b byte) (event, bool) {
	switch b {
	case packetStart:
		d.begin(gotPacket)
	case notificationStart:
		d.begin(gotNotification)
	case '+':
		return event{kind: gotAck}, true
	case '-':
		return event{kind: gotNak}, true
	}
	return event{}, false
}

func (d *decoder) begin(kind eventKind) { *d = decoder{step: inBody, kind: kind} }

func (d *decoder) nextInBody(b byte) {
	switch {
	case d.step == inEscape:
		d.step = inBody
		d.keep(b^escapeBit, 1)
	case d.step == inRepeat:
		d.step = inBody
		if b < repeatBias || b > '~' || len(d.body) == 0 {
			d.wrong = true
			return
		}
		d.keep(d.body[len(d.body)-1], int(b)-repeatBias)
	case b == escapeNext:
		d.step = inEscape
	case b == repeatLast:
		d.step = inRepeat
	default:
		d.keep(b, 1)
	}
}

func (d *decoder) keep(b byte, n int) {
	if len(d.body)+n > mostPacket {
		d.wrong = true
		return
	}
	for range n {
		d.body = append(d.body, b)
	}
}

func (d *decoder) end() (event, bool) {
	e := event{kind: d.kind, body: d.body}
	if d.wrong || d.want != d.sum && !(d.kind == gotNotification && d.want == nameless(d.body)) {
		e = event{kind: gotDamaged}
	}
	*d = decoder{}
	return e, true
}

// nameless is the checksum of a notification as pyOCD counts it: behind the name.
func nameless(body []byte) (sum byte) {
	_, rest, _ := bytes.Cut(body, []byte{':'})
	for _, b := range rest {
		sum += b
	}
	return sum
}

func isDigit(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'a' && b <= 'f' || b >= 'A' && b <= 'F'
}

// digit is the value of a hexadecimal digit, 0 for what is none.
func digit(b byte) byte {
	switch {
	case b >= '0' && b <= '9':
		return b - '0'
	case b >= 'a' && b <= 'f':
		return b - 'a' + 10
	case b >= 'A' && b <= 'F':
		return b - 'A' + 10
	}
	return 0
}

// allDigits tells whether p is hexadecimal digits alone, and some.
func allDigits(p []byte) bool {
	for _, b := range p {
		if !isDigit(b) {
			return false
		}
	}
	return len(p) > 0
}
