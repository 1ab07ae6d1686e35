package trace

import (
	"slices"
	"testing"
)

var someRecord = Record{Func: 0x08000101, Entry: 0xFFFFFFF0, Duration: 0x20, Context: NoContext, Depth: 3}

// A body that is no whole number of records has nothing in it that can be
// believed.
func TestVersion1OfOtherSize(t *testing.T) {
	record := appendRecord1(nil, someRecord)
	for n := range 3 * recordSize1 {
		body := slices.Concat(record, record, record)[:n]
		h := decodeOne(Variant{}, Variant{}.AppendPacket(nil, TypeProfileData, body...))
		switch {
		case n%recordSize1 != 0:
			if l := h.lost(Malformed); len(h.records) > 0 || l.Bytes != uint64(n+8) {
				t.Errorf("%d bytes: %d records, %+v", n, len(h.records), l)
			}
		case len(h.records) != n/recordSize1 || len(h.losses) > 0:
			t.Errorf("%d bytes: %d records, %v", n, len(h.records), h.losses)
		}
	}
}

// A record without a function is none; above all it is no context switch.
func TestVersion1WithoutFunction(t *testing.T) {
	body := appendRecord1(appendRecord1(appendRecord1(nil, someRecord), Record{Entry: 7}), someRecord)
	h := decodeOne(Variant{}, Variant{}.AppendPacket(nil, TypeProfileData, body...))
	want := Loss{Kind: Malformed, Bytes: recordSize1, Records: 1}
	if !slices.Equal(h.records, []Record{someRecord, someRecord}) || !slices.Equal(h.losses, []Loss{want}) {
		t.Errorf("%v, %v", h.records, h.losses)
	}
}

// Packets of both versions and of a type that nobody knows, in one stream.
func TestMixedPackets(t *testing.T) {
	one := appendRecord1(nil, someRecord)
	stream := slices.Concat(
		Variant{}.AppendPacket(nil, TypeProfileData, one...),
		packet2(9, 0, 0x40, 2, 0, 1),
		Variant{}.AppendPacket(nil, 0x77, 1, 2, 3),
		Variant{}.AppendPacket(nil, TypeProfileData, one...),
		packet2(10, 0, 0x40, 2, 0, 1),
	)
	h := decodeOne(Variant{}, stream)
	if len(h.batches) != 4 || h.batches[0].Version != 1 || h.batches[3].Version != 2 || h.batches[0].Numbered || !h.batches[3].Numbered {
		t.Errorf("%+v", h.batches)
	}
	if want := (Loss{Kind: Unknown, Bytes: 11}); !slices.Equal(h.losses, []Loss{want}) {
		t.Errorf("%v, want %v", h.losses, want)
	}
}
