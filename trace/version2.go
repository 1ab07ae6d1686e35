package trace

import (
	"encoding/binary"
	"slices"
)

// headSize2 is number and time at the start of a body of version 2, bytes.
const headSize2 = 8

// leastRecord2 is the size of the smallest call in version 2, bytes.
const leastRecord2 = 3

// What relates a record to the previous one.
const (
	stepUp    = iota // depth - 1, time is of the exit
	stepSame         // the same depth, time is of the entry
	stepDown         // depth + 1, time is of the entry
	stepOther        // context and depth follow, time is of the exit
)

// References that are no number of a function.
const (
	referenceNew     = 0
	maxReference     = 60
	referenceUnkept  = 61
	referenceSwitch  = 62
	referenceDropped = 63
)

// reader2 reads the records of one packet of version 2.
type reader2 struct {
	body    []byte
	records []Record
	dropped []dropMark

	exit, context uint32 // of the last context switch, and time at the start

	address   uint32     // that was written last, >> 1
	functions [64]uint32 // by reference; 61 is the one that was read last
	given     uint32     // numbers of functions
}

// dropMark says that n records were dropped before one of the records.
type dropMark struct {
	before int
	n      uint32
}

// varint reads a number of at most 32 bits at b[i:] and returns where it ends, or a
// negative index. Whether it has one byte or two is not branched upon: nothing
// could predict it.
func varint(b []byte, i int) (uint32, int) {
	if i+1 < len(b) {
		w := uint32(b[i]) | uint32(b[i+1])<<8
		if w&0x8080 != 0x8080 {
			two := w >> 7 & 1
			return w&0x7F | w>>1&0x3F80&-two, i + 1 + int(two)
		}
	}
	return varintLong(b, i)
}

func varintLong(b []byte, i int) (uint32, int) {
	var v uint32
	for shift := 0; i < len(b); shift += 7 {
		c := uint32(b[i])
		i++
		if shift == 28 && c > 0x0F {
			break
		}
		v |= c & 0x7F << shift
		if c < 0x80 {
			return v, i
		}
	}
	return 0, -1
}

// read decodes the whole packet and tells whether it is well-formed.
func (p *reader2) read() bool {
	b, i := p.body, 0
	p.records = slices.Grow(p.records, len(b)/leastRecord2+1)
	exit, context, depth := p.exit, uint32(0), uint32(0)
	for i < len(b) {
		head := b[i]
		i++
		reference, step := uint32(head&63), head>>6
		switch {
		case reference >= referenceSwitch:
			p.exit = exit
			if i = p.special(step, reference, i); i < 0 {
				return false
			}
			if reference == referenceSwitch {
				exit, context, depth = p.exit, p.context, 0
			}
			continue
		case step == stepUp:
			depth--
		case step == stepDown:
			depth++
		case step == stepOther:
			context, depth, i = p.place(i)
		}
		if depth > 0xFFFF || i < 0 {
			return false
		}
		if reference == referenceNew || reference == referenceUnkept {
			if reference, i = p.function(reference, i); i < 0 {
				return false
			}
		} else if reference > p.given {
			return false
		}
		var time, duration uint32
		if time, i = varint(b, i); i < 0 {
			return false
		}
		if duration, i = varint(b, i); i < 0 {
			return false
		}
		exit += time
		entry := exit
		if step == stepSame || step == stepDown {
			if duration == Saturated {
				return false
			}
			exit += duration
		} else {
			entry -= duration
		}
		p.records = append(p.records, Record{
			Func:     p.functions[reference&63],
			Entry:    entry,
			Duration: duration,
			Context:  uint16(context),
			Depth:    uint16(depth),
		})
	}
	return true
}

// place reads a context and a depth.
func (p *reader2) place(i int) (context, depth uint32, end int) {
	if context, i = varint(p.body, i); i < 0 || context > 0xFFFF {
		return 0, 0, -1
	}
	depth, i = varint(p.body, i)
	return context, depth, i
}

// function reads an address and gives it a number.
func (p *reader2) function(reference uint32, i int) (uint32, int) {
	z, i := varint(p.body, i)
	if i < 0 {
		return 0, -1
	}
	p.address += z>>1 ^ -(z & 1)
	if p.address&(1<<31-1) == 0 {
		return 0, -1
	}
	if reference == referenceNew {
		if p.given == maxReference {
			return 0, -1
		}
		p.given++
		reference = p.given
	}
	p.functions[reference&63] = p.address << 1
	return reference, i
}

// special reads what is no call.
func (p *reader2) special(step byte, reference uint32, i int) int {
	if step != stepOther {
		return -1
	}
	v, i := varint(p.body, i)
	if i < 0 {
		return -1
	}
	if reference == referenceDropped {
		if v == 0 {
			return -1
		}
		p.dropped = append(p.dropped, dropMark{len(p.records), v})
		return i
	}
	time, i := varint(p.body, i)
	if i < 0 || v > 0xFFFF {
		return -1
	}
	p.exit += time
	p.context = v
	p.records = append(p.records, Record{Entry: p.exit, Context: uint16(v)})
	return i
}

// profileData2 reports the records of version 2.
func (d *Decoder) profileData2(body []byte) {
	if len(body) < headSize2 {
		d.malformed(body)
		return
	}
	number := binary.LittleEndian.Uint32(body)
	p := &d.packet2
	p.body, p.records, p.dropped = body[headSize2:], p.records[:0], p.dropped[:0]
	p.exit, p.address, p.given = binary.LittleEndian.Uint32(body[4:]), 0, 0
	if !p.read() {
		d.malformed(body)
		return
	}
	if missing, gap := d.numbers.at(number); gap {
		d.sink.Loss(Loss{Kind: LostRecords, Records: uint64(missing)})
	}
	from := 0
	for _, mark := range p.dropped {
		number = d.records2(number, p.records[from:mark.before])
		from = mark.before
		d.sink.Loss(Loss{Kind: Dropped, Records: uint64(mark.n)})
		number += mark.n
	}
	d.numbers.reached(d.records2(number, p.records[from:]))
}

// records2 reports records that follow each other and returns the next number.
func (d *Decoder) records2(number uint32, r []Record) uint32 {
	if len(r) == 0 {
		return number
	}
	d.count.Records += uint64(len(r))
	d.sink.Records(Batch{Version: 2, Number: number, Numbered: true, Records: r})
	return number + uint32(len(r))
}
