package trace

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
)

// A header that promises much holds nothing up: the packets behind it are reported
// as they come, whether its bytes ever come or not.
func TestFalseHeaderHoldsNothingUp(t *testing.T) {
	for _, o := range []DecoderOptions{{}, {Variant: &Variant{}}} {
		var h heard
		d := NewDecoder(&h, o)
		d.Write([]byte{0x55, 0xAA, 0x00, 0x40, TypeProfileData})
		for i := range 3 {
			for _, b := range AppendCommand(nil, TypeACK, CommandStatus) {
				d.Write([]byte{b})
			}
			if len(h.answers) != i+1 {
				t.Fatalf("%d answers after %d packets", len(h.answers), i+1)
			}
		}
		d.Write(make([]byte, 0x4000))
		d.Close()
		if c := d.Counts(); c.LostBytes != 5+0x4000 || c.Packets != 3 {
			t.Errorf("%+v", c)
		}
	}
}

// Garbage in front, and the end of the stream within a packet.
func TestGarbageAndEnd(t *testing.T) {
	packet := AppendCommand(nil, TypeACK, CommandStop)
	for cut := range packet {
		var h heard
		d := NewDecoder(&h, DecoderOptions{})
		d.Write([]byte("\x55\x55\xAA\x55Booting...\r\n\x55"))
		d.Write(packet)
		d.Write(packet[:cut])
		d.Flush()
		d.Write(packet)
		d.Close()
		if len(h.answers) != 2 || h.lost(LostBytes).Bytes != uint64(17+cut) {
			t.Errorf("cut at %d: %d answers, losses %v", cut, len(h.answers), h.losses)
		}
	}
}

// Memory does not grow with the stream, whatever the stream is.
func TestMemoryIsBounded(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	noise := make([]byte, 1<<20)
	for i := range noise {
		noise[i] = []byte{0x55, 0xAA, 0x20, 0x0A, TypeStatus, byte(rng.Uint32())}[rng.IntN(6)]
	}
	d := NewDecoder(&nobody{}, DecoderOptions{MaxPayload: 512})
	d.Write(noise[:1])
	size := cap(d.frames.buf)
	for rest := noise[1:]; len(rest) > 0; {
		n := min(1+rng.IntN(3000), len(rest))
		d.Write(rest[:n])
		rest = rest[n:]
		if left := len(d.frames.buf) - d.frames.read; left > d.frames.hold() || len(d.frames.open) > left {
			t.Fatalf("%d bytes wait, %d packets", left, len(d.frames.open))
		}
	}
	if cap(d.frames.buf) != size {
		t.Errorf("the buffer grew from %d to %d bytes", size, cap(d.frames.buf))
	}
}

// A target that is exchanged for one of another variant costs a few packets, and
// noise does not unlearn a variant.
func TestTargetIsExchanged(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for _, first := range []Variant{{}, {CRC: MODBUS, Over: OverPayload}, {AA55: true}} {
		for _, second := range allVariants() {
			if second == first {
				continue
			}
			var before, after packets
			for _, p := range []struct {
				*packets
				Variant
			}{{&before, first}, {&after, second}} {
				e := NewEncoder(p.packets, EncoderOptions{Variant: p.Variant})
				for range 100 {
					e.Answer(CommandStatus, 0)
					for range 36 {
						e.Record(Record{Func: rng.Uint32() | 2, Entry: rng.Uint32()})
					}
				}
				e.Flush()
			}
			var h heard
			d := NewDecoder(&h, DecoderOptions{})
			d.Write(slices.Concat(before...))
			noise := make([]byte, 40<<10)
			for i := range noise {
				noise[i] = byte(rng.Uint32())
			}
			d.Write(noise)
			d.Write(slices.Concat(before...))
			if len(h.answers) != 200 || len(h.records) != 7200 {
				t.Fatalf("%v: %d answers, %d records", first, len(h.answers), len(h.records))
			}
			d.Write(slices.Concat(after...))
			d.Close()
			if v, locked := d.Variant(); v != second || !locked || len(h.answers) < 200+20 {
				t.Errorf("%v after %v: detected %v, %d answers", second, first, v, len(h.answers)-200)
			}
		}
	}
}

// A variant that is given is the only one.
func TestVariantIsFixed(t *testing.T) {
	var stream bytes.Buffer
	e := NewEncoder(&stream, EncoderOptions{Variant: Variant{CRC: XMODEM}})
	for range 50 {
		e.Answer(CommandStop, 0)
	}
	for name, want := range map[string]int{"ccitt-false": 0, "xmodem": 50, "xmodem-be": 0, "auto": 50} {
		v, err := ParseVariant(name)
		if err != nil {
			t.Fatal(err)
		}
		var h heard
		d := NewDecoder(&h, DecoderOptions{Variant: v})
		d.Write(stream.Bytes())
		d.Close()
		if len(h.answers) != want {
			t.Errorf("%s: %d answers, want %d", name, len(h.answers), want)
		}
	}
}

// What waits for a second packet of its variant survives a Flush.
func TestFlushWhileDetecting(t *testing.T) {
	var h heard
	d := NewDecoder(&h, DecoderOptions{})
	v := Variant{CRC: KERMIT, Over: OverHeader, AA55: true}
	d.Write(v.AppendPacket(nil, TypeACK, CommandStop))
	d.Flush()
	d.Write(v.AppendPacket(nil, TypeACK, CommandStart))
	if len(h.answers) != 2 || len(h.losses) != 0 {
		t.Errorf("%d answers, losses %v", len(h.answers), h.losses)
	}
}

// A stream of headers that all find an end is not judged for ever, and what follows
// it is decoded.
func TestWorkIsBounded(t *testing.T) {
	const size = 16 << 10
	in := bytes.Repeat([]byte{0x55, 0xAA, 5, size>>8 - 1, TypeProfileData, frameEnd}, 100_000)
	v := Variant{CRC: KERMIT}
	var h heard
	d := NewDecoder(&h, DecoderOptions{})
	d.Write(in)
	for range 20 {
		d.Write(v.AppendPacket(nil, TypeACK, CommandStop))
	}
	d.Close()
	if bound := uint64(len(in)*workPerByte+maxWork) / (12 * (size - 256)); d.Counts().WrongCRC > bound {
		t.Errorf("%d packets were judged, want up to %d", d.Counts().WrongCRC, bound)
	}
	if len(h.answers) != 20 || h.lost(LostBytes).Bytes != uint64(len(in)) {
		t.Errorf("%d answers, losses %v", len(h.answers), h.losses)
	}
}
