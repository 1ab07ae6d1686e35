package trace

import (
	"fmt"
	"io"
)

// Encoder writes what a target sends: for tests, for recordings, and as the
// reference for firmware.
type Encoder struct {
	w       io.Writer
	o       EncoderOptions
	payload []byte // of the packet of records that is being filled
	packet  []byte
	err     error
	writer2
}

// EncoderOptions may be zero.
type EncoderOptions struct {
	Version    int // of the records; 0: 1
	Variant    Variant
	MaxPayload int // bytes; 0: 512
}

// minPayload holds the largest record.
const minPayload = 64

// NewEncoder writes whole packets to w.
func NewEncoder(w io.Writer, o EncoderOptions) *Encoder {
	if o.Version == 0 {
		o.Version = 1
	}
	if o.MaxPayload == 0 {
		o.MaxPayload = 512
	}
	o.MaxPayload = min(max(o.MaxPayload, minPayload), 0xFFFF)
	return &Encoder{w: w, o: o}
}

// Record adds a record; in version 1 context switches are left out. It is
// written when a packet is full, or by Flush. An error of w stays.
func (e *Encoder) Record(r Record) error {
	if e.o.Version == 2 {
		return e.record2(r)
	}
	if r.Switch() {
		return e.err
	}
	if len(e.payload)+recordSize1 > e.o.MaxPayload {
		e.Flush()
	}
	if len(e.payload) == 0 {
		e.payload = append(e.payload, TypeProfileData)
	}
	e.payload = appendRecord1(e.payload, r)
	return e.err
}

// Dropped says that the target had no room for n records, which version 1 cannot
// say but in a STATUS.
func (e *Encoder) Dropped(n uint32) error {
	if e.o.Version == 2 && n > 0 {
		return e.dropped2(n)
	}
	return e.err
}

// Restart begins the numbers at 0, as a target does at START.
func (e *Encoder) Restart() error {
	e.Flush()
	e.number = 0
	return e.err
}

// Metadata writes all records and a METADATA.
func (e *Encoder) Metadata(m Metadata) error {
	e.Flush()
	return e.write(TypeMetadata, AppendMetadata(nil, m))
}

// Status writes all records and a STATUS.
func (e *Encoder) Status(s Status) error {
	e.Flush()
	return e.write(TypeStatus, AppendStatus(nil, s))
}

// Answer writes all records and an ACK (reason 0) or a NACK.
func (e *Encoder) Answer(command, reason byte) error {
	e.Flush()
	if reason == 0 {
		return e.write(TypeACK, []byte{command})
	}
	return e.write(TypeNACK, []byte{command, reason})
}

// Flush writes the records that wait for a full packet.
func (e *Encoder) Flush() error {
	if len(e.payload) > 0 {
		e.write(e.payload[0], e.payload[1:])
		e.payload = e.payload[:0]
	}
	return e.err
}

func (e *Encoder) write(kind byte, body []byte) error {
	if len(body) >= 0xFFFF && e.err == nil {
		e.err = fmt.Errorf("trace: packet of type %d: a body of %d bytes, want up to 65534", kind, len(body))
	}
	if e.err == nil {
		e.packet = e.o.Variant.AppendPacket(e.packet[:0], kind, body...)
		_, e.err = e.w.Write(e.packet)
	}
	return e.err
}
