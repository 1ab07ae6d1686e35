package gmon

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

// gnu is a GNU file of these records.
func gnu(order byteOrder, records ...[]byte) []byte {
	b := append(order.AppendUint32([]byte(magic), version), make([]byte, 12)...)
	return append(b, bytes.Join(records, nil)...)
}

func histogram(order byteOrder, low, high uint32, rate uint32, bins ...uint16) []byte {
	b := []byte{tagHistogram}
	for _, v := range []uint32{low, high, uint32(len(bins)), rate} {
		b = order.AppendUint32(b, v)
	}
	b = append(b, "seconds\x00\x00\x00\x00\x00\x00\x00\x00s"...)
	for _, v := range bins {
		b = order.AppendUint16(b, v)
	}
	return b
}

func words(order byteOrder, tag byte, values ...uint32) []byte {
	b := []byte{tag}
	for _, v := range values {
		b = order.AppendUint32(b, v)
	}
	return b
}

// bsd is a file with a header of BSD.
func bsd(order byteOrder, low, high uint32, rate int, bins []uint16, arcs ...uint32) []byte {
	header := oldHeader
	if rate > 0 {
		header = bsd44Header
	}
	b := order.AppendUint32(order.AppendUint32(nil, low), high)
	b = order.AppendUint32(b, uint32(header+2*len(bins)))
	if rate > 0 {
		for _, v := range []uint32{bsd44Mark, uint32(rate), 0, 0, 0} {
			b = order.AppendUint32(b, v)
		}
	}
	for _, v := range bins {
		b = order.AppendUint16(b, v)
	}
	for _, v := range arcs {
		b = order.AppendUint32(b, v)
	}
	return b
}

// Files of others: each header in both byte orders, records added up, Thumb bits, basic blocks,
// fractional buckets as OpenOCD writes them.
func TestDecode(t *testing.T) {
	for name, o := range orders {
		for what, c := range map[string]struct {
			file []byte
			want Data
		}{
			"empty":           {gnu(o), Data{}},
			"sums":            {gnu(o, histogram(o, 0x100, 0x104, 50, 65535, 1), words(o, tagArc, 0x300, 0x400, math.MaxUint32), histogram(o, 0x100, 0x104, 50, 65535, 0), words(o, tagArc, 0x300, 0x400, 2)), Data{50, 0, []Bucket{{0x100, 2, 131070}, {0x102, 2, 1}}, []Arc{{0x300, 0x400, math.MaxUint32 + 2}}}},
			"order":           {gnu(o, histogram(o, 0x200, 0x202, 50, 7), histogram(o, 0x100, 0x102, 50, 8), words(o, tagArc, 9, 0x400, 1), words(o, tagArc, 2, 0x400, 2)), Data{50, 0, []Bucket{{0x100, 2, 8}, {0x200, 2, 7}}, []Arc{{2, 0x400, 2}, {8, 0x400, 1}}}},
			"Thumb":           {gnu(o, histogram(o, 0x101, 0x109, 50, 0, 3), words(o, tagArc, 0x301, 0x401, 1), words(o, tagArc, 0x300, 0x400, 1)), Data{50, 0, []Bucket{{0x104, 4, 3}}, []Arc{{0x300, 0x400, 2}}}},
			"Thumb, end even": {gnu(o, histogram(o, 0x101, 0x108, 50, 0, 3)), Data{50, 0, []Bucket{{0x104, 4, 3}}, nil}},
			"blocks":          {gnu(o, words(o, tagBlocks, 2, 0x100, 5, 0x104, 6), histogram(o, 0, 2, 9, 1)), Data{9, 0, []Bucket{{0, 2, 1}}, nil}},
			"fractional":      {gnu(o, histogram(o, 0x100, 0x10b, 50, 1, 2, 3, 4, 5)), Data{50, 0, []Bucket{{0x100, 3, 1}, {0x103, 2, 2}, {0x105, 2, 3}, {0x107, 2, 4}, {0x109, 2, 5}}, nil}},
			"crowded":         {gnu(o, histogram(o, 0x100, 0x102, 50, 1, 2, 3, 4)), Data{50, 0, []Bucket{{0x100, 1, 1}, {0x101, 1, 5}, {0x102, 1, 4}}, nil}},
			"no bins":         {gnu(o, histogram(o, 0, 0, 50)), Data{Rate: 50}},
			"4.4BSD":          {bsd(o, 0x100, 0x108, 128, []uint16{0, 9}, 0x101, 0x201, 7), Data{128, 0, []Bucket{{0x104, 4, 9}}, []Arc{{0x100, 0x200, 7}}}},
			"old BSD":         {bsd(o, 0x100, 0x108, 0, []uint16{0, 9}, 0x101, 0x201, 7), Data{0, 0, []Bucket{{0x104, 4, 9}}, []Arc{{0x100, 0x200, 7}}}},
		} {
			got, order, err := Decode(c.file)
			if err != nil || order != binary.ByteOrder(o) || !reflect.DeepEqual(*got, c.want) {
				t.Errorf("%s, %s: %+v, %v, %v; want %+v", what, name, got, order, err, c.want)
			}
			if Recognise(c.file) == (what == "old BSD") {
				t.Errorf("%s, %s: Recognise is %v", what, name, Recognise(c.file))
			}
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	o := binary.LittleEndian
	wide := words(o, tagHistogram, 0x100, 0, 0x110, 0, 8, 100)
	ticks := histogram(o, 0, 2, 1, 1)
	copy(ticks[17:], "ticks\x00\x00")
	for want, file := range map[string][]byte{
		"no gmon.out file":          []byte("#!/bin/sh\necho hello\n"),
		"ends after 19 of 20 bytes": gnu(o)[:19],
		"of version 1: the bytes of its version are 02 00 00 00":         []byte("gmon\x02\x00\x00\x00............"),
		"record at offset 20: no record has the tag 3":                   gnu(o, []byte{3}),
		"record at offset 20: addresses of 64 bits":                      gnu(o, wide, []byte("seconds\x00\x00\x00\x00\x00\x00\x00\x00s")),
		"offset 20: the header of a histogram has 32 bytes, 20 are":      gnu(o, histogram(o, 0, 2, 1, 1)[:21]),
		"4 bins of 2 bytes, 6 bytes are there":                           gnu(o, histogram(o, 0, 8, 1, 1, 2, 3, 4)[:39]),
		"a histogram of 60 counts a second, the first has 50":            gnu(o, histogram(o, 0, 2, 50, 1), histogram(o, 2, 4, 60, 1)),
		`it counts "ticks", not seconds`:                                 gnu(o, ticks),
		"1 bins from 0x00000004 to 0x00000004":                           gnu(o, histogram(o, 4, 4, 1, 1)),
		"buckets of 4 bytes at 0x00000100 and of 2 bytes at 0x00000102 ": gnu(o, histogram(o, 0x100, 0x104, 1, 1), histogram(o, 0x102, 0x104, 1, 1)),
		"an arc of 12 bytes, 11 are there":                               gnu(o, words(o, tagArc, 1, 2, 3)[:12]),
		"basic-block counts without":                                     gnu(o, []byte{tagBlocks, 0, 0}),
		"2 basic-block counts of 8 bytes, 8 bytes are there":             gnu(o, words(o, tagBlocks, 2, 0, 0)),
		"64 bytes of header and histogram, the file has 36":              append(bsd(o, 0, 64, 1, make([]uint16, 16))[:32], 0, 0, 0, 0),
		"13 bytes of arcs":                                               append(bsd(o, 0, 2, 1, []uint16{1}), make([]byte, 13)...),
		"a histogram from 0x00000002 to 0x00000002":                      bsd(o, 2, 2, 1, []uint16{1}),
	} {
		d, _, err := Decode(file)
		if d != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, %v, want %q", d, err, want)
		}
		if errors.Is(err, ErrWide) != strings.Contains(want, "64 bits") || errors.Is(err, ErrFormat) != (strings.Contains(want, "no gmon.out") || strings.Contains(want, "version") || strings.Contains(want, "19 of 20")) {
			t.Errorf("%v wraps the wrong error", err)
		}
	}
}

// No file that is cut short passes for a whole one, but between records.
func TestDecodeCut(t *testing.T) {
	o := binary.LittleEndian
	h, a := histogram(o, 0x100, 0x108, 50, 1, 2, 3, 4), words(o, tagArc, 1, 2, 3)
	whole := gnu(o, h, a, a)
	fine := map[int]bool{headerSize: true, headerSize + len(h): true, headerSize + len(h) + len(a): true}
	for n := range whole {
		if _, _, err := Decode(whole[:n]); (err == nil) != fine[n] {
			t.Errorf("the first %d bytes of %d: %v", n, len(whole), err)
		}
	}
}

// A file does not make Decode take more memory than in proportion to its size, whatever it
// claims; and what it says is kept: as many counts as the bins of the file hold.
func FuzzDecode(f *testing.F) {
	for _, o := range orders {
		f.Add(gnu(o, histogram(o, 0x08000000, 0x08000009, 100, 0, 3, 0, 7), words(o, tagArc, 0x08000001, 0x08000003, 5), words(o, tagBlocks, 1, 0, 0)))
		f.Add(gnu(o, histogram(o, 0x101, 0x104, 50, 65535, 1), histogram(o, 0x101, 0x104, 50, 65535, 1)))
		f.Add(bsd(o, 0x100, 0x108, 100, []uint16{1, 2}, 3, 4, 5))
		f.Add(bsd(o, 0x100, 0x108, 0, []uint16{1, 2}, 3, 4, 5))
		f.Add(gnu(o, words(o, tagHistogram, 0, 0xffffffff, 0xffffffff, 100), []byte("seconds\x00\x00\x00\x00\x00\x00\x00\x00s")))
		f.Add(gnu(o, words(o, tagBlocks, 0xffffffff)))
	}
	f.Fuzz(func(t *testing.T, p []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		d, order, err := Decode(p)
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > 64*uint64(len(p))+1<<16 {
			t.Errorf("%d bytes of memory for %d bytes of file", took, len(p))
		}
		if err != nil {
			return
		}
		end := uint64(0)
		for i, b := range d.Buckets {
			if i > 0 && uint64(b.Addr) < end || b.Count == 0 || b.Size == 0 {
				t.Fatalf("bucket %d of %+v", i, d.Buckets)
			}
			end = uint64(b.Addr) + uint64(b.Size)
		}
		for _, a := range d.Arcs {
			if a.From&1 != 0 || a.Self&1 != 0 || a.Count == 0 {
				t.Fatalf("%+v", a)
			}
		}
		var again bytes.Buffer
		if d.Encode(&again, order) != nil {
			return // buckets that gprof cannot have
		}
		got, _, err := Decode(again.Bytes())
		if err != nil || !reflect.DeepEqual(got.Buckets, d.Buckets) || !reflect.DeepEqual(got.Arcs, d.Arcs) || len(d.Buckets)+len(d.Arcs) > 0 && got.Rate != d.Rate {
			t.Fatalf("%+v comes back as %+v, %v", d, got, err)
		}
	})
}
