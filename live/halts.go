package live

import (
	"math/bits"
	"time"
)

// halts counts how long samples halted the core, to 1 %: in buckets, 64 for each power
// of two of nanoseconds.
type halts struct {
	counts []uint64
	n      uint64
}

const bucketBits = 6

func bucket(d time.Duration) int {
	v := uint64(max(d, 0))
	if v < 1<<(bucketBits+1) {
		return int(v)
	}
	shift := bits.Len64(v) - bucketBits - 1
	return shift<<bucketBits + int(v>>shift)
}

// middle of a bucket.
func middle(i int) time.Duration {
	if i < 1<<(bucketBits+1) {
		return time.Duration(i)
	}
	shift := i>>bucketBits - 1
	low := uint64(i-shift<<bucketBits) << shift
	return time.Duration(low + 1<<shift/2)
}

func (h *halts) add(d time.Duration) {
	i := bucket(d)
	for i >= len(h.counts) {
		h.counts = append(h.counts, 0)
	}
	h.counts[i]++
	h.n++
}

// percentile by the nearest rank.
func (h *halts) percentile(percent uint64) time.Duration {
	rank := (h.n*percent + 99) / 100
	for i, n := range h.counts {
		if rank <= n {
			return middle(i)
		}
		rank -= n
	}
	return 0
}
