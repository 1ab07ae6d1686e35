package snapshot

import (
	"encoding/binary"
	"errors"
	"time"
)

// appendSample encodes a snapshot: varints for seq, time, weight, halted;
// state8 miss8; the registers; the windows.
func appendSample(b []byte, s *Snapshot) []byte {
	b = binary.AppendUvarint(b, s.Seq)
	for _, d := range [...]time.Duration{s.Time, s.Weight, s.Halted} {
		b = binary.AppendVarint(b, int64(d))
	}
	b = append(b, byte(s.State), byte(s.Miss))
	if sampleKind(s) == recordWide {
		b = appendWideRegisters(b, &s.Regs)
	} else {
		b = appendRegisters(b, &s.Regs)
	}
	b = binary.AppendUvarint(b, uint64(len(s.Windows)))
	for _, w := range s.Windows {
		b = binary.LittleEndian.AppendUint32(b, w.Addr)
		b = binary.AppendUvarint(b, uint64(len(w.Data)))
		b = append(b, w.Data...)
	}
	return b
}

func appendFields(b []byte, fields []field) []byte {
	b = binary.AppendUvarint(b, uint64(len(fields)))
	for _, f := range fields {
		for _, s := range [...]string{f.name, f.value} {
			b = binary.AppendUvarint(b, uint64(len(s)))
			b = append(b, s...)
		}
	}
	return b
}

var errBody = errors.New("the record does not hold what its kind says")

// cursor reads the body of a record; after the first failure it yields zeros
// and err is set.
type cursor struct {
	p   []byte
	err error
}

func (c *cursor) fail() {
	c.p, c.err = nil, errBody
}

func (c *cursor) bytes(n uint64) []byte {
	if n > uint64(len(c.p)) {
		c.fail()
		return nil
	}
	v := c.p[:n:n]
	c.p = c.p[n:]
	return v
}

func (c *cursor) byte() byte {
	if v := c.bytes(1); v != nil {
		return v[0]
	}
	return 0
}

func (c *cursor) word() uint32 {
	if v := c.bytes(4); v != nil {
		return binary.LittleEndian.Uint32(v)
	}
	return 0
}

func (c *cursor) uvarint() uint64 {
	v, n := binary.Uvarint(c.p)
	if n <= 0 {
		c.fail()
		return 0
	}
	c.p = c.p[n:]
	return v
}

func (c *cursor) varint() int64 {
	v, n := binary.Varint(c.p)
	if n <= 0 {
		c.fail()
		return 0
	}
	c.p = c.p[n:]
	return v
}

// done is the error of the whole body: nothing may be left.
func (c *cursor) done() error {
	if c.err == nil && len(c.p) > 0 {
		c.fail()
	}
	return c.err
}

// sample decodes what appendSample wrote, in a record of that kind. The
// snapshot owns its memory.
func (c *cursor) sample(kind byte) (*Snapshot, error) {
	s := &Snapshot{Seq: c.uvarint()}
	for _, d := range [...]*time.Duration{&s.Time, &s.Weight, &s.Halted} {
		*d = time.Duration(c.varint())
	}
	s.State, s.Miss = State(c.byte()), Miss(c.byte())
	if kind == recordWide {
		c.wideRegisters(&s.Regs)
	} else {
		c.registers(&s.Regs)
	}
	n := c.uvarint()
	if n > uint64(len(c.p)) { // a window takes 5 bytes at least
		c.fail()
		n = 0
	}
	for range n {
		w := Window{Addr: c.word()}
		w.Data = append([]byte(nil), c.bytes(c.uvarint())...)
		s.Windows = append(s.Windows, w)
	}
	return s, c.done()
}

func (c *cursor) fields() ([]field, error) {
	n := c.uvarint()
	if n > uint64(len(c.p)) { // a field takes 2 bytes at least
		c.fail()
		n = 0
	}
	fields := make([]field, 0, n)
	for range n {
		var f field
		f.name = string(c.bytes(c.uvarint()))
		f.value = string(c.bytes(c.uvarint()))
		fields = append(fields, f)
	}
	return fields, c.done()
}
