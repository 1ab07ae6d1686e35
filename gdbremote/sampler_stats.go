package gdbremote

import (
	"fmt"
	"time"

	"github.com/mprof/mprof/snapshot"
)

// Stats say how a run has gone so far.
type Stats struct {
	Asked, Taken uint64
	Missed       [snapshot.NumMisses]uint64 // by cause
	Late         uint64                     // samples due earlier than the server could take them
	Delayed      uint64                     // samples that came later than asked to keep within MaxOverhead
	HaltedTotal  time.Duration
	Reconnects   uint64
	AtOnce       uint64 // samples whose stack was asked for together with the registers
	Plan         string // how samples are taken now
}

// Stats are those of the run up to now.
func (s *Sampler) Stats() Stats {
	st := s.stats
	st.Late, st.Delayed = s.schedule.Late(), min(s.schedule.Delayed(), st.Asked)
	st.AtOnce = uint64(s.ways.taken[atOnce])
	switch {
	case s.options.RegistersOnly:
		st.Plan = "registers only"
	case !s.client.pipelines:
		st.Plan = "registers first, then the stack; every request awaits its answer"
	case s.ways.better() == atOnce:
		st.Plan = "registers and stack in one exchange"
	default:
		st.Plan = "registers first, then the stack"
	}
	return st
}

// lateShare is the part of the samples from which on a user is told that they were
// late.
const lateShare = 0.1

// Remarks are sentences for the user.
func (s *Sampler) Remarks() (all []string) {
	st := s.Stats()
	if st.Taken > 0 && float64(st.Late) > lateShare*float64(st.Asked) {
		each := st.HaltedTotal / time.Duration(st.Asked)
		all = append(all, fmt.Sprintf("%d of %d samples came later than asked: one takes the server %v on average, so a lower --rate shows what it can", st.Late, st.Asked, each.Round(time.Microsecond)))
	}
	if n := s.client.FileRequests(); n > 0 {
		all = append(all, fmt.Sprintf("the program asked for files of the host %d times (semihosting): it got none", n))
	}
	return append(all, s.client.Remarks()...)
}
