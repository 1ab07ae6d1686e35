package mprof_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/mprof/mprof/trace"
)

// packets cuts a stream that nothing was lost of.
func packets(t *testing.T, stream []byte) [][]byte {
	t.Helper()
	var all [][]byte
	for len(stream) > 0 {
		n := 4 + int(binary.LittleEndian.Uint16(stream[2:])) + 3
		if n > len(stream) {
			t.Fatalf("the last packet has %d of %d bytes", len(stream), n)
		}
		all = append(all, stream[:n])
		stream = stream[n:]
	}
	return all
}

// again encodes what it hears.
type again struct {
	t *testing.T
	*trace.Encoder
}

func (a again) Records(b trace.Batch) {
	for _, r := range b.Records {
		a.Record(r)
	}
}

func (a again) Loss(l trace.Loss) {
	if l.Kind != trace.Dropped {
		a.t.Errorf("%+v", l)
	}
	a.Dropped(uint32(l.Records))
}

func (a again) Metadata(m trace.Metadata) { a.Encoder.Metadata(m) }
func (a again) Status(s trace.Status)     { a.Encoder.Status(s) }

func (a again) Answer(command, reason byte) {
	if reason == 0 && (command == trace.CommandStart || command == trace.CommandReset) {
		a.Restart()
	}
	a.Encoder.Answer(command, reason)
}

// stream is what the module sends in a run.
func (s settings) stream(t *testing.T, kind string) []byte {
	o := &oracle{shift: tickShift(s), depth: int(s.depth), tasks: map[int]*activity{}, epochs: make([]epoch, 1)}
	o.read(t, s.run(t, kind))
	return o.bytes
}

// TestSameAsEncoder: the module and trace.Encoder write the same bytes of version
// 2 for the same packets.
func TestSameAsEncoder(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	dropped, switched := 0, 0
	for range 25 {
		s := someSettings(r, 2)
		var out bytes.Buffer
		e := trace.NewEncoder(&out, trace.EncoderOptions{Version: 2, MaxPayload: 0xFFFF})
		d := trace.NewDecoder(again{t, e}, trace.DecoderOptions{Variant: &trace.Variant{}})
		for i, p := range packets(t, s.stream(t, "exclusive")) {
			out.Reset()
			d.Write(p)
			e.Flush()
			if !bytes.Equal(out.Bytes(), p) {
				t.Fatalf("driver %v, packet %d\nmodule  %x\nencoder %x", s.args(), i, p, out.Bytes())
			}
			if p[4] == trace.TypeProfileData2 {
				dropped += bytes.Count(p, []byte{3<<6 | 63})
				switched += bytes.Count(p, []byte{3<<6 | 62})
			}
		}
	}
	if dropped == 0 || switched == 0 {
		t.Errorf("about %d marks of dropped records, %d context switches", dropped, switched)
	}
}

// sparse hears a stream of which bytes were lost.
type sparse struct {
	numbered map[[2]int]trace.Record // by run and number
	run      int
	missing  uint64
	records  int
	fail     func(string, ...any)
}

func (s *sparse) Metadata(trace.Metadata) {}
func (s *sparse) Status(trace.Status)     {}

func (s *sparse) Loss(l trace.Loss) {
	if l.Kind == trace.LostRecords {
		s.missing += l.Records
	}
}

func (s *sparse) Answer(command, reason byte) {
	if reason == 0 && (command == trace.CommandStart || command == trace.CommandReset) {
		s.run++
	}
}

func (s *sparse) Records(b trace.Batch) {
	for i, r := range b.Records {
		s.records++
		at := [2]int{s.run, int(b.Number) + i}
		if s.fail == nil {
			s.numbered[at] = r
		} else if want, ok := s.numbered[at]; !ok || want != r {
			s.fail("number %v is %+v, want %+v", at, r, want)
		}
	}
}

// TestLostBytes loses bytes on the way: every record that arrives is right, and
// the others are counted.
func TestLostBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 9))
	for range 20 {
		s := someSettings(r, 2)
		s.controls = 0 // one run
		stream := s.stream(t, "exclusive")
		whole := &sparse{numbered: map[[2]int]trace.Record{}}
		d := trace.NewDecoder(whole, trace.DecoderOptions{Variant: &trace.Variant{}})
		d.Write(stream)
		d.Close()

		all := packets(t, stream)
		var broken []byte
		for i, p := range all {
			if p[4] == trace.TypeProfileData2 && i < len(all)-10 && r.IntN(6) == 0 { // not the last ones: what is behind them tells the number
				p = bytes.Clone(p)
				at := r.IntN(len(p))
				if r.IntN(2) == 0 {
					p[at] ^= byte(1 + r.IntN(255))
				} else {
					p = append(p[:at], p[at+1:]...)
				}
			}
			broken = append(broken, p...)
		}
		part := &sparse{numbered: whole.numbered}
		part.fail = func(format string, args ...any) {
			t.Helper()
			t.Errorf("driver %v: "+format, append([]any{s.args()}, args...)...)
		}
		d = trace.NewDecoder(part, trace.DecoderOptions{Variant: &trace.Variant{}})
		d.Write(broken)
		d.Close()
		if part.records == whole.records {
			continue
		}
		if missing := uint64(whole.records - part.records); part.missing < missing {
			part.fail("%d of %d records arrived, and %d are said to be missing", part.records, whole.records, part.missing)
		}
	}
}
