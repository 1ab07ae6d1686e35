package gmon

import (
	"encoding/binary"
	"fmt"
)

// The headers of BSD: the first and the last address, the number of bytes of the header and the
// histogram behind it; in 4.4BSD then a mark, the rate, and three spare words. The histogram is
// one, bins of 2 bytes; arcs follow to the end of the file, without tags.
const (
	oldHeader   = 12
	bsd44Header = 32
	bsd44Mark   = 0x51879
)

// bsd44Order finds the byte order of a file of 4.4BSD by its mark.
func bsd44Order(p []byte) (binary.ByteOrder, bool) {
	if len(p) < bsd44Header {
		return nil, false
	}
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		if order.Uint32(p[oldHeader:]) == bsd44Mark {
			return order, true
		}
	}
	return nil, false
}

// oldBSD reads a file whose header has no mark: in the byte order in which it makes sense.
func (d *decoder) oldBSD() error {
	for _, d.order = range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		if d.consistent(oldHeader) == nil {
			return d.bsd(oldHeader)
		}
	}
	return fmt.Errorf("%w: neither GNU's nor BSD's header", ErrFormat)
}

// consistent checks what a BSD header says against the size of the file.
func (d *decoder) consistent(header int) error {
	if len(d.file) < header {
		return fmt.Errorf("%w: its header ends after %d of %d bytes", ErrFormat, len(d.file), header)
	}
	low, high, size := d.word(0), d.word(4), uint64(d.word(8))
	switch {
	case size < uint64(header) || (size-uint64(header))%binSize != 0:
		return fmt.Errorf("%d bytes of header and histogram, which cannot be", size)
	case size > uint64(len(d.file)):
		return fmt.Errorf("%d bytes of header and histogram, the file has %d", size, len(d.file))
	case (uint64(len(d.file))-size)%arcSize != 0:
		return fmt.Errorf("%d bytes of arcs, no multiple of %d", uint64(len(d.file))-size, arcSize)
	case size > uint64(header) && high <= low:
		return fmt.Errorf("a histogram from 0x%08x to 0x%08x", low, high)
	}
	return nil
}

func (d *decoder) bsd(header int) error {
	if err := d.consistent(header); err != nil {
		return err
	}
	if header == bsd44Header {
		d.data.Rate = d.word(16)
	}
	d.at = header
	if err := d.bins(d.word(0), d.word(4), (int(d.word(8))-header)/binSize); err != nil {
		return err
	}
	for d.rest() > 0 {
		d.arc()
	}
	return nil
}
