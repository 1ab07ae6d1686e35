package gmon

import (
	"bufio"
	"encoding/binary"
	"math"
)

// encoder writes records. Errors stay in w until it is flushed.
type encoder struct {
	w     *bufio.Writer
	order binary.ByteOrder
	rate  uint32
	size  uint32 // of a bucket
	word  [4]byte
}

func (e *encoder) tag(t byte) { _ = e.w.WriteByte(t) }

func (e *encoder) text(s string) { _, _ = e.w.WriteString(s) }

func (e *encoder) words(values ...uint32) {
	for _, v := range values {
		e.order.PutUint32(e.word[:], v)
		_, _ = e.w.Write(e.word[:])
	}
}

func (e *encoder) bin(count uint16) {
	e.order.PutUint16(e.word[:], count)
	_, _ = e.w.Write(e.word[:binSize])
}

// segment writes as many histograms of its range as the largest count takes: each bin is full
// in the first ones, and zero in those behind its last.
func (e *encoder) segment(s segment) {
	low := s.buckets[0].Addr
	for full := uint64(0); full < s.copies; full++ {
		e.tag(tagHistogram)
		e.words(low, low+uint32(s.bins)*e.size, uint32(s.bins), e.rate)
		e.text(dimension)
		e.text("\x00\x00\x00\x00\x00\x00\x00\x00"[:dimensionSize-len(dimension)])
		e.text(dimension[:1])
		next := low
		for _, b := range s.buckets {
			if b.Count == 0 {
				continue
			}
			for ; next < b.Addr; next += e.size {
				e.bin(0)
			}
			e.bin(uint16(min(b.Count-min(b.Count, full*maxBin), maxBin)))
			next = b.Addr + e.size
		}
		if s.buckets[0].Count == 0 { // the one of an empty file
			e.bin(0)
		}
	}
}

// arc writes one record for each 2^32 - 1 calls.
func (e *encoder) arc(a Arc) {
	for left := a.Count; left > 0; left -= min(left, math.MaxUint32) {
		e.tag(tagArc)
		e.words(a.From, a.Self, uint32(min(left, math.MaxUint32)))
	}
}
