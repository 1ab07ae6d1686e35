package trace

import "encoding/binary"

// writer2 is what an Encoder knows of a packet of version 2 and of those before.
type writer2 struct {
	number uint32 // of the next record
	last   uint32 // exit of the last record

	// In the packet, as reader2 has them.
	exit           uint32
	context, depth uint16
	address        uint32
	functions      map[uint32]byte
}

// record2 appends a record, in a new packet where it does not fit into this one.
func (e *Encoder) record2(r Record) error {
	if r.Func == 1 {
		return e.dropped2(1) // no address but for bit 0, which is not kept
	}
	r.Func &^= 1
	if r.Switch() {
		r.Duration, r.Depth = 0, 0
	}
	time := r.Exit()
	if !r.Switch() && r.Duration != Saturated && r.Context == 0 && r.Depth <= 1 {
		time = r.Entry // step 1 or 2: the first difference is 0
	}
	if len(e.payload) == 0 {
		e.begin2(time)
	}
	before, n := e.writer2, len(e.payload)
	e.append2(r)
	if len(e.payload) > e.o.MaxPayload {
		e.payload, e.writer2 = e.payload[:n], before
		e.Flush()
		e.begin2(time)
		e.append2(r)
	}
	e.number++
	e.last = r.Exit()
	return e.err
}

// dropped2 appends that n records were dropped.
func (e *Encoder) dropped2(n uint32) error {
	if len(e.payload)+1+binary.MaxVarintLen32 > e.o.MaxPayload {
		e.Flush()
	}
	if len(e.payload) == 0 {
		e.begin2(e.last)
	}
	e.payload = append(e.payload, stepOther<<6|referenceDropped)
	e.varint(n)
	e.number += n
	return e.err
}

// begin2 begins a packet.
func (e *Encoder) begin2(time uint32) {
	e.payload = append(e.payload[:0], TypeProfileData2)
	e.payload = binary.LittleEndian.AppendUint32(e.payload, e.number)
	e.payload = binary.LittleEndian.AppendUint32(e.payload, time)
	e.exit, e.context, e.depth, e.address = time, 0, 0, 0
	if e.functions == nil {
		e.functions = map[uint32]byte{}
	}
	clear(e.functions)
}

func (e *Encoder) varint(v uint32) { e.payload = binary.AppendUvarint(e.payload, uint64(v)) }

// append2 appends a call or a context switch.
func (e *Encoder) append2(r Record) {
	if r.Switch() {
		e.payload = append(e.payload, stepOther<<6|referenceSwitch)
		e.varint(uint32(r.Context))
		e.varint(r.Entry - e.exit)
		e.exit, e.context, e.depth = r.Entry, r.Context, 0
		return
	}
	step := e.step(r)
	reference, known := e.functions[r.Func]
	if !known {
		reference = referenceUnkept
		if len(e.functions) < maxReference {
			reference = referenceNew
			e.functions[r.Func] = byte(len(e.functions) + 1)
		}
	}
	e.payload = append(e.payload, step<<6|reference)
	if step == stepOther {
		e.varint(uint32(r.Context))
		e.varint(uint32(r.Depth))
	}
	if !known {
		d := int32(r.Func>>1 - e.address)
		e.varint(uint32(d<<1 ^ d>>31))
		e.address = r.Func >> 1
	}
	if step == stepSame || step == stepDown {
		e.varint(r.Entry - e.exit)
	} else {
		e.varint(r.Exit() - e.exit)
	}
	e.varint(r.Duration)
	e.exit, e.context, e.depth = r.Exit(), r.Context, r.Depth
}

// step is the shortest that can be said. Where a call was entered before the
// previous exit, its entry is no small difference.
func (e *Encoder) step(r Record) byte {
	if r.Context != e.context {
		return stepOther
	}
	later := r.Duration <= r.Exit()-e.exit && r.Duration != Saturated
	switch {
	case int(r.Depth) == int(e.depth)-1:
		return stepUp
	case r.Depth == e.depth && later:
		return stepSame
	case int(r.Depth) == int(e.depth)+1 && later:
		return stepDown
	}
	return stepOther
}
