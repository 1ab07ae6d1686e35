//go:build linux

package strangers

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"testing"
)

// histogram is the record of PC samples in a gmon.out file (GNU binutils,
// gmon_out.h): counts of buckets of equal size between two addresses.
type histogram struct {
	low, high uint32
	counts    []uint16
}

// readGmon reads a file that has one histogram and nothing else, little-endian,
// as OpenOCD writes it for a Cortex-M.
func readGmon(b []byte) (histogram, error) {
	const (
		cookie    = "gmon\x01\x00\x00\x00" // and version 1
		tagAt     = 20                     // behind 12 spare bytes; 0: histogram
		lowAt     = tagAt + 1              // address of the first bucket
		highAt    = lowAt + 4              // end of the last
		bucketsAt = highAt + 4             // how many there are
		countsAt  = bucketsAt + 4 + 20     // behind rate, dimension and its letter
		countSize = 2
	)
	if len(b) < countsAt || string(b[:8]) != cookie {
		return histogram{}, errors.New("no gmon.out file")
	}
	if b[tagAt] != 0 {
		return histogram{}, fmt.Errorf("record %d, want a histogram", b[tagAt])
	}
	h := histogram{low: binary.LittleEndian.Uint32(b[lowAt:]), high: binary.LittleEndian.Uint32(b[highAt:])}
	n := binary.LittleEndian.Uint32(b[bucketsAt:])
	if rest := b[countsAt:]; uint64(n)*countSize != uint64(len(rest)) || n == 0 || h.high <= h.low {
		return histogram{}, fmt.Errorf("%d buckets from 0x%x to 0x%x in %d bytes", n, h.low, h.high, len(rest))
	}
	for p := b[countsAt:]; len(p) > 0; p = p[countSize:] {
		h.counts = append(h.counts, binary.LittleEndian.Uint16(p))
	}
	return h, nil
}

// each calls f with every bucket that has samples, and the first instruction
// address in it.
func (h histogram) each(f func(pc uint32, samples int)) {
	space, n := uint64(h.high-h.low), uint64(len(h.counts))
	for i, c := range h.counts {
		if c > 0 {
			first := uint32((uint64(i)*space + n - 1) / n)
			f((h.low+first+1)&^1, int(c))
		}
	}
}

func (h histogram) samples() (n int) {
	for _, c := range h.counts {
		n += int(c)
	}
	return n
}

// gmonFile is a file with these counts.
func gmonFile(low, high uint32, counts ...uint16) []byte {
	b := append([]byte("gmon\x01\x00\x00\x00"), make([]byte, 13)...)
	for _, v := range []uint32{low, high, uint32(len(counts)), 100} {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	b = append(b, "seconds\x00\x00\x00\x00\x00\x00\x00\x00s"...)
	for _, c := range counts {
		b = binary.LittleEndian.AppendUint16(b, c)
	}
	return b
}

func TestReadGmon(t *testing.T) {
	h, err := readGmon(gmonFile(0x08000000, 0x08000008, 0, 3, 0, 7))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	h.each(func(pc uint32, n int) { got = append(got, fmt.Sprintf("%x:%d", pc, n)) })
	if s := fmt.Sprint(got); s != "[8000002:3 8000006:7]" || h.samples() != 10 {
		t.Errorf("%s, %d samples", s, h.samples())
	}
	whole := gmonFile(0, 8, 1, 2)
	for n := range whole {
		if _, err := readGmon(whole[:n]); err == nil {
			t.Errorf("the first %d bytes of %d pass for a file", n, len(whole))
		}
	}
}

func FuzzReadGmon(f *testing.F) {
	f.Add(gmonFile(0x08000000, 0x08000009, 0, 3, 0, 7))
	f.Add(bytes.Repeat([]byte{0xff}, 60))
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := readGmon(b)
		if err != nil {
			return
		}
		n := 0
		h.each(func(pc uint32, samples int) {
			if n += samples; pc < h.low && h.low < 0xffffffff {
				t.Errorf("0x%x is below 0x%x", pc, h.low)
			}
		})
		if n != h.samples() {
			t.Errorf("%d samples in the buckets, %d in all", n, h.samples())
		}
	})
}
