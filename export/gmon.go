package export

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"slices"
	"time"

	"github.com/mprof/mprof/gmon"
	"github.com/mprof/mprof/profile"
)

// Gmon is how gmon.out is written. The file holds the time of each address and, of traced
// calls, how often each function called which. What it cannot hold becomes of:
//
//   - stacks of samples: dropped. The number of calls is not known from samples, so there are no arcs.
//   - inlined functions: the physical function around them has their time.
//   - time asleep: time of the function that sleeps.
//   - tasks and interrupts: added up. What calls a task or a handler is no function; gprof drops
//     such arcs unless it has the table that WriteGmonSymbols writes.
//   - times of single calls, statistics, events: dropped.
//
// Gmon.Remarks says it to the user where it happens.
//
// gprof prints counts divided by a rate, a whole number, in seconds to two decimals. Samples
// count alike, so gprof's percentages are shares of the samples, as in the summary; how many
// counts a sample is and the rate are chosen together such that all samples are as long as
// they were. Traced calls have counts of 1 ns or the shortest power of ten of it with which
// all of them stay below 2^30.
type Gmon struct {
	Bucket    uint32 // bytes of code that share a count: a power of two; 0: 2, the size of the shortest instruction
	Low, High uint32 // only the time of [Low, High) is written; High 0: to the end
	BigEndian bool
}

// WriteGmon writes a gmon.out for gprof, little-endian, with buckets of 2 bytes.
func WriteGmon(w io.Writer, p *profile.Profile) error { return Gmon{}.Write(w, p) }

// Write writes a gmon.out.
func (g Gmon) Write(w io.Writer, p *profile.Profile) error {
	if err := g.Check(); err != nil {
		return err
	}
	if err := p.Check(); err != nil {
		return err
	}
	order := binary.ByteOrder(binary.LittleEndian)
	if g.BigEndian {
		order = binary.BigEndian
	}
	d, dropped := g.data(p)
	if dropped.nowhere > 0 && dropped.nowhere == gmonTotal(p) {
		return errors.New("gmon.out holds addresses, and this profile has none: folded stacks, for instance, are names only")
	}
	return d.Encode(w, order)
}

// gmonTotal is the amount of all stacks.
func gmonTotal(p *profile.Profile) (total int64) {
	for _, s := range p.ByStack() {
		total += gmonAmount(p, s)
	}
	return total
}

// maxBucket is larger than any function whose neighbours one would not want to mix.
const maxBucket = 1 << 16

// Check tells what is wrong with the options.
func (g Gmon) Check() error {
	switch {
	case g.Bucket != 0 && (g.Bucket < 2 || g.Bucket > maxBucket || bits.OnesCount32(g.Bucket) != 1):
		return fmt.Errorf("export: gmon.out with buckets of %d bytes: powers of two from 2 to %d are possible", g.Bucket, maxBucket)
	case g.High != 0 && g.High <= g.Low:
		return fmt.Errorf("export: gmon.out from 0x%08x to 0x%08x: the end is not behind the begin", g.Low, g.High)
	}
	return nil
}

// gmonDropped is what is not in the file, samples or, of traced calls, nanoseconds.
type gmonDropped struct{ nowhere, outside int64 }

// data makes the content of the file.
func (g Gmon) data(p *profile.Profile) (*gmon.Data, gmonDropped) {
	var dropped gmonDropped
	at := map[uint32]int64{} // by bucket
	for _, s := range p.ByStack() {
		n := gmonAmount(p, s)
		addr, known := physicalAddr(p, s.Stack)
		switch bucket := addr &^ (max(g.Bucket, 2) - 1); {
		case !known || uint64(bucket)+uint64(max(g.Bucket, 2)) > math.MaxUint32:
			dropped.nowhere += n
		case addr < g.Low || g.High != 0 && addr >= g.High:
			dropped.outside += n
		default:
			at[bucket] += n
		}
	}
	d := &gmon.Data{}
	rate, counts := gmonScale(p)
	d.Rate = rate
	for addr, n := range at {
		if c := counts(n); c > 0 {
			d.Buckets = append(d.Buckets, gmon.Bucket{Addr: addr, Size: max(g.Bucket, 2), Count: c})
		}
	}
	slices.SortFunc(d.Buckets, func(a, b gmon.Bucket) int { return int(int64(a.Addr) - int64(b.Addr)) })
	d.Arcs = gmonArcs(p)
	return d, dropped
}

// gmonAmount is what a stack adds to the histogram: samples, or the nanoseconds of traced calls.
func gmonAmount(p *profile.Profile, s profile.StackSamples) int64 {
	if p.Trace != nil {
		return s.Weight.Nanoseconds()
	}
	return int64(s.Samples)
}

// physicalAddr is the address where a stack ends, of traced calls the entry of the function. A
// label without code has none.
func physicalAddr(p *profile.Profile, s profile.StackIndex) (uint32, bool) {
	f := &p.Frames[p.Stacks[s].Frame]
	return f.Addr &^ 1, f.Symbol != profile.None || f.Addr != 0
}

// gmonMost bounds all counts together: what makes the file about 1 MiB longer, and fits into gprof's int.
const gmonMost = 1 << 30

// gmonScale chooses the rate, and what turns amounts into counts.
func gmonScale(p *profile.Profile) (rate uint32, counts func(amount int64) uint64) {
	var samples, total int64
	for _, s := range p.ByStack() {
		samples += int64(s.Samples)
		total += s.Weight.Nanoseconds()
	}
	if p.Trace != nil {
		unit := int64(1) // ns
		for unit < int64(time.Second) && total/unit > gmonMost {
			unit *= 10
		}
		return uint32(int64(time.Second) / unit), func(ns int64) uint64 { return uint64((ns + unit/2) / unit) }
	}
	perSample, rate := gmonRate(samples, time.Duration(total))
	return rate, func(n int64) uint64 { return uint64(n) * perSample }
}

// gmonRate finds the smallest number of counts for a sample with which a whole number of counts
// is a second, and the total is right to 10 µs; else the best.
func gmonRate(samples int64, total time.Duration) (perSample uint64, rate uint32) {
	if samples <= 0 || total <= 0 {
		return 1, 1
	}
	perSecond := float64(samples) / total.Seconds()
	best := math.Inf(1)
	perSample, rate = 1, 1
	for m := uint64(1); m <= max(1, uint64(gmonMost/samples)) && m <= maxPerSample; m++ {
		r := math.Round(float64(m) * perSecond)
		if r < 1 || r > math.MaxUint32 {
			continue
		}
		if off := math.Abs(float64(m)*float64(samples)/r - total.Seconds()); off < best {
			best, perSample, rate = off, m, uint32(r)
		}
		if best < 10e-6 {
			break
		}
	}
	return perSample, rate
}

// maxPerSample is enough for a total of an hour to be right to a few 10 µs.
const maxPerSample = 10_000
