package cortexm

import (
	"fmt"
	"math/bits"
	"time"

	"github.com/mprof/mprof/snapshot"
)

// Stats say how a run has gone so far.
type Stats struct {
	Asked, Taken uint64
	Missed       [snapshot.NumMisses]uint64 // by cause
	Late         uint64                     // samples due earlier than the probe could take them
	Delayed      uint64                     // samples that came later than asked to keep within MaxOverhead
	Rate         float64                    // samples taken per second, Hz
	Elapsed      time.Duration

	HaltedP50, HaltedP99, HaltedMax, HaltedTotal time.Duration
	TransfersPerSample                           float64 // SWD transfers, mean

	Depth  int    // words of stack that fit into MaxHalt; 0: none, or no limit
	Longer uint64 // halts that took longer than MaxHalt all the same

	// Phases are the SWD transfers of a mean sample while the core stood still, and
	// Commands the DAP commands.
	Phases   [NumPhases]float64
	Commands float64

	Exact    uint64 // samples taken in two steps
	NoWindow uint64 // samples whose stack no alternative held: registers only
	Sleeping uint64 // samples of a sleeping core
	Resets   uint64 // target resets seen
	// ResetsHalted are those that came while the core stood still for a sample: a
	// watchdog that Debug state does not stop.
	ResetsHalted uint64
	Gaps         uint64 // times that the host itself stood still
	Recoveries   uint64 // times that the connection had to be recovered
	Plan         string // how samples are taken now
}

// histogram counts durations in buckets of 1/32 of their size.
type histogram struct {
	buckets [64 << histogramBits]uint32
	n       uint64
	most    time.Duration
	sum     time.Duration
}

const histogramBits = 5

func (h *histogram) add(d time.Duration) {
	h.buckets[bucketOf(uint64(max(0, d)))]++
	h.n++
	h.sum += d
	h.most = max(h.most, d)
}

func bucketOf(v uint64) int {
	if v < 1<<histogramBits {
		return int(v)
	}
	e := bits.Len64(v) - histogramBits - 1
	return e<<histogramBits + int(v>>e)
}

// middle is the middle value of a bucket.
func middle(b int) time.Duration {
	if b < 2<<histogramBits {
		return time.Duration(b)
	}
	e := b>>histogramBits - 1
	low := uint64(b-e<<histogramBits) << e
	return time.Duration(low + 1<<e/2)
}

// quantile is the value below which q of the durations lie, within 2 %.
func (h *histogram) quantile(q float64) time.Duration {
	want := uint64(q * float64(h.n))
	seen := uint64(0)
	for b, n := range h.buckets {
		seen += uint64(n)
		if n > 0 && seen > want {
			return min(middle(b), h.most)
		}
	}
	return h.most
}

// Stats are those of the run up to now.
func (s *Sampler) Stats() Stats {
	st := s.stats
	st.Late, st.Delayed = s.schedule.Late(), min(s.schedule.Delayed(), st.Asked)
	st.Elapsed = s.last - s.start
	if st.Elapsed > 0 {
		st.Rate = float64(st.Taken) / st.Elapsed.Seconds()
	}
	st.Depth = s.planner.depth
	st.HaltedP50, st.HaltedP99 = s.halted.quantile(0.5), s.halted.quantile(0.99)
	st.HaltedMax, st.HaltedTotal = s.halted.most, s.halted.sum
	if st.Asked > 0 {
		for i, n := range s.phases {
			st.Phases[i] = float64(n) / float64(st.Asked)
		}
		st.Commands = float64(s.commands) / float64(st.Asked)
		st.TransfersPerSample = float64(s.transfers) / float64(st.Asked)
	}
	st.Plan = s.describePlan()
	return st
}

func (s *Sampler) describePlan() string {
	if s.plan == nil && (s.opening == nil || s.opening.guess == nil) {
		return "registers first, then the stack"
	}
	if s.options.RegistersOnly {
		return fmt.Sprintf("registers only, in %d packets", len(s.plan.seq.packets))
	}
	if s.plan == nil {
		return fmt.Sprintf("registers first, then the stack, with %d guesses meanwhile, in %d packets", len(s.opening.guess.list), len(s.opening.packets))
	}
	return fmt.Sprintf("one transaction with %d alternative windows in %d packets", len(s.plan.list), len(s.plan.seq.packets))
}
