package calls

import (
	"math"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/mprof/mprof/profile"
)

// mostPlaces bounds the addresses that are told apart, and so the statistics: a
// table of percentiles takes 14 to 50 KB. Calls of others count together.
const mostPlaces = 4096

// place is an address that is called.
type place struct {
	addr  uint32
	stat  int32
	carry int64 // of costs, 1/256 ns that were too few to be subtracted yet
}

// stat is what is known of a function.
type stat struct {
	function profile.FunctionIndex
	calls    uint64
	net      int64 // of all calls
	self     int64
	min, max int64
	times    *hdrhistogram.Histogram
	longest  kept
	told     profile.FunctionTimes // when somebody looked
	atLeast  bool
}

// places finds addresses.
type places struct {
	paths  *profile.Paths
	all    []place
	stats  []stat
	byAddr map[uint32]int32
	byName map[profile.FunctionIndex]int32
	recent [256]struct {
		addr  uint32
		place int32 // from 1
	}
	others int32 // the place of addresses that are too many, from 1
}

func newPlaces(paths *profile.Paths) places {
	return places{paths: paths, byAddr: map[uint32]int32{}, byName: map[profile.FunctionIndex]int32{}}
}

// find returns the place of an address.
func (p *places) find(addr uint32) int32 {
	addr &^= 1
	slot := &p.recent[(addr>>1^addr>>9)%uint32(len(p.recent))]
	if slot.place != 0 && slot.addr == addr {
		return slot.place - 1
	}
	at, ok := p.byAddr[addr]
	switch {
	case ok:
	case len(p.all) < mostPlaces:
		at = p.add(addr, p.paths.Function(addr))
		p.byAddr[addr] = at
	default:
		if p.others == 0 {
			stack := p.paths.Label(profile.None, tooManyFunctions, profile.Unknown)
			p.others = p.add(0, p.paths.At(stack)) + 1
		}
		return p.others - 1
	}
	slot.addr, slot.place = addr, at+1
	return at
}

const tooManyFunctions = "<more functions>"

func (p *places) add(addr uint32, f profile.FunctionIndex) int32 {
	s, ok := p.byName[f]
	if !ok {
		s = int32(len(p.stats))
		p.byName[f] = s
		p.stats = append(p.stats, stat{function: f, min: math.MaxInt64})
	}
	p.all = append(p.all, place{addr: addr, stat: s})
	return int32(len(p.all) - 1)
}

// add counts a call.
func (s *stat) add(k *kept, self int64) {
	s.calls++
	net := int64(k.net)
	s.self += self
	s.net = saturate(s.net, net)
	s.min = min(s.min, net)
	if net > s.max || s.calls == 1 {
		s.max, s.longest = net, *k
	}
	s.atLeast = s.atLeast || k.atLeast
	if s.times == nil || net > s.times.HighestTrackableValue() {
		s.grow(net)
	}
	_ = s.times.RecordValue(net) // it is in range
}

// grow makes room for a time: tables begin at 1 ms, and are 1000 times
// longer each time.
func (s *stat) grow(net int64) {
	limit := int64(1) << 20
	for limit <= net && limit < 1<<60 {
		limit <<= 10
	}
	wider := hdrhistogram.New(1, limit, 2)
	if s.times != nil {
		wider.Merge(s.times)
	}
	s.times = wider
}

// percentile of the times of all calls, by the nearest rank.
func (s *stat) percentile(percent uint64) time.Duration {
	rank := (s.calls*percent + 99) / 100 // the table rounds to the nearest
	return time.Duration(min(max(s.times.ValueAtQuantile(100*float64(rank)/float64(s.calls)), s.min), s.max))
}

// saturate adds what is not negative.
func saturate(a, b int64) int64 {
	if sum := a + b; sum >= a {
		return sum
	}
	return math.MaxInt64
}
