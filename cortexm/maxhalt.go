package cortexm

import (
	"fmt"
	"time"

	"github.com/mprof/mprof/snapshot"
)

// SampleOptions.MaxHalt: what a sample takes is known before it is sent, as far as
// the probe was measured. Windows are cut from their outer end until every way
// through the plan fits, alternatives that would come too late are left out, and
// where the round trip of the steps takes too long a plan is made without their
// lessons. Where no stack fits at all, the registers are taken alone.

// haltMargin of the limit is left for what the measurement does not see.
const haltMargin = 16

// limitHalt makes the sampler keep within MaxHalt. The error says what the least
// possible is on this probe.
func (s *Sampler) limitHalt() (err error) {
	most := s.options.MaxHalt
	if most == 0 {
		return nil
	}
	pl := &s.planner
	pl.limit = most - most/haltMargin
	s.chosen = s.options.RegistersOnly
	switch {
	case pl.stepsDepth() > 0:
		pl.depth = pl.stepsDepth()
		if s.stepwise() {
			return nil
		}
	case !s.stepwise():
		s.oneGo = true
	default:
		s.options.RegistersOnly = true
	}
	if s.plan, err = pl.bare(); err != nil {
		return err
	}
	if !s.options.RegistersOnly && pl.time(s.plan.seq) <= pl.limit {
		if pl.depth = max(pl.depth, pl.planDepth()); pl.depth > 0 {
			if !s.oneGo {
				s.plan = nil // the steps fit, and teach
			}
			return nil
		}
	}
	return s.registersWithin()
}

// HaltLimitError says that no sample can keep to MaxHalt on this probe.
type HaltLimitError struct{ Limit, Least time.Duration }

func (e *HaltLimitError) Error() string {
	return fmt.Sprintf("cortexm: halt for at most %v: PC and LR alone take %v on this probe", e.Limit, e.Least)
}

// registersWithin takes registers alone, as many as fit.
func (s *Sampler) registersWithin() (err error) {
	pl := &s.planner
	s.bared = !s.chosen
	s.options.RegistersOnly = true
	pl.depth = 0
	least := time.Duration(0)
	for _, regs := range [][]snapshot.Reg{pl.regs, s.options.registers(), {snapshot.PC, snapshot.LR}} {
		pl.regs = regs
		if s.plan, err = pl.bare(); err != nil {
			return err
		}
		if least = pl.time(s.plan.seq); least <= pl.limit {
			s.bared = s.bared || len(regs) == 2
			return nil
		}
	}
	return &HaltLimitError{Limit: s.options.MaxHalt, Least: (least + least/(haltMargin-1)).Round(time.Microsecond) + time.Microsecond}
}

// shortened tells whether words were left out of a sample's stack.
func (s *Sampler) shortened(c *capture) bool {
	if s.options.RegistersOnly {
		return s.bared
	}
	if c.taken == nil && !c.stepped && s.planner.limit > 0 && (s.oneGo || s.used.short) {
		return true
	}
	return c.short
}

// deepened is a visit that was cut: the stack is asked for as deep as fits.
func (s *Sampler) deepened(v visit) visit {
	deep := func(sp, high uint32) uint32 {
		return max(high, Extent{sp, sp + 4*uint32(s.planner.depth)}.clamp(s.options.RAM).High)
	}
	v.guessed, v.cut, v.high = true, true, deep(v.sp, v.high)
	if v.chained && v.psp != 0 {
		v.pspHigh = deep(v.psp, v.pspHigh)
	}
	return v
}
