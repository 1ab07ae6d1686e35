package trace

import (
	"encoding/binary"
	"strings"
)

// body reads fields one after another. One that is incomplete is not there.
type body []byte

func (b *body) bytes(n int) ([]byte, bool) {
	if len(*b) < n {
		return nil, false
	}
	v := (*b)[:n]
	*b = (*b)[n:]
	return v, true
}

func (b *body) u8() (uint8, bool) {
	v, ok := b.bytes(1)
	if !ok {
		return 0, false
	}
	return v[0], true
}

func (b *body) u16() (uint16, bool) {
	v, ok := b.bytes(2)
	if !ok {
		return 0, false
	}
	return binary.LittleEndian.Uint16(v), true
}

func (b *body) u32() (uint32, bool) {
	v, ok := b.bytes(4)
	if !ok {
		return 0, false
	}
	return binary.LittleEndian.Uint32(v), true
}

// counted is a field behind its length, u8.
func (b *body) counted() ([]byte, bool) {
	n, ok := b.u8()
	if !ok {
		return nil, false
	}
	return b.bytes(int(n))
}

// text is a counted field that should be UTF-8.
func (b *body) text() (string, bool) {
	v, ok := b.counted()
	return strings.ToValidUTF8(string(v), "\uFFFD"), ok
}

// ParseMetadata reads a body of METADATA. What is not there is not in Known; what
// stands behind the fields that are known is skipped.
func ParseMetadata(b []byte) Metadata {
	var m Metadata
	rest := body(b)
	version, ok := rest.u8()
	m.Version = int(version)
	fields := [...]func() bool{
		func() bool { return ok },
		func() bool { m.Flags, ok = rest.u8(); return ok },
		func() bool { m.TimerHz, ok = rest.u32(); return ok },
		func() bool { m.BufferBytes, ok = rest.u32(); return ok },
		func() bool {
			id, ok := rest.counted()
			m.BuildID = append([]byte(nil), id...)
			return ok
		},
		func() bool { m.Name, ok = rest.text(); return ok },
		func() bool { m.TickShift, ok = rest.u8(); return ok },
		func() bool {
			pair, _ := rest.u32()
			inner, ok := rest.u32()
			if ok {
				m.PairCost, m.InnerCost = pair, inner
			}
			return ok
		},
		func() bool { m.Contexts, ok = rest.contexts(); return ok },
	}
	for _, field := range fields {
		if !field() {
			break
		}
		m.Known++
	}
	return m
}

// contexts reads the names of tasks, all or none.
func (b *body) contexts() ([]ContextName, bool) {
	n, ok := b.u8()
	if !ok {
		return nil, false
	}
	var names []ContextName
	for range n {
		id, ok := b.u16()
		if !ok {
			return nil, false
		}
		name, ok := b.text()
		if !ok {
			return nil, false
		}
		names = append(names, ContextName{id, name})
	}
	return names, true
}

// ParseStatus reads a body of STATUS, as ParseMetadata does.
func ParseStatus(b []byte) Status {
	var s Status
	rest := body(b)
	state, ok := rest.u8()
	if !ok {
		return s
	}
	s.Running = state != 0
	s.Known = KnownState
	for _, field := range [...]*uint32{&s.Dropped, &s.HighWater, &s.Sent, &s.Waiting, &s.TooDeep, &s.Unmatched} {
		if *field, ok = rest.u32(); !ok {
			break
		}
		s.Known++
	}
	return s
}

// AppendMetadata appends a body of METADATA with the fields in Known. Names are cut
// at 255 bytes.
func AppendMetadata(dst []byte, m Metadata) []byte {
	le := binary.LittleEndian
	for field := KnownVersion; field <= m.Known; field++ {
		switch field {
		case KnownVersion:
			dst = append(dst, byte(m.Version))
		case KnownFlags:
			dst = append(dst, m.Flags)
		case KnownTimerHz:
			dst = le.AppendUint32(dst, m.TimerHz)
		case KnownBufferBytes:
			dst = le.AppendUint32(dst, m.BufferBytes)
		case KnownBuildID:
			dst = appendCounted(dst, string(m.BuildID))
		case KnownName:
			dst = appendCounted(dst, m.Name)
		case KnownTickShift:
			dst = append(dst, m.TickShift)
		case KnownCosts:
			dst = le.AppendUint32(le.AppendUint32(dst, m.PairCost), m.InnerCost)
		case KnownContexts:
			names := m.Contexts[:min(len(m.Contexts), 255)]
			dst = append(dst, byte(len(names)))
			for _, c := range names {
				dst = appendCounted(le.AppendUint16(dst, c.ID), c.Name)
			}
		}
	}
	return dst
}

func appendCounted(dst []byte, s string) []byte {
	s = s[:min(len(s), 255)]
	return append(append(dst, byte(len(s))), s...)
}

// AppendStatus appends a body of STATUS with the fields in Known.
func AppendStatus(dst []byte, s Status) []byte {
	if s.Known < KnownState {
		return dst
	}
	state := byte(0)
	if s.Running {
		state = 1
	}
	dst = append(dst, state)
	fields := [...]uint32{s.Dropped, s.HighWater, s.Sent, s.Waiting, s.TooDeep, s.Unmatched}
	for _, field := range fields[:min(int(s.Known-KnownState), len(fields))] {
		dst = binary.LittleEndian.AppendUint32(dst, field)
	}
	return dst
}
