// Package gmon is gprof's file, gmon.out. In: counts of samples by address, counts of calls by
// address, and how long a count is. Out: the bytes that gprof reads, little or big endian; and
// the way back, from what gprof, eCos, SID and OpenOCD write.
package gmon

// Data is what a gmon.out holds. Addresses have no Thumb bit.
type Data struct {
	Rate    uint32   // counts per second of the histogram, Hz
	Buckets []Bucket // by address, not overlapping, of one size; those without counts may be missing
	Arcs    []Arc    // by From, then Self
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
