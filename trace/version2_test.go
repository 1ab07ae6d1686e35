package trace

import (
	"encoding/binary"
	"encoding/hex"
	"slices"
	"testing"
)

// packet2 is a packet of version 2.
func packet2(number, time uint32, records ...byte) []byte {
	b := binary.LittleEndian.AppendUint32(nil, number)
	b = binary.LittleEndian.AppendUint32(b, time)
	return Variant{}.AppendPacket(nil, TypeProfileData2, append(b, records...)...)
}

func TestMalformedVersion2(t *testing.T) {
	good := "80 02 00 01" // depth 1, a new function
	for what, text := range map[string]string{
		"step 0 behind depth 0":          "40 02 00 01 00 02 00 01",
		"step 0 at the start":            "00 02 00 01",
		"step 2 behind depth 65535":      "C0 00 FF FF 03 02 00 01 81 00 01",
		"a reference that was not given": "42 00 01",
		"a reference that nothing gives": "7C 00 01",
		"address 0":                      "40 00 00 01",
		"address 0 after another":        "40 02 00 01 40 01 00 01",
		"a switch with step 0":           "3E 01 01",
		"a switch with step 1":           "7E 01 01",
		"a switch with step 2":           "BE 01 01",
		"dropped with step 0":            "3F 01",
		"dropped with step 2":            "BF 01",
		"none dropped":                   "FF 00",
		"a context of 17 bits":           "C0 80 80 04 00 02 00 01",
		"a switch to a context of 17":    "FE 80 80 04 00",
		"a depth of 17 bits":             "C0 00 80 80 04 02 00 01",
		"a varint of 33 bits":            "80 02 80 80 80 80 10 01",
		"a varint of 6 bytes":            "80 02 80 80 80 80 80 00 01",
		"saturated with step 1":          "40 02 00 FF FF FF FF 0F",
		"saturated with step 2":          "80 02 00 FF FF FF FF 0F",
		"no duration":                    "80 02 00",
		"no time":                        "80 02",
		"no address":                     "80",
		"half a duration":                "80 02 00 81",
		"no depth":                       "C1 00",
		"no context":                     "C1",
		"no time of a switch":            "FE 01",
		"no context of a switch":         "FE",
		"no number of dropped":           "FF",
	} {
		records := unhex(t, text)
		var h heard
		d := NewDecoder(&h, DecoderOptions{})
		p := packet2(0, 0, append(unhex(t, good), records...)...)
		if text[:2] == "00" || text[:2] == "40" {
			p = packet2(0, 0, records...)
		}
		d.Write(AppendCommand(nil, TypeACK, CommandStart))
		d.Write(p)
		d.Write(packet2(5, 0, unhex(t, good)...))
		if len(h.records) != 1 || h.lost(Malformed).Bytes != uint64(len(p)) || h.lost(LostRecords).Records != 5 {
			t.Errorf("%s: %+v", what, h)
		}
	}
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(string(slices.DeleteFunc([]byte(s), func(c byte) bool { return c == ' ' })))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The 61st function has no number, and its neighbours keep theirs.
func TestMoreFunctionsThanNumbers(t *testing.T) {
	var out packets
	e := NewEncoder(&out, EncoderOptions{Version: 2, MaxPayload: 4096})
	var want []Record
	for i := range uint32(300) {
		r := Record{Func: 0x08000000 + i%70*4, Entry: i * 10, Duration: 5}
		want = append(want, r)
		e.Record(r)
	}
	e.Flush()
	h := decodeOne(Variant{}, out[0])
	if len(out) != 1 || !slices.Equal(h.records, want) {
		t.Errorf("%d packets, %d records, losses %v", len(out), len(h.records), h.losses)
	}
	body := []byte{}
	for i := range byte(61) {
		body = append(body, 0x40, 2, 0, 1)
		if h := decodeOne(Variant{}, packet2(0, 0, body...)); len(h.records) != int(i+1) && i < maxReference {
			t.Errorf("%d functions: %v", i+1, h.losses)
		}
	}
	if h := decodeOne(Variant{}, packet2(0, 0, body...)); h.lost(Malformed).Bytes == 0 {
		t.Errorf("a 61st number was given: %v", h.losses)
	}
}

// An address of bit 0 alone is none, and never becomes a context switch.
func TestAddressOne(t *testing.T) {
	var out packets
	e := NewEncoder(&out, EncoderOptions{Version: 2})
	e.Record(Record{Func: 1})
	e.Record(Record{Func: 0x101, Entry: 5})
	e.Flush()
	h := decodeOne(Variant{}, slices.Concat(out...))
	want := []Record{{Func: 0x100, Entry: 5}}
	if !slices.Equal(h.records, want) || h.lost(Dropped).Records != 1 {
		t.Errorf("%v, %v", h.records, h.losses)
	}
}

// In ticks as fine as version 1's, on a line that is full, version 2 carries three
// times the calls (docs/trace-protocol.md, Version 2 is smaller).
func TestVersion2CarriesThreeTimes(t *testing.T) {
	const calls = 20_000
	for _, functions := range []int{10, 40, 160} {
		one := len(stream(EncoderOptions{Version: 1}, functions, calls, 20e3, 1e6))
		two := len(stream(EncoderOptions{Version: 2}, functions, calls, 20e3, 168e6/128))
		if 3*two > one {
			t.Errorf("%d functions: %d bytes in version 2, %d in version 1", functions, two, one)
		}
	}
}
