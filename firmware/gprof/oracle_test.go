package gprof_test

import (
	"maps"
	"math/rand/v2"
	"testing"
)

// target is what the module is to hold: the range of profile_on, and what was counted since.
type target struct {
	low, high, shift uint32
	state, epoch     uint32
	ticks, outside   uint32
	saturated        uint32
	counters         map[uint32]uint32
	arcs             map[[2]uint32]uint32
	lost             uint32
	room             int
	request          bool
}

func (m *target) clear() {
	m.ticks, m.outside, m.saturated, m.lost = 0, 0, 0, 0
	m.counters, m.arcs = map[uint32]uint32{}, map[[2]uint32]uint32{}
	m.request = false
	m.epoch++
}

func (m *target) hit(pc uint32) {
	if m.state == 0 {
		return
	}
	if m.request {
		m.clear()
	}
	m.ticks++
	bucket := (pc - m.low) >> m.shift
	switch {
	case pc < m.low || pc >= m.high:
		m.outside++
	case m.counters[bucket] == 0xffff:
		m.saturated++
	default:
		m.counters[bucket]++
	}
}

func (m *target) call(from, self uint32) {
	if m.state == 0 {
		return
	}
	key := [2]uint32{from, self}
	if _, known := m.arcs[key]; !known && len(m.arcs) == m.room {
		m.lost++
		return
	}
	m.arcs[key]++
}

// compare holds what the driver has against the model.
func (m *target) compare(t *testing.T, h *held) {
	t.Helper()
	if h.Low != m.low || h.High != m.high || h.BucketShift != m.shift || h.State != m.state {
		t.Fatalf("%+v, want %+v", h.block, m)
	}
	if h.Ticks != m.ticks || h.Outside != m.outside || h.Saturated != m.saturated || h.ArcsLost != m.lost || h.Epoch != m.epoch || h.Request != 0 != m.request {
		t.Fatalf("%+v, want %+v", h.block, m)
	}
	for i, n := range h.counters {
		if uint32(n) != m.counters[uint32(i)] {
			t.Fatalf("bucket %d: %d, want %d", i, n, m.counters[uint32(i)])
		}
	}
	if got := h.calls(t); !maps.Equal(got, m.arcs) {
		t.Fatalf("arcs %v, want %v", got, m.arcs)
	}
	if problem := m.lost+m.saturated > 0; h.Problem != 0 != problem {
		t.Fatalf("problem %c; %d lost, %d saturated", rune(h.Problem), m.lost, m.saturated)
	}
}

// shiftOf is the power of two that profile_on makes of a size.
func shiftOf(size uint32) (shift uint32) {
	for shift = 1; shift < 31 && 1<<shift < size; shift++ {
	}
	return shift
}

// Random operations without interrupts: the module holds exactly what the model does.
func TestAgainstTheModel(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		low := uint32(r.IntN(1<<20)) &^ 1
		size := uint32(2 + r.IntN(20000))
		bucket := []uint32{0, 1, 2, 3, 4, 16, 17, 64, 5000}[r.IntN(9)]
		m := &target{shift: shiftOf(bucket)}
		mask := uint32(1)<<m.shift - 1
		m.low, m.high = low&^mask, (low+size+mask)&^mask
		buckets := uint64(m.high-m.low) >> m.shift
		slots := (uint64(low+size-1)-uint64(m.low))>>8 + 1
		m.room = []int{0, 1, 7, 64, 300}[r.IntN(5)]
		bytes := uint32(2*buckets+3)&^3 + uint32(2*(slots+1)+3)&^3 + uint32(16*m.room)
		ops := []operation{do(memory, bytes), do(on, low, low+size, bucket, 997), do(dump)}
		m.clear()
		m.state, m.epoch = 1, 1
		want := []target{m.copy()}
		for range 300 {
			pc := m.low - 20 + uint32(r.IntN(int(size)+40))
			switch n := r.IntN(100); {
			case n < 60:
				self := m.low + uint32(r.IntN(4))*0x400 | 1
				pc = m.low + uint32(r.IntN(40))*0x88 - 0x200
				ops = append(ops, do(call, pc, self))
				m.call(pc, self)
			case n < 90:
				times := uint32(1)
				if r.IntN(20) == 0 {
					times = 70000
				}
				ops = append(ops, do(hit, pc, times))
				for range times {
					m.hit(pc)
				}
			case n < 92:
				ops, m.request = append(ops, do(request)), true
			case n < 94:
				ops = append(ops, do(reset))
				m.clear()
			case n == 94 && r.IntN(8) == 0:
				ops = append(ops, do(off))
				m.state = 0
				m.clear()
			default:
				ops = append(ops, do(dump))
				want = append(want, m.copy())
			}
		}
		for i, h := range run(t, []string{"exclusive", "masked"}[seed%2], ops...) {
			if i == 0 && h.Result != 997 || h.Given != h.Counters || h.TimerHz != 3000000 || h.TimerPeriod != 2991 {
				t.Fatalf("%+v", h)
			}
			if t.Failed() {
				return
			}
			want[i].compare(t, &h)
		}
	}
}

func (m *target) copy() target {
	c := *m
	c.counters, c.arcs = maps.Clone(m.counters), maps.Clone(m.arcs)
	return c
}
