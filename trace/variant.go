package trace

import (
	"fmt"
	"strings"
)

// Variant is one way to frame a packet. The zero value is the one of
// docs/trace-protocol.md.
type Variant struct {
	CRC       CRC
	Over      Coverage
	BigEndian bool // the high byte of the CRC comes first
	AA55      bool // the header is AA 55
}

// Coverage is what the CRC is over.
type Coverage uint8

const (
	OverLength  Coverage = iota // length and payload
	OverPayload                 // payload alone
	OverHeader                  // header, length and payload
	numCoverages
)

// numVariants is how many Variants there are.
const numVariants = int(numCRCs) * int(numCoverages) * 2 * 2

// Sizes of the frame.
const (
	frameHead = 4 // 55 AA, length
	frameTail = 3 // CRC, 0A
	frameEnd  = 0x0A
)

// header is the first two bytes of a packet.
func (v Variant) header() (byte, byte) {
	if v.AA55 {
		return 0xAA, 0x55
	}
	return 0x55, 0xAA
}

// crc is the two bytes that follow the payload, in the order of the wire;
// packet begins with the header and ends with the payload.
func (v Variant) crc(packet []byte) [2]byte {
	switch v.Over {
	case OverPayload:
		packet = packet[frameHead:]
	case OverLength:
		packet = packet[2:]
	}
	c := v.CRC.Sum(packet)
	if v.BigEndian {
		c = swap(c)
	}
	return [2]byte{byte(c), byte(c >> 8)}
}

// AppendPacket appends a packet of a type with its body, which must be shorter
// than 64 KiB.
func (v Variant) AppendPacket(dst []byte, kind byte, body ...byte) []byte {
	start := len(dst)
	h0, h1 := v.header()
	n := len(body) + 1
	dst = append(dst, h0, h1, byte(n), byte(n>>8), kind)
	dst = append(dst, body...)
	c := v.crc(dst[start:])
	return append(dst, c[0], c[1], frameEnd)
}

// index counts the variants, the zero value being 0.
func (v Variant) index() int {
	i := int(v.CRC)*int(numCoverages) + int(v.Over)
	i *= 4
	if v.BigEndian {
		i |= 1
	}
	if v.AA55 {
		i |= 2
	}
	return i
}

// Names of what differs from the zero value, behind that of the CRC.
const (
	suffixPayload = "payload"
	suffixHeader  = "header"
	suffixBig     = "be"
	suffixAA55    = "aa55"
)

// String is the name that ParseVariant takes: "ccitt-false", or
// "modbus-payload-be-aa55".
func (v Variant) String() string {
	s := v.CRC.String()
	switch v.Over {
	case OverPayload:
		s += "-" + suffixPayload
	case OverHeader:
		s += "-" + suffixHeader
	}
	if v.BigEndian {
		s += "-" + suffixBig
	}
	if v.AA55 {
		s += "-" + suffixAA55
	}
	return s
}

// VariantNames says in words what ParseVariant takes.
const VariantNames = "ccitt-false, xmodem, modbus or kermit, with -payload or -header (what the CRC is over; else length and payload), " +
	"-be (its high byte first), -aa55 (header AA 55)"

// ParseVariant understands "modbus-payload-be-aa55": a CRC and what differs from
// the zero value, in any order. "" and "auto" are nil: to be detected.
func ParseVariant(name string) (*Variant, error) {
	if name == "" || name == "auto" {
		return nil, nil
	}
	var v Variant
	rest, found := "", false
	for c := CRC(0); c < numCRCs && !found; c++ {
		if rest, found = strings.CutPrefix(name, c.String()); found {
			v.CRC = c
		}
	}
	if !found || rest != "" && rest[0] != '-' {
		return nil, fmt.Errorf("trace: variant %q: want %s", name, VariantNames)
	}
	for _, suffix := range strings.Split(rest, "-")[1:] {
		switch suffix {
		case suffixPayload:
			v.Over = OverPayload
		case suffixHeader:
			v.Over = OverHeader
		case suffixBig:
			v.BigEndian = true
		case suffixAA55:
			v.AA55 = true
		default:
			return nil, fmt.Errorf("trace: variant %q: what is %q? want %s", name, suffix, VariantNames)
		}
	}
	return &v, nil
}
