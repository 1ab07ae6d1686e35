package counters

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"time"
)

// Where the fake target keeps what it counts.
const (
	ramBase      = 0x20000000
	blockAt      = ramBase + 0x40
	countersAt   = ramBase + 0x100
	codeLow      = 0x08000000
	fakeArcs     = 64
	fakeTimerHz  = 16_000_000
	fakeInterval = 16_000 // cycles: 1 ms
)

// fake is a target that counts as gprof.h says, with ticks between the words that the host reads. Its
// state is the bytes of its memory and nothing else, but for what the test wants to know.
type fake struct {
	ram    []byte
	random *rand.Rand
	now    time.Duration

	every    int // bytes that the host reads between two ticks; 0: it does not run
	deaf     bool
	stood    bool
	since    int
	hits     map[uint32]uint64 // truth: all that were in a bucket, by address
	clearAt  int               // ticks until it clears by itself; 0: never
	requests []uint32          // what the host wrote to the request word
}

func newFake(buckets uint32, seed uint64) *fake {
	f := &fake{ram: make([]byte, 0x100+2*buckets+fakeArcs*arcSize+16), random: rand.New(rand.NewPCG(seed, 1)), hits: map[uint32]uint64{}}
	arcs := countersAt + (2*buckets+3)&^3
	for i, v := range []uint32{version, blockSize, 1, 1, codeLow, codeLow + buckets<<2, 2, buckets, countersAt, fakeTimerHz, fakeInterval,
		0, 0, 0, 0, 8, 0, arcs, fakeArcs, 0, 0, 0, 0} {
		f.set(i, v)
	}
	return f
}

// Words of the block.
const (
	wVersion = iota
	wSize
	wState
	wEpoch
	wLow
	wHigh
	wShift
	wBuckets
	wCounters
	wHz
	wPeriod
	wTicks
	wOutside
	wSaturated
	wHash
	wHashShift
	wSlots
	wArcs
	wArcsSize
	wArcsUsed
	wArcsLost
	wRequest
	wWanted
)

func (f *fake) get(i int) uint32 { return binary.LittleEndian.Uint32(f.ram[blockAt-ramBase+4*i:]) }
func (f *fake) set(i int, v uint32) {
	binary.LittleEndian.PutUint32(f.ram[blockAt-ramBase+4*i:], v)
}

func (f *fake) clear() {
	f.set(wEpoch, f.get(wEpoch)+1)
	for _, w := range []int{wTicks, wOutside, wSaturated, wArcsUsed, wArcsLost, wRequest} {
		f.set(w, 0)
	}
	clear(f.ram[countersAt-ramBase : countersAt-ramBase+2*f.get(wBuckets)])
	clear(f.hits)
}

// tick is the interrupt: a request first, then a hit, and a call now and then.
func (f *fake) tick() {
	if f.clearAt > 0 {
		if f.clearAt--; f.clearAt == 0 {
			f.clear()
		}
	}
	if f.get(wRequest) == 1 && !f.deaf {
		f.clear()
	}
	f.set(wTicks, f.get(wTicks)+1)
	n := f.get(wBuckets)
	i := uint32(f.random.ExpFloat64() * float64(n) / 3)
	if i >= n {
		f.set(wOutside, f.get(wOutside)+1)
		return
	}
	at := f.ram[countersAt-ramBase+2*i:]
	f.hits[codeLow+i<<2]++
	if v := binary.LittleEndian.Uint16(at); v == math.MaxUint16 {
		f.set(wSaturated, f.get(wSaturated)+1)
	} else {
		binary.LittleEndian.PutUint16(at, v+1)
	}
	f.call(codeLow+f.random.Uint32N(100)<<2|1, codeLow+f.random.Uint32N(4)<<8|1)
}

// call counts an arc, without a hash table: the lists are of arcs of one function.
func (f *fake) call(from, self uint32) {
	used, last := f.get(wArcsUsed), uint32(0)
	pool := f.ram[f.get(wArcs)-ramBase:]
	for i := range used {
		a := pool[i*arcSize:]
		if binary.LittleEndian.Uint32(a[4:]) != self {
			continue
		}
		if binary.LittleEndian.Uint32(a) == from {
			binary.LittleEndian.PutUint32(a[8:], binary.LittleEndian.Uint32(a[8:])+1)
			return
		}
		last = i + 1
	}
	if used == f.get(wArcsSize) {
		f.set(wArcsLost, f.get(wArcsLost)+1)
		return
	}
	for i, v := range []uint32{from, self, 1, last} {
		binary.LittleEndian.PutUint32(pool[used*arcSize+uint32(4*i):], v)
	}
	f.set(wArcsUsed, used+1)
}

var errBus = errors.New("FAULT")

// ReadMemory gives a word at a time, with what the target does in between.
func (f *fake) ReadMemory(_ context.Context, addr uint32, p []byte) error {
	if addr < ramBase || uint64(addr-ramBase)+uint64(len(p)) > uint64(len(f.ram)) {
		return errBus
	}
	for i := 0; i < len(p); i += 4 {
		copy(p[i:min(i+4, len(p))], f.ram[int(addr-ramBase)+i:])
		if f.since += 4; f.every > 0 && f.since >= f.every && !f.stood {
			f.since = 0
			f.tick()
		}
		f.now += 10 * time.Microsecond
	}
	return nil
}

func (f *fake) WriteMemory(_ context.Context, addr uint32, p []byte) error {
	if addr != blockAt+offsetRequest || len(p) != 4 {
		return errBus
	}
	copy(f.ram[addr-ramBase:], p)
	f.requests = append(f.requests, f.get(wRequest))
	return nil
}

func (f *fake) Now() time.Duration { return f.now }

// Sleep lets the target tick once in each millisecond.
func (f *fake) Sleep(ctx context.Context, d time.Duration) error {
	for ms := f.now / time.Millisecond; ms < (f.now+d)/time.Millisecond && f.every > 0; ms++ {
		f.tick()
	}
	f.now += d
	return ctx.Err()
}

func (f *fake) hold(ctx context.Context, run func(context.Context) error) (time.Duration, error) {
	f.stood = true
	defer func() { f.stood = false }()
	begun := f.now
	err := run(ctx)
	return f.now - begun, err
}

func (f *fake) target() *Target {
	return &Target{Memory: f, Place: Place{Addr: blockAt}, Clock: f, Hold: f.hold}
}
