package trace

import (
	"bytes"
	"reflect"
	"testing"
)

// losses of LostRecords between packets whose numbers are given; each has one
// record. -1 is an ACK of START, -2 a METADATA of a target that has just started,
// -3 an ACK of RESET_BUFFERS, -4 a NACK of it.
func lostBetween(numbers ...int64) []uint64 {
	var h heard
	d := NewDecoder(&h, DecoderOptions{Variant: &Variant{}})
	for _, n := range numbers {
		switch {
		case n == -2:
			d.Write(AppendCommand(nil, TypeMetadata, 2, FlagStarted))
		case n == -3:
			d.Write(AppendCommand(nil, TypeACK, CommandReset))
		case n == -4:
			d.Write(AppendCommand(nil, TypeNACK, CommandReset, ReasonNotNow))
		case n < 0:
			d.Write(AppendCommand(nil, TypeACK, CommandStart))
		default:
			d.Write(packet2(uint32(n), 0, 0x40, 2, 0, 1))
		}
	}
	var lost []uint64
	for _, l := range h.losses {
		lost = append(lost, l.Records)
	}
	return lost
}

func TestNumbersThatDoNotFollow(t *testing.T) {
	const wrap = 1 << 32
	for _, c := range []struct {
		what    string
		numbers []int64
		want    []uint64
	}{
		{"in the middle of a stream", []int64{77, 78, 79}, nil},
		{"a gap", []int64{77, 80, 81}, []uint64{2}},
		{"the first packet after START", []int64{-1, 3}, []uint64{3}},
		{"START, nothing lost", []int64{50, -1, 0, 1}, nil},
		{"RESET_BUFFERS, nothing lost", []int64{50, -3, 0, 1}, nil},
		{"RESET_BUFFERS, some lost since", []int64{50, -3, 60}, []uint64{60}},
		{"RESET_BUFFERS that was refused", []int64{50, -4, 51}, nil},
		{"a wrap", []int64{wrap - 1, 0, 1}, nil},
		{"a gap at a wrap", []int64{wrap - 3, 5}, []uint64{7}},
		{"the largest gap at a wrap", []int64{wrap - 1, maxWrapped}, []uint64{maxWrapped}},
		{"reset short of a wrap", []int64{wrap - 1 - maxWrapped, 1}, []uint64{1}},
		{"reset, nothing lost since", []int64{100, 0, 1}, []uint64{0}},
		{"reset, some lost since", []int64{100, 7, 8}, []uint64{7}},
		{"reset behind half of all", []int64{wrap - wrap/4, 7}, []uint64{7}},
		{"METADATA of a reset target", []int64{100, -2, 0}, nil},
		{"METADATA of a reset target, some lost since", []int64{100, -2, 200}, []uint64{200}},
		{"nobody knows", []int64{100, wrap - 100}, []uint64{0}},
		{"back by one half", []int64{wrap - 1, wrap / 2}, []uint64{0}},
	} {
		if got := lostBetween(c.numbers...); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s, %d: lost %d, want %d", c.what, c.numbers, got, c.want)
		}
	}
}

// TestNumbersBehindVersion1: a target that changes to version 2 while it runs has counted the
// records of version 1, and what is missing of those is missing once.
func TestNumbersBehindVersion1(t *testing.T) {
	var b bytes.Buffer
	e := NewEncoder(&b, EncoderOptions{})
	_ = e.Answer(CommandStart, 0)
	for i := range uint32(5) {
		_ = e.Record(Record{Func: 0x100, Entry: 10 * i, Duration: 1})
	}
	_ = e.Flush()
	e = NewEncoder(&b, EncoderOptions{Version: 2})
	e.number = 7 // two got lost
	_ = e.Record(Record{Func: 0x100, Entry: 90, Duration: 1})
	_ = e.Status(Status{Sent: 10, Known: KnownUnmatched}) // and two behind it
	h := &heard{}
	if err := Replay(t.Context(), &b, h, ReplayOptions{}); err != nil {
		t.Fatal(err)
	}
	if lost := h.lost(LostRecords).Records; lost != 4 || len(h.records) != 6 {
		t.Errorf("%d records, %d lost", len(h.records), lost)
	}
}
