// Package counters takes what firmware/gprof counts out of a running target. In: the target's
// memory, and where the block mprof_gprof lies. Out: its counters and arcs, how far to trust them, and
// the contents of a gmon.out.
package counters

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
)

// Memory is that of the target: *probe.Probe and *gdbremote.Client have it.
type Memory interface {
	ReadMemory(ctx context.Context, addr uint32, p []byte) error
	WriteMemory(ctx context.Context, addr uint32, p []byte) error
}

// Symbol is the name of the block in the ELF file.
const Symbol = "mprof_gprof"

// Block is struct gprof_block of firmware/gprof/src/gprof.h, in its order.
type Block struct {
	Version, Size          uint32
	State, Epoch           uint32
	Low, High              uint32 // what is counted: [Low, High)
	BucketShift, Buckets   uint32
	Counters               uint32 // address of uint16[Buckets]
	TimerHz, TimerPeriod   uint32 // the interval is TimerPeriod / TimerHz seconds
	Ticks, Outside         uint32
	Saturated              uint32 // ticks that found their counter at its end
	Hash, HashShift, Slots uint32
	Arcs                   uint32 // address of the arcs
	ArcsSize, ArcsUsed     uint32
	ArcsLost               uint32 // calls
	Request, Wanted        uint32
}

const (
	version   = 0x67700001 // GPROF_VERSION
	blockSize = 23 * 4
	arcSize   = 16 // struct gprof_arc

	offsetRequest = 21 * 4
)

// What no target with 32-bit addresses and counters in its RAM exceeds.
const (
	maxBlock   = 4 << 10
	maxBuckets = 16 << 20
	maxArcs    = 1 << 20
)

// Place is where the block lies.
type Place struct {
	Addr uint32
	// Refuse says why size bytes at addr are no memory of counters, "" where they may be. Reading
	// a peripheral's register can change it. nil: they may be anywhere.
	Refuse func(addr, size uint32) string
}

// parseBlock reads a block of version 1 or later ones that append to it.
func parseBlock(p []byte) (b Block) {
	_, _ = binary.Decode(p[:blockSize], binary.LittleEndian, &b) // its size is right
	return b
}

// ReadBlock reads the block and checks all that is in it. Errors: ErrNotStarted, *VersionError,
// *NoRoomError, ErrOff, *DamagedError, those of mem.
func ReadBlock(ctx context.Context, mem Memory, at Place) (Block, error) {
	var p [blockSize]byte
	if err := mem.ReadMemory(ctx, at.Addr, p[:]); err != nil {
		return Block{}, fmt.Errorf("gmon: read %s: %w", Symbol, err)
	}
	b := parseBlock(p[:])
	return b, b.check(at)
}

func (b *Block) check(at Place) error {
	switch {
	case b.Version == 0 && b.Wanted > 0: // the first profile_on failed
		return &NoRoomError{b.Wanted}
	case b.Version == 0:
		return ErrNotStarted
	case b.Version != version:
		return &VersionError{at.Addr, b.Version}
	case b.Size < blockSize || b.Size > maxBlock:
		return &DamagedError{at.Addr, fmt.Sprintf("its size is %d bytes, and version 1 has %d", b.Size, blockSize)}
	case b.State == 0 && b.Buckets == 0 && b.Wanted > 0:
		return &NoRoomError{b.Wanted}
	case b.State == 0:
		return ErrOff
	case b.State != 1:
		return &DamagedError{at.Addr, fmt.Sprintf("its state is %d, neither off nor on", b.State)}
	}
	if problem := b.problem(at); problem != "" {
		return &DamagedError{at.Addr, problem}
	}
	return nil
}

// problem says what of a running profiler's block cannot be; "": nothing.
func (b *Block) problem(at Place) string {
	size := uint64(b.High) - uint64(b.Low)
	switch {
	case b.High <= b.Low:
		return fmt.Sprintf("it counts from 0x%08x to 0x%08x", b.Low, b.High)
	case b.BucketShift == 0 || b.BucketShift > 31:
		return fmt.Sprintf("its buckets are of 2^%d bytes", b.BucketShift)
	case b.Buckets == 0 || b.Buckets > maxBuckets || uint64(b.Buckets)<<b.BucketShift != size:
		return fmt.Sprintf("%d buckets of %d bytes are not 0x%08x to 0x%08x", b.Buckets, uint32(1)<<b.BucketShift, b.Low, b.High)
	case b.TimerHz == 0 || b.TimerPeriod == 0:
		return fmt.Sprintf("its interval is %d cycles of %d Hz", b.TimerPeriod, b.TimerHz)
	case b.ArcsSize > maxArcs:
		return fmt.Sprintf("it has room for %d arcs", b.ArcsSize)
	case b.ArcsUsed > b.ArcsSize:
		return fmt.Sprintf("%d arcs are used of %d", b.ArcsUsed, b.ArcsSize)
	case b.Request > 1:
		return fmt.Sprintf("its request word is 0x%08x", b.Request)
	}
	if problem := at.memory("counters", b.Counters, 2*b.Buckets, 2); problem != "" {
		return problem
	}
	return at.memory("arcs", b.Arcs, arcSize*b.ArcsSize, 4)
}

// memory says why the counters or the arcs cannot be where the block says.
func (at Place) memory(what string, addr, size, align uint32) string {
	switch {
	case size == 0:
		return ""
	case addr%align != 0 || uint64(addr)+uint64(size) > math.MaxUint32+1:
		return fmt.Sprintf("%d bytes of %s cannot be at 0x%08x", size, what, addr)
	case at.Addr < addr+size && addr < at.Addr+blockSize:
		return fmt.Sprintf("the %s at 0x%08x+%d would lie over the block itself", what, addr, size)
	case at.Refuse == nil:
		return ""
	}
	if why := at.Refuse(addr, size); why != "" {
		return fmt.Sprintf("the %s at 0x%08x+%d would lie in %s", what, addr, size, why)
	}
	return ""
}

// Interval is the time between two ticks in seconds.
func (b *Block) Interval() float64 { return float64(b.TimerPeriod) / float64(b.TimerHz) }

// worstRounding is how wrong the seconds in a gmon.out may be; mostPerTick bounds its length.
const (
	worstRounding = 0.0005
	mostPerTick   = 1 << 10
)

// Rate is what gmon.out says of the ticks: how many counts each of them is, and how many counts are a second, which has to be a
// whole number. One count a tick at 285.714 Hz would be 286 a second, three are 857. The numbers are the smallest with
// which seconds are right to 0.05 %, else the best.
func (b *Block) Rate() (perTick, hz uint32) {
	perTick, hz = 1, 1
	best := math.Inf(1)
	for n := uint32(1); n <= mostPerTick && best > worstRounding; n++ {
		exact := float64(n) / b.Interval()
		rounded := min(max(math.Round(exact), 1), math.MaxUint32)
		if off := math.Abs(rounded/exact - 1); off < best {
			best, perTick, hz = off, n, uint32(rounded)
		}
	}
	return perTick, hz
}

// same tells whether nothing began anew between two readings of the block.
func (b *Block) same(o Block) bool {
	return b.Epoch == o.Epoch && b.Low == o.Low && b.High == o.High && b.BucketShift == o.BucketShift &&
		b.Counters == o.Counters && b.Arcs == o.Arcs && b.TimerHz == o.TimerHz && b.TimerPeriod == o.TimerPeriod
}
