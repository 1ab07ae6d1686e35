package gmon

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// ErrWide is of a file of a program with addresses of 64 bits: a PC's own profile.
var ErrWide = errors.New("addresses of 64 bits: the file is of a program for a PC, not for a 32-bit target")

// ErrFormat is of bytes that are no gmon.out.
var ErrFormat = errors.New("no gmon.out file")

// Decode reads a file: GNU version 1, with the header of 4.4BSD, or with that of older BSDs, in
// either byte order, which it finds out. Histograms of one range are added up, and so are arcs;
// basic-block counts are passed over. It takes memory in proportion to len(p), whatever the
// file says of itself. Errors wrap ErrFormat, ErrWide or say at which offset the file is broken.
func Decode(p []byte) (*Data, binary.ByteOrder, error) {
	d := decoder{file: p}
	var err error
	switch order, bsd44 := bsd44Order(p); {
	case bytes.HasPrefix(p, []byte(magic)):
		err = d.gnu()
	case bsd44:
		d.order = order
		err = d.bsd(bsd44Header)
	default:
		err = d.oldBSD()
	}
	if err == nil {
		err = d.sum()
	}
	if err != nil {
		return nil, nil, fmt.Errorf("gmon: %w", err)
	}
	return &d.data, d.order, nil
}

// decoder reads one file. at is where the next record begins.
type decoder struct {
	file  []byte
	at    int
	order binary.ByteOrder
	data  Data
	rated bool // a histogram has said its rate
}

func (d *decoder) word(at int) uint32 { return d.order.Uint32(d.file[at:]) }

func (d *decoder) rest() int { return len(d.file) - d.at }

func (d *decoder) gnu() error {
	if len(d.file) < headerSize {
		return fmt.Errorf("%w: its header ends after %d of %d bytes", ErrFormat, len(d.file), headerSize)
	}
	switch {
	case binary.LittleEndian.Uint32(d.file[4:]) == version:
		d.order = binary.LittleEndian
	case binary.BigEndian.Uint32(d.file[4:]) == version:
		d.order = binary.BigEndian
	default:
		return fmt.Errorf("%w of version %d: the bytes of its version are % x", ErrFormat, version, d.file[4:8])
	}
	for d.at = headerSize; d.at < len(d.file); {
		tag := d.file[d.at]
		d.at++
		if err := d.record(tag); err != nil {
			return fmt.Errorf("record at offset %d: %w", d.at-1, err)
		}
	}
	return nil
}

// record reads what is behind a tag, and goes on behind it.
func (d *decoder) record(tag byte) error {
	switch tag {
	case tagHistogram:
		return d.histogram()
	case tagArc:
		if d.rest() < arcSize {
			return fmt.Errorf("an arc of %d bytes, %d are there", arcSize, d.rest())
		}
		d.arc()
		return nil
	case tagBlocks:
		return d.blocks()
	}
	return fmt.Errorf("no record has the tag %d", tag)
}

// wide tells whether the histogram at d.at has addresses of 64 bits: then its dimension stands 8
// bytes behind where it would stand.
func (d *decoder) wide() bool {
	const at = 16
	rest := d.file[d.at:]
	return len(rest) >= at+8+len(dimension) && string(rest[at+8:at+8+len(dimension)]) == dimension
}

func (d *decoder) histogram() error {
	if d.wide() {
		return ErrWide
	}
	if d.rest() < histogramSize {
		return fmt.Errorf("the header of a histogram has %d bytes, %d are there", histogramSize, d.rest())
	}
	low, high, bins, rate := d.word(d.at), d.word(d.at+4), d.word(d.at+8), d.word(d.at+12)
	unit := string(bytes.TrimRight(d.file[d.at+16:d.at+16+dimensionSize], "\x00"))
	d.at += histogramSize
	switch {
	case unit != dimension:
		return fmt.Errorf("it counts %.15q, not %s", unit, dimension)
	case d.rated && rate != d.data.Rate:
		return fmt.Errorf("a histogram of %d counts a second, the first has %d", rate, d.data.Rate)
	case uint64(bins)*binSize > uint64(d.rest()):
		return fmt.Errorf("%d bins of %d bytes, %d bytes are there", bins, binSize, d.rest())
	}
	d.data.Rate, d.rated = rate, true
	return d.bins(low, high, int(bins))
}

// bins reads n bins, which share [low, high) alike: bin i has the addresses a for which
// (a-low)*n/(high-low), rounded down, is i. An odd low is the Thumb bit.
func (d *decoder) bins(low, high uint32, n int) error {
	if n > 0 && high <= low {
		return fmt.Errorf("%d bins from 0x%08x to 0x%08x", n, low, high)
	}
	if low&1 != 0 {
		low, high = low&^1, high&^1
	}
	space := uint64(high - low)
	edge := func(i int) uint32 { return uint32((uint64(i)*space + uint64(n) - 1) / uint64(n)) }
	hit := 0
	for i := range n {
		if d.order.Uint16(d.file[d.at+binSize*i:]) > 0 {
			hit++
		}
	}
	d.data.Buckets = slices.Grow(d.data.Buckets, hit)
	for i := range n {
		if count := d.order.Uint16(d.file[d.at+binSize*i:]); count > 0 {
			first := edge(i)
			d.data.Buckets = append(d.data.Buckets, Bucket{low + first, max(1, edge(i+1)-first), uint64(count)})
		}
	}
	d.at += binSize * n
	return nil
}

func (d *decoder) arc() {
	a := Arc{d.word(d.at) &^ 1, d.word(d.at+4) &^ 1, uint64(d.word(d.at + 8))}
	d.at += arcSize
	if a.Count > 0 {
		d.data.Arcs = append(d.data.Arcs, a)
	}
}

// blocks passes over basic-block counts: a number, and so many pairs of address and count.
func (d *decoder) blocks() error {
	const pair = 8
	if d.rest() < 4 {
		return fmt.Errorf("basic-block counts without their number")
	}
	n := d.word(d.at)
	d.at += 4
	if uint64(n)*pair > uint64(d.rest()) {
		return fmt.Errorf("%d basic-block counts of %d bytes, %d bytes are there", n, pair, d.rest())
	}
	d.at += int(n) * pair
	return nil
}

// sum sorts, and adds up what several records say of one bucket or one arc. Buckets that overlap
// otherwise cannot be told apart.
func (d *decoder) sum() error {
	d.data.Buckets = sum(d.data.Buckets, func(a, b Bucket) int {
		return cmp.Or(cmp.Compare(a.Addr, b.Addr), cmp.Compare(a.Size, b.Size))
	}, func(to *Bucket, b Bucket) { to.Count += b.Count })
	d.data.Arcs = sum(d.data.Arcs, func(a, b Arc) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Self, b.Self))
	}, func(to *Arc, a Arc) { to.Count += a.Count })
	for i, b := range d.data.Buckets[min(1, len(d.data.Buckets)):] {
		if a := d.data.Buckets[i]; b.Addr-a.Addr < a.Size {
			return fmt.Errorf("buckets of %d bytes at 0x%08x and of %d bytes at 0x%08x overlap", a.Size, a.Addr, b.Size, b.Addr)
		}
	}
	return nil
}

// sum sorts rows and adds those that compare equal to the first of them.
func sum[T any](rows []T, compare func(a, b T) int, add func(to *T, row T)) []T {
	slices.SortStableFunc(rows, compare)
	out := rows[:0]
	for _, row := range rows {
		if n := len(out); n > 0 && compare(out[n-1], row) == 0 {
			add(&out[n-1], row)
		} else {
			out = append(out, row)
		}
	}
	return out
}
