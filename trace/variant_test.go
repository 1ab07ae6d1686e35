package trace

import (
	"bytes"
	"slices"
	"testing"
)

// The catalogue's check values: the CRC of "123456789".
func TestCRCCheckValues(t *testing.T) {
	for c, want := range map[CRC]uint16{CCITTFalse: 0x29B1, XMODEM: 0x31C3, MODBUS: 0x4B37, KERMIT: 0x2189} {
		if got := c.Sum([]byte("123456789")); got != want {
			t.Errorf("%v: %#04x, want %#04x", c, got, want)
		}
	}
}

// Whatever the length: 16 bytes at a time and one by one give the same.
func TestCRCAnyLength(t *testing.T) {
	var p []byte
	for i := range 100 {
		p = append(p, byte(i*i+7*i))
		for c := CRC(0); c < numCRCs; c++ {
			s := crcs[c].initial
			for _, b := range p {
				s = crcs[c].table.update(s, []byte{b})
			}
			if at := crcs[c].table.update(crcs[c].initial, p); at != s {
				t.Fatalf("%v of %d bytes: %#x at once, %#x byte by byte", c, len(p), at, s)
			}
		}
	}
}

func allVariants() []Variant {
	return append(slices.Collect(variantsOf(0x55)), slices.Collect(variantsOf(0xAA))...)
}

func TestVariantNames(t *testing.T) {
	seen := map[int]bool{}
	for _, v := range allVariants() {
		seen[v.index()] = true
		back, err := ParseVariant(v.String())
		if err != nil || *back != v {
			t.Errorf("%v: %v, %v", v, back, err)
		}
	}
	if len(seen) != numVariants {
		t.Errorf("%d variants, want %d", len(seen), numVariants)
	}
	for _, name := range []string{"crc32", "modbusx", "modbus-", "modbus-le", "-be", "Modbus"} {
		if v, err := ParseVariant(name); err == nil {
			t.Errorf("%q is %v", name, v)
		}
	}
	for _, name := range []string{"", "auto"} {
		if v, err := ParseVariant(name); err != nil || v != nil {
			t.Errorf("%q: %v, %v", name, v, err)
		}
	}
}

// Every variant is found by itself, and nothing is lost before it is.
func TestDetectEveryVariant(t *testing.T) {
	for _, v := range allVariants() {
		var stream bytes.Buffer
		e := NewEncoder(&stream, EncoderOptions{Variant: v})
		stream.WriteString("boot: hello\r\n")
		e.Answer(CommandStop, 0)
		e.Metadata(Metadata{Version: 1, TimerHz: 168e6, Known: KnownTimerHz})
		e.Record(Record{Func: 0x08000100, Entry: 5, Duration: 7})
		e.Status(Status{Running: true, Known: KnownState})
		var h heard
		d := NewDecoder(&h, DecoderOptions{})
		for _, b := range stream.Bytes() {
			d.Write([]byte{b})
		}
		d.Close()
		got, locked := d.Variant()
		if got != v || !locked {
			t.Errorf("%v: detected %v, %v", v, got, locked)
		}
		if len(h.answers) != 1 || len(h.metadata) != 1 || len(h.records) != 1 || len(h.status) != 1 {
			t.Errorf("%v: heard %+v", v, h)
		}
		if lost := h.lost(LostBytes).Bytes; lost != 13 {
			t.Errorf("%v: lost %d bytes, want 13", v, lost)
		}
	}
}
