package trace

import (
	"encoding/binary"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// packets keeps what an Encoder writes, packet by packet.
type packets [][]byte

func (p *packets) Write(b []byte) (int, error) {
	*p = append(*p, slices.Clone(b))
	return len(b), nil
}

// feed writes a stream in pieces of random size.
func feed(rng *rand.Rand, d *Decoder, stream []byte) {
	most := 1 << rng.IntN(16)
	for len(stream) > 0 {
		n := min(1+rng.IntN(most), len(stream))
		d.Write(stream[:n])
		stream = stream[n:]
	}
	d.Close()
}

// decodeOne decodes a packet by itself.
func decodeOne(v Variant, packet []byte) *heard {
	h := &heard{}
	d := NewDecoder(h, DecoderOptions{Variant: &v})
	d.Write(packet)
	d.Close()
	return h
}

func TestRoundTrip(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 1))
		n := 1 + rng.IntN(2000)
		if seed%20 == 0 {
			n = 40_000 // more than is held at a time
		}
		want := wild(rng, n)
		if seed%2 == 0 {
			want = newProgram(rng, 5+rng.IntN(100)).run(n, 20e3, 10e6)
		}
		for version := 1; version <= 2; version++ {
			var stream packets
			e := NewEncoder(&stream, EncoderOptions{Version: version, MaxPayload: 64 + rng.IntN(1000)})
			var dropped uint64
			for _, r := range want {
				e.Record(r)
				if n := rng.Uint32() >> rng.IntN(32); version == 2 && rng.IntN(10) == 0 && n > 0 {
					e.Dropped(n)
					dropped += uint64(n)
				}
			}
			e.Flush()
			var h heard
			feed(rng, NewDecoder(&h, DecoderOptions{}), slices.Concat(stream...))
			w := want
			if version == 1 {
				w = nil
				for _, r := range want {
					if r.Context = NoContext; !r.Switch() {
						w = append(w, r)
					}
				}
			}
			if !slices.Equal(h.records, w) || h.lost(Dropped).Records != dropped || h.lost(LostBytes).Bytes+h.lost(LostRecords).Records > 0 {
				for i := range w {
					if i >= len(h.records) || h.records[i] != w[i] {
						t.Fatalf("seed %d, version %d: record %d of %d differs: %+v", seed, version, i, len(w), w[i])
					}
				}
				t.Fatalf("seed %d, version %d: losses %v", seed, version, h.losses)
			}
			for _, p := range stream {
				if len(p) > e.o.MaxPayload+frameHead+frameTail {
					t.Fatalf("a packet of %d bytes, want payloads up to %d", len(p), e.o.MaxPayload)
				}
			}
		}
	}
}

// damage changes a packet and tells whether it changed it.
func damage(rng *rand.Rand, p []byte) ([]byte, bool) {
	i := rng.IntN(len(p))
	switch rng.IntN(12) {
	case 0:
		p[i] ^= 1 << rng.IntN(8)
	case 1:
		p = slices.Delete(p, i, i+1)
	case 2:
		p = slices.Insert(p, i, byte(rng.Uint32()))
	case 3:
		p = slices.Delete(p, i, len(p))
	case 4:
		p = slices.Delete(p, 0, i+1)
	case 5:
		p = nil
	case 6: // the length says much more
		p[3] |= 0x3F
	case 7: // a false header in front, the packet is as it was
		return append([]byte{0x55, 0xAA, byte(rng.Uint32()), byte(rng.Uint32N(0x40)), TypeProfileData}, p...), false
	default:
		return p, false
	}
	return p, true
}

// Every record of a packet that arrived is decoded once and in order, every other
// one is counted, none is invented, and every byte is accounted for.
func TestDamage(t *testing.T) {
	rounds := uint64(400)
	if testing.Short() {
		rounds = 80
	}
	for seed := range rounds {
		rng := rand.New(rand.NewPCG(seed, 2))
		o := EncoderOptions{Version: 1 + rng.IntN(2), MaxPayload: 64 + rng.IntN(600)}
		if rng.IntN(2) == 0 {
			o.Variant = allVariants()[rng.IntN(numVariants)]
		}
		var sent packets
		e := NewEncoder(&sent, o)
		e.Answer(CommandStart, 0)
		e.Answer(CommandStatus, 0)
		for _, r := range newProgram(rng, 20).run(3000, 20e3, 10e6) {
			e.Record(r)
			if rng.IntN(500) == 0 {
				e.Dropped(rng.Uint32N(1000) + 1)
			}
		}
		e.Flush()
		var stream []byte
		intact := make([]bool, len(sent))
		for i, p := range sent {
			damaged, changed := slices.Clone(p), false
			if i > 1 {
				damaged, changed = damage(rng, damaged)
			}
			intact[i] = !changed
			stream = append(stream, damaged...)
		}
		var h heard
		d := NewDecoder(&h, DecoderOptions{})
		feed(rng, d, stream)
		checkDamaged(t, seed, o, sent, intact, &h, d)
	}
}

func checkDamaged(t *testing.T, seed uint64, o EncoderOptions, sent packets, intact []bool, h *heard, d *Decoder) {
	t.Helper()
	var got heard // what the packets that arrived say
	var bytes, last uint64
	for i, p := range sent {
		one := decodeOne(o.Variant, p)
		if !intact[i] && !arrived(h, one, len(got.batches)) {
			continue
		}
		bytes += uint64(len(p))
		for _, b := range one.batches {
			got.Records(b)
		}
		if n := one.lost(Dropped).Records; n > 0 {
			got.Loss(Loss{Kind: Dropped, Records: n})
		}
		if p[frameHead] == TypeProfileData2 {
			last = uint64(binary.LittleEndian.Uint32(p[frameHead+1:])) + uint64(len(one.records)) + one.lost(Dropped).Records
		}
	}
	if !reflect.DeepEqual(got.batches, h.batches) {
		t.Fatalf("seed %d, %v: decoded %d batches, %d were sent and arrived", seed, o, len(h.batches), len(got.batches))
	}
	if a, b := got.lost(Dropped), h.lost(Dropped); a != b {
		t.Fatalf("seed %d: dropped %v, want %v", seed, b, a)
	}
	if c := d.Counts(); c.Bytes != c.LostBytes+bytes || c.LostBytes != h.lost(LostBytes).Bytes {
		t.Fatalf("seed %d: %d bytes came, %d in packets, %d lost", seed, c.Bytes, bytes, c.LostBytes)
	}
	sum := h.lost(LostRecords).Records + h.lost(Dropped).Records + uint64(len(h.records))
	if o.Version == 2 && sum != last {
		t.Fatalf("seed %d: %d records are accounted for, want %d", seed, sum, last)
	}
}

// arrived tells whether a packet was decoded though it was damaged: a byte more
// behind it, or the same byte again.
func arrived(h, one *heard, next int) bool {
	return len(one.batches) > 0 && len(h.batches) > next && reflect.DeepEqual(h.batches[next], one.batches[0])
}
