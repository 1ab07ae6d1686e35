package gmon

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// byteOrder is one that can append.
type byteOrder interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

var orders = map[string]byteOrder{"little": binary.LittleEndian, "big": binary.BigEndian}

func encode(t *testing.T, d *Data, order binary.ByteOrder) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := d.Encode(&b, order); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// The bytes of gmon_out.h.
func TestEncodeBytes(t *testing.T) {
	d := &Data{Rate: 100, Buckets: []Bucket{{0x1000, 2, 3}, {0x1004, 2, 0x102}}, Arcs: []Arc{{0x1002, 0x1004, 9}}}
	want := "gmon\x01\x00\x00\x00" + "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" +
		"\x00" + "\x00\x10\x00\x00" + "\x06\x10\x00\x00" + "\x03\x00\x00\x00" + "\x64\x00\x00\x00" + "seconds\x00\x00\x00\x00\x00\x00\x00\x00s" +
		"\x03\x00" + "\x00\x00" + "\x02\x01" +
		"\x01" + "\x02\x10\x00\x00" + "\x04\x10\x00\x00" + "\x09\x00\x00\x00"
	if got := string(encode(t, d, binary.LittleEndian)); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// random is data as Encode takes it: sparse, with counts of all sizes.
func random(r *rand.Rand) *Data {
	d := &Data{Rate: r.Uint32()}
	size := uint32(2) << r.IntN(4)
	if r.IntN(4) == 0 {
		size = 6
	}
	at := r.Uint32N(1<<20) &^ 1
	for range r.IntN(40) {
		d.Buckets = append(d.Buckets, Bucket{at, size, 1 + r.Uint64N(1<<r.IntN(23))})
		at += size
		if r.IntN(3) == 0 {
			at += size * r.Uint32N(1<<r.IntN(24))
		}
	}
	for i := range r.IntN(20) {
		d.Arcs = append(d.Arcs, Arc{uint32(i) * 4, r.Uint32() &^ 1, 1 + r.Uint64N(1<<(1+r.IntN(34)))})
	}
	return d
}

// What is written comes back, in the order in which it was written.
func TestRoundTrip(t *testing.T) {
	for seed := range uint64(300) {
		d := random(rand.New(rand.NewPCG(seed, 1)))
		for name, order := range orders {
			got, gotOrder, err := Decode(encode(t, d, order))
			if err != nil || gotOrder != order {
				t.Fatalf("seed %d, %s: %v, %v", seed, name, gotOrder, err)
			}
			if !reflect.DeepEqual(got, d) && len(d.Buckets)+len(d.Arcs) > 0 {
				t.Fatalf("seed %d, %s: %+v, want %+v", seed, name, got, d)
			}
		}
	}
}

// A histogram is cut where that is shorter: the file of sparse counts, and of one hot bucket among
// cold ones, is as short as the best of the few ways to cut it.
func TestEncodeCutsHistograms(t *testing.T) {
	header := headerSize + 1 + histogramSize
	for name, c := range map[string]struct {
		buckets []Bucket
		want    int // bytes
	}{
		"dense":   {[]Bucket{{0, 2, 1}, {2, 2, 1}}, header + 4},
		"far":     {[]Bucket{{0, 2, 1}, {0x20000000, 2, 1}}, header + 2 + 35},
		"gap":     {[]Bucket{{0, 2, 1}, {30, 2, 1}}, header + 2*16},
		"hot":     {[]Bucket{{0, 2, 1}, {2, 2, 20 * 65535}, {4, 2, 1}}, headerSize + 35 + 20*35 + 35},
		"hot two": {[]Bucket{{0, 2, 10 * 65535}, {2, 2, 9 * 65535}}, headerSize + 10*37},
		"zero":    {[]Bucket{{0, 2, 1}, {0x100000, 2, 0}}, header + 2},
	} {
		d := &Data{Rate: 1, Buckets: c.buckets}
		if got := len(encode(t, d, binary.LittleEndian)); got != c.want {
			t.Errorf("%s: %d bytes, want %d", name, got, c.want)
		}
	}
}

func TestEncodeRefuses(t *testing.T) {
	for want, buckets := range map[string][]Bucket{
		"buckets of 1 bytes":                      {{0, 1, 1}},
		"buckets of 3 bytes":                      {{0, 3, 1}},
		"at 0x00000004 has 4 bytes":               {{0, 2, 1}, {4, 4, 1}},
		"0x00000002 overlaps the one before":      {{0, 4, 1}, {2, 4, 1}},
		"0x00000000 overlaps":                     {{4, 4, 1}, {0, 4, 1}},
		"0x00000001 is not on the grid":           {{1, 2, 1}},
		"0x00000006 is not on the grid":           {{0, 4, 1}, {6, 4, 1}},
		"0xfffffffe ends behind 0xffffffff":       {{0xfffffffe, 2, 1}},
		"2147483648 counts at 0x00000000":         {{0, 2, math.MaxInt32 + 1}},
		"gprof adds up to 2147483647; a lower ra": {{0, 2, math.MaxUint64}},
	} {
		err := (&Data{Buckets: buckets}).Encode(io.Discard, binary.LittleEndian)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", buckets, err, want)
		}
	}
}

type fullDisk struct{ left int }

func (f *fullDisk) Write(p []byte) (int, error) {
	if len(p) > f.left {
		return 0, errors.New("no space left")
	}
	f.left -= len(p)
	return len(p), nil
}

// An error of the writer is Encode's, wherever it comes.
func TestEncodeErrors(t *testing.T) {
	d := &Data{Rate: 1, Buckets: []Bucket{{0, 2, 1e9}}}
	size := len(encode(t, d, binary.LittleEndian))
	for _, left := range []int{0, 5000, size / 2, size - 1} {
		if err := d.Encode(&fullDisk{left}, binary.LittleEndian); err == nil {
			t.Errorf("no error with room for %d of %d bytes", left, size)
		}
	}
}
