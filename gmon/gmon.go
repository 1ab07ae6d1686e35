// Package gmon is gprof's file, gmon.out. In: counts of samples by address, counts of calls by
// address, and how long a count is. Out: the bytes that gprof reads, little or big endian; and
// the way back, from what gprof, eCos, SID and OpenOCD write.
//
// The layout is that of gprof 2.40 (binutils, gprof/gmon_out.h and gmon_io.c); it was checked
// against arm-none-eabi-gprof.
package gmon

import "bytes"

// Data is what a gmon.out holds. Addresses have no Thumb bit.
type Data struct {
	// Rate is how many counts of the histogram are a second, Hz. 0: the file does not say, as
	// the old BSD header does not.
	Rate uint32
	// PerSample is how many counts were made of one sample; 0: not known. No file says it.
	PerSample uint32
	// Buckets are by address and do not overlap; those without counts may be missing. All have
	// one size, except where a file has fractional ones, as OpenOCD's have from 256 KiB on: then
	// sizes differ by a byte.
	Buckets []Bucket
	Arcs    []Arc // by From, then Self
}

// Bucket is how often the PC was found in [Addr, Addr+Size).
type Bucket struct {
	Addr, Size uint32
	Count      uint64
}

// Arc is how often the function that contains Self was called from the address From.
type Arc struct {
	From, Self uint32
	Count      uint64
}

// Tags of the records of a GNU file.
const (
	tagHistogram = 0
	tagArc       = 1
	tagBlocks    = 2 // basic-block counts
)

const (
	magic         = "gmon"
	version       = 1
	headerSize    = 20 // magic, version, 12 spare bytes
	binSize       = 2
	maxBin        = 0xffff
	dimension     = "seconds"
	dimensionSize = 15 // behind it is its letter
	histogramSize = 16 + dimensionSize + 1
	arcSize       = 12
)

// Recognise tells by its first bytes whether p is a gmon.out: a GNU file, or one with the header
// of 4.4BSD. The old BSD header has no mark, so its files are not recognised; Decode reads them.
func Recognise(p []byte) bool {
	_, ok := bsd44Order(p)
	return ok || bytes.HasPrefix(p, []byte(magic))
}
