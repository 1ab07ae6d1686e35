package gmon

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

// Encode writes a GNU file of version 1. Counts above 65535, the most that a bin holds, go into
// further histograms of the same range, which gprof adds up; where few buckets have counts, a
// file has several histograms of disjoint ranges. What gprof could not add up right is an error:
// see check.
func (d *Data) Encode(w io.Writer, order binary.ByteOrder) error {
	size, err := d.check()
	if err != nil {
		return err
	}
	e := encoder{w: bufio.NewWriter(w), order: order, rate: d.Rate, size: size}
	e.text(magic)
	e.words(version, 0, 0, 0)
	segments := d.segments()
	if len(segments) == 0 { // without any histogram gprof has no flat profile, not even of calls alone
		segments = []segment{{[]Bucket{{Size: size}}, 1, 1}}
	}
	for _, s := range segments {
		e.segment(s)
	}
	for _, a := range d.Arcs {
		e.arc(a)
	}
	return e.w.Flush()
}

// smallest is the size of a bucket below which gprof loses counts: it measures code in
// units of 2 bytes.
const smallest = 2

// check returns the one size of the buckets. gprof refuses files with buckets of several sizes,
// rounds odd addresses down, and adds bins up in an int.
func (d *Data) check() (size uint32, err error) {
	size = smallest
	if len(d.Buckets) > 0 {
		size = d.Buckets[0].Size
	}
	if size < smallest || size%smallest != 0 {
		return 0, fmt.Errorf("gmon: buckets of %d bytes: gprof loses counts unless it is an even number", size)
	}
	end, first := uint64(0), uint64(0)
	for i, b := range d.Buckets {
		at := uint64(b.Addr)
		switch {
		case b.Size != size:
			return 0, fmt.Errorf("gmon: the bucket at 0x%08x has %d bytes, that at 0x%08x %d: gprof wants one size", b.Addr, b.Size, d.Buckets[0].Addr, size)
		case i == 0:
			first = at
		case at < end:
			return 0, fmt.Errorf("gmon: the bucket at 0x%08x overlaps the one before, which ends at 0x%08x", b.Addr, end)
		}
		if end = at + uint64(size); end > math.MaxUint32 {
			return 0, fmt.Errorf("gmon: the bucket at 0x%08x ends behind 0xffffffff, which no record can say", b.Addr)
		}
		if at%smallest != 0 || (at-first)%uint64(size) != 0 {
			return 0, fmt.Errorf("gmon: the bucket at 0x%08x is not on the grid of %d bytes of that at 0x%08x", b.Addr, size, first)
		}
		if b.Count > math.MaxInt32 {
			return 0, fmt.Errorf("gmon: %d counts at 0x%08x: gprof adds up to %d; a lower rate makes fewer of them", b.Count, b.Addr, math.MaxInt32)
		}
	}
	return size, nil
}

// segment is a piece of the address space that is written as histograms of one range.
type segment struct {
	buckets []Bucket
	bins    uint64 // from the first to the last bucket
	copies  uint64 // histograms that it takes to hold the largest count
}

// length is what the segment takes in the file, bytes.
func (s segment) length() uint64 { return s.copies * (1 + histogramSize + s.bins*binSize) }

// segments cuts the buckets where that makes the file smaller: at gaps, and around buckets that
// need more histograms than their neighbours. Buckets without counts need none.
func (d *Data) segments() (all []segment) {
	var last segment
	start := 0 // of last, in d.Buckets
	for i, b := range d.Buckets {
		if b.Count == 0 {
			continue
		}
		one := segment{d.Buckets[i : i+1], 1, (b.Count + maxBin - 1) / maxBin}
		if last.buckets == nil {
			last, start = one, i
			continue
		}
		joined := segment{d.Buckets[start : i+1], uint64(b.Addr-last.buckets[0].Addr)/uint64(b.Size) + 1, max(last.copies, one.copies)}
		if joined.length() <= last.length()+one.length() {
			last = joined
			continue
		}
		all = append(all, last)
		last, start = one, i
	}
	if last.buckets != nil {
		all = append(all, last)
	}
	return all
}
