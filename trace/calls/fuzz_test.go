package calls

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/mprof/mprof/trace"
)

// sequence reads what a target might say from bytes.
type sequence struct {
	data []byte
	last uint32 // exit
}

func (s *sequence) byte() byte {
	if len(s.data) == 0 {
		return 0
	}
	b := s.data[0]
	s.data = s.data[1:]
	return b
}

func (s *sequence) word() uint32 {
	var w [4]byte
	s.data = s.data[copy(w[:], s.data):]
	return binary.LittleEndian.Uint32(w[:])
}

// record is mostly like those of a program.
func (s *sequence) record() trace.Record {
	kind := s.byte()
	r := trace.Record{Func: address(int(s.byte() % 8)), Depth: uint16(s.byte() % 6), Context: uint16(s.byte() % 4)}
	s.last += uint32(s.byte())
	r.Duration = uint32(s.byte())
	switch kind % 16 {
	case 0:
		r.Func, r.Duration = 0, 0
	case 1, 2, 3:
		r.Context |= 256
	case 4:
		r.Duration = s.word()
	case 5:
		r.Duration = trace.Saturated
	case 6:
		r.Depth = uint16(s.word())
	case 7:
		r.Func = s.word() | 2
	case 8:
		r.Context = uint16(s.word())
	case 9:
		s.last = s.word()
	}
	r.Entry = s.last - r.Duration
	return r
}

// FuzzBuilder gives a builder whatever a sink may hear, in any order: it makes a valid
// profile, in which no record is missing or counted twice.
func FuzzBuilder(f *testing.F) {
	f.Add([]byte("\x01\x10\x00\x00\x00\x10\x00\x01\x01\x00\x00\x10\x20"), uint8(0))
	s := newSimulator(1)
	s.length = 60
	s.run()
	var seed []byte
	for _, r := range s.records {
		seed = append(seed, 6, 1, 15, byte(r.Func/0x20), byte(r.Depth), byte(r.Context), byte(r.Duration), byte(r.Duration))
	}
	f.Add(seed, uint8(1))
	f.Fuzz(func(t *testing.T, data []byte, small uint8) {
		b := NewBuilder(names{}, Options{Keep: int(small) - 8, NoCalibrate: small&1 != 0})
		if small&2 != 0 {
			b.most = limits{waiting: 4 + int(small)/4, breaks: 8, paths: 1 << 18}
			b.tree.most = 16
		}
		calls, lost := uint64(0), uint64(0)
		for q := (&sequence{data: data}); len(q.data) > 0; {
			switch op := q.byte(); op % 16 {
			case 0:
				b.Metadata(trace.Metadata{
					Flags: q.byte(), TimerHz: q.word(), TickShift: q.byte(), PairCost: q.word() >> (q.byte() & 31), InnerCost: q.word() >> (q.byte() & 31),
					Known: trace.MetadataFields(q.byte() % 10),
				})
			case 1:
				b.Metadata(trace.Metadata{TimerHz: 168e6, TickShift: 4, PairCost: 50 << 8, InnerCost: 20 << 8, Known: trace.KnownContexts})
			case 2:
				l := trace.Loss{Kind: trace.LossKind(q.byte() % 8), Bytes: uint64(q.byte()), Records: uint64(q.byte())}
				b.Loss(l)
				if l.Kind < trace.NumLossKinds {
					lost += l.Records
				}
			case 3:
				b.Status(trace.Status{Dropped: q.word(), Sent: q.word(), Known: trace.StatusFields(q.byte() % 8)})
			case 4:
				b.Answer(q.byte()%6, q.byte()%2)
			case 5:
				b.Arrived(time.Duration(q.word()) << (q.byte() % 64))
			default:
				batch := trace.Batch{Version: 1 + int(op>>4)&1, Number: uint32(op), Numbered: op&0x20 != 0}
				for n := q.byte() % 16; n > 0 && len(q.data) > 0; n-- {
					r := q.record()
					if batch.Version == 1 {
						r.Context = trace.NoContext
						if r.Switch() {
							r.Func = 2
						}
					}
					if batch.Records = append(batch.Records, r); !r.Switch() {
						calls++
					}
				}
				b.Records(batch)
			}
		}
		p := finishLooked(t, b)
		if err := p.Check(); err != nil {
			t.Fatal(err)
		}
		if p.Trace.Calls+b.unread != calls || p.Trace.LostCalls < lost+b.unread {
			t.Fatalf("%d calls and %d left out of %d, %d lost of %d", p.Trace.Calls, b.unread, calls, p.Trace.LostCalls, lost)
		}
		if kept := uint64(max(int(small)-8, 0)); int(small) != 8 && (p.Trace.Kept < min(p.Trace.Calls, kept) || p.Trace.Kept > kept+uint64(len(p.Trace.Functions))) {
			t.Fatalf("%d of %d calls kept, %d asked for", p.Trace.Kept, p.Trace.Calls, kept)
		}
		if b.waiting != 0 {
			t.Fatalf("%d items wait", b.waiting)
		}
	})
}
