package trace

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"
)

// accountant checks what a Decoder reports against the stream: every byte is in a
// packet or lost.
type accountant struct {
	heard
	t *testing.T
}

func (a *accountant) Records(b Batch) {
	if len(b.Records) == 0 || b.Version != 1 && b.Version != 2 || b.Numbered != (b.Version == 2) {
		a.t.Fatalf("batch %+v", b)
	}
	for _, r := range b.Records {
		if b.Version == 1 && (r.Switch() || r.Context != NoContext) {
			a.t.Fatalf("version 1: %+v", r)
		}
		if r.Switch() && (r.Duration != 0 || r.Depth != 0) {
			a.t.Fatalf("switch: %+v", r)
		}
	}
	a.heard.Records(b)
}

// FuzzDecoder is about any stream in any pieces.
func FuzzDecoder(f *testing.F) {
	for version := 1; version <= 2; version++ {
		for _, v := range []Variant{{}, {CRC: MODBUS, Over: OverPayload, AA55: true, BigEndian: true}} {
			f.Add(stream(EncoderOptions{Version: version, Variant: v, MaxPayload: 100}, 10, 30, 20e3, 1e6), uint64(1))
		}
	}
	f.Fuzz(func(t *testing.T, in []byte, seed uint64) {
		rng := rand.New(rand.NewPCG(seed, 0))
		a := &accountant{t: t}
		d := NewDecoder(a, DecoderOptions{MaxPayload: 1024})
		feed(rng, d, in)
		c := d.Counts()
		if c.Bytes != uint64(len(in)) || c.LostBytes > c.Bytes || c.LostBytes != a.lost(LostBytes).Bytes {
			t.Fatalf("%d bytes: %+v, %v", len(in), c, a.losses)
		}
		if c.Records != uint64(len(a.records)) || (c.Packets == 0) != (c.LostBytes == c.Bytes && c.Bytes > 0 || c.Bytes == 0) {
			t.Fatalf("%+v, %d records", c, len(a.records))
		}
	})
}

// FuzzPacket is about any payload: its records, written again, are the same.
func FuzzPacket(f *testing.F) {
	for version := 1; version <= 2; version++ {
		in := stream(EncoderOptions{Version: version, MaxPayload: 200}, 10, 30, 20e3, 1e6)
		n := int(binary.LittleEndian.Uint16(in[2:]))
		f.Add(in[frameHead : frameHead+n])
	}
	f.Add([]byte{TypeMetadata, 2})
	f.Add([]byte{TypeNACK, 2, 0})
	f.Fuzz(func(t *testing.T, payload []byte) {
		if len(payload) == 0 || len(payload) > maxPayload {
			return
		}
		a := &accountant{t: t}
		d := NewDecoder(a, DecoderOptions{Variant: &Variant{}})
		d.Write(Variant{}.AppendPacket(nil, payload[0], payload[1:]...))
		if c := d.Counts(); c.Packets != 1 || c.LostBytes != 0 {
			t.Fatalf("%+v", c)
		}
		for version := 1; version <= 2; version++ {
			checkAgain(t, version, a.batches)
		}
	})
}

// checkAgain writes records in a version and reads them.
func checkAgain(t *testing.T, version int, batches []Batch) {
	var out packets
	var want []Record
	e := NewEncoder(&out, EncoderOptions{Version: version})
	for _, b := range batches {
		for _, r := range b.Records {
			e.Record(r)
			if version == 1 {
				r.Context = NoContext
			} else if b.Version == 1 {
				r.Func &^= 1
			}
			if !r.Switch() {
				want = append(want, r)
			}
		}
	}
	e.Flush()
	h := decodeOne(Variant{}, slices.Concat(out...))
	got := slices.DeleteFunc(h.records, func(r Record) bool { return r.Switch() })
	if !slices.Equal(got, want) {
		t.Fatalf("version %d: %v, want %v", version, got, want)
	}
}

// FuzzCommands is about a target's side of the line.
func FuzzCommands(f *testing.F) {
	f.Add(AppendCommand(AppendCommand(nil, CommandGetMetadata, 2, 4), CommandStart))
	f.Fuzz(func(t *testing.T, in []byte) {
		n := 0
		d := NewCommandDecoder(Variant{}, func(_ byte, body []byte) {
			n += 1 + frameHead + frameTail + len(body)
		})
		d.Write(in)
		if n > len(in) {
			t.Fatalf("commands of %d bytes in %d", n, len(in))
		}
	})
}
