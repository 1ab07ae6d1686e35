package cortexm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"github.com/mprof/mprof/schedule"
	"github.com/mprof/mprof/snapshot"
)

// SampleOptions say what to sample.
type SampleOptions struct {
	Rate     float64       // Hz, mean
	Duration time.Duration // of the run on Clock; 0: until ctx ends
	Seed     int64         // of the jitter
	Clock    Clock         // nil: the host's
	// StackTops are addresses where a stack is known to end, the initial main
	// stack pointer first.
	StackTops []uint32
	RAM       []Range // nil: not known
	// Registers beyond PC, LR, xPSR, R7 and SP: 4 SWD transfers each.
	Registers []snapshot.Reg
	// Needs tells whether unwinding the snapshot that Learn is told of needed a
	// register. Then xPSR and R7 are read where they are needed. nil: always.
	Needs func(snapshot.Reg) bool
	// RegistersOnly takes PC, LR, xPSR and SP and no stack: the least that a
	// sample can cost. Learn does nothing then.
	RegistersOnly bool
	// MaxOverhead is the share of time that the core may stand halted, 0 to 1:
	// the rate is lowered to keep it, over the run and over any few seconds. 0: no
	// limit.
	MaxOverhead float64
	// MaxHalt is the longest that a sample may halt the core, as far as that can
	// be known beforehand: windows end earlier, so that outer frames are cut. 0: no
	// limit.
	MaxHalt time.Duration
	// Exact takes every sample in two steps, registers first: the stack is
	// never cut, and the core stands still for one more round trip.
	Exact bool
}

// Sampler takes snapshots of a running core. It is a snapshot.Source.
type Sampler struct {
	core     *Core
	options  SampleOptions
	clock    Clock
	limits   limits
	planner  planner
	history  history               // for samples taken step by step
	wants    wants                 // for the plan
	plans    [wantStacks + 1]*plan // by the stack of the sample before
	before   int                   // that stack
	plan     *plan                 // nil: step by step, guided by the host
	used     *plan                 // of the latest sample
	opening  *opening              // of the steps; nil: the one for learning
	spare    *opening              // the same where the answer takes a frame more
	waits    *rand.Rand
	schedule schedule.Schedule

	probeClock   probeClock
	start, last  time.Duration // of the run, of the latest sample
	lastHalted   time.Duration
	seq          uint64
	retries      uint16 // of a value match
	leastRetries uint16
	inTime       int  // samples since retries changed
	patience     int  // samples until it is tried with fewer
	aimed        bool // CSW, TAR and SELECT are as the sequences expect
	reset        bool // the target was reset since the sample before
	stood        bool // the core stood still when it was rescued, or may have

	away   away
	ended  error // how the run ends, after what was known of it
	events []snapshot.Event
	noted  int // events in all

	lessons    lessons
	readied    int           // registers that were found ready
	slow       bool          // one was not
	reply      time.Duration // from a decision of the host until the probe works on it, of the slow ones
	chosen     bool          // RegistersOnly was asked for
	bared      bool          // stacks or registers were left out for MaxHalt
	oneGo      bool          // a sample step by step would halt for too long
	usesPSP    bool          // threads run on the process stack
	stretch    uint32        // words by which windows were too short
	aside      *aside        // nil: no plan is being made
	background bool          // plans are made aside
	stepped    bool          // the latest sample was taken step by step

	stats     Stats
	halted    histogram
	transfers uint64
	commands  uint64
	phases    [NumPhases]uint64
}

// defaultRegisters are what unwinding needs of most programs: CFA rules count
// from SP, and from R7 where a function has a frame pointer. SP is last because
// it stays in DCRDR, where the alternatives look at it.
var defaultRegisters = []snapshot.Reg{snapshot.PC, snapshot.LR, snapshot.XPSR, snapshot.R7}

// NewSampler prepares sampling. The core is not touched.
func NewSampler(c *Core, o SampleOptions) (*Sampler, error) {
	if !(o.Rate > 0 && o.Rate <= 1e6) {
		return nil, fmt.Errorf("cortexm: sampling rate %g Hz: must be above 0, at most 1 MHz", o.Rate)
	}
	if o.Duration < 0 {
		return nil, fmt.Errorf("cortexm: sampling duration %v: must not be negative", o.Duration)
	}
	if !(o.MaxOverhead >= 0 && o.MaxOverhead <= 1) {
		return nil, fmt.Errorf("cortexm: share of halted time %g: must be 0 (no limit) to 1", o.MaxOverhead)
	}
	if o.MaxHalt < 0 {
		return nil, fmt.Errorf("cortexm: longest halt %v: must not be negative", o.MaxHalt)
	}
	if o.Clock == nil {
		o.Clock = NewWall()
	}
	o.RAM = merged(o.RAM)
	s := &Sampler{core: c, options: o, clock: o.Clock, limits: limitsOf(c.p)}
	s.limits.execute = s.limits.execute && c.branches
	s.probeClock = c.clock
	s.limits.clock = s.probeClock.hz != 0
	s.planner = planner{l: s.limits, steps: c.steps(s.limits), costs: c.costs, regs: o.registers(), base: o.base(), ram: o.RAM, inFlight: c.p.Info().PacketCount}
	for _, top := range o.StackTops {
		s.planner.main = append(s.planner.main, Extent{top - min(top, mainStackGuess), top}.from(o.RAM))
	}
	if !s.limits.execute {
		s.retries = 1 // free-dap takes 0 for "not at all"
	}
	s.leastRetries = s.retries
	if o.RegistersOnly {
		var err error
		if s.plan, err = s.planner.bare(); err != nil {
			return nil, err
		}
	}
	_, s.background = o.Clock.(Wall)
	s.planner.sparing = o.Needs != nil
	s.planner.interval = time.Duration(float64(time.Second) / o.Rate)
	s.wants.ram = o.RAM
	s.reply = c.costs.RoundTrip * 5 / 4
	if err := s.limitHalt(); err != nil {
		return nil, err
	}
	s.start = s.clock.Now()
	s.last = s.start
	s.waits = newWaits(o.Seed)
	s.schedule = schedule.New(o.Rate, o.Seed, s.start)
	s.schedule.Limit(o.MaxOverhead, s.planner.firstCost())
	return s, nil
}

// registers are those of a sample, SP last.
func (o SampleOptions) registers() []snapshot.Reg {
	if o.RegistersOnly {
		return sampleRegisters(bareRegisters, o.Registers)
	}
	return sampleRegisters(defaultRegisters, o.Registers)
}

// base are the registers of all samples that the plan takes, SP last.
func (o SampleOptions) base() []snapshot.Reg {
	if o.Needs == nil || o.RegistersOnly {
		return o.registers()
	}
	return sampleRegisters(o.Registers, []snapshot.Reg{snapshot.PC, snapshot.LR})
}

// extraRegisters are read in the alternatives that need them, where that is known.
var extraRegisters = [...]snapshot.Reg{snapshot.XPSR, snapshot.R7}

// mainStackGuess is how far below its end a stack is looked for before it was
// seen, in bytes.
const mainStackGuess = 256

// sampleRegisters are those of all lists, each once, SP last.
func sampleRegisters(lists ...[]snapshot.Reg) (regs []snapshot.Reg) {
	have := uint32(1 << snapshot.SP)
	for _, list := range lists {
		for _, r := range list {
			if have&(1<<r) == 0 {
				have |= 1 << r
				regs = append(regs, r)
			}
		}
	}
	return append(regs, snapshot.SP)
}

// Next waits until the next sample is due and takes it. A sample that did not
// succeed has Miss set. io.EOF ends the run after Duration; another error means
// that it cannot go on: ctx ended, or the probe is gone (probe.ErrDisconnected)
// and does not come back. While the target is away samples are missed at longer
// intervals.
func (s *Sampler) Next(ctx context.Context) (*snapshot.Snapshot, error) {
	if s.ended != nil {
		return nil, s.ended
	}
	now := s.clock.Now()
	due := now + s.away.wait
	if s.away.why == snapshot.Taken {
		due = s.schedule.Next(s.last+s.lastHalted, now)
	}
	end := s.start + s.options.Duration
	if s.options.Duration > 0 && due >= end {
		if err := s.clock.Sleep(ctx, end-now); err != nil {
			return nil, err
		}
		s.last = s.clock.Now()
		return nil, io.EOF
	}
	if err := s.clock.Sleep(ctx, due-now); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return s.take(context.WithoutCancel(ctx))
}

// watchdog bounds the wait for the probe while the core may stand still, on a machine that does not stand still
// itself. Then the connection is put in order and the core resumed.
const watchdog = 250 * time.Millisecond

// take takes one sample. It is not cancelled half-way: the watchdog bounds it.
func (s *Sampler) take(ctx context.Context) (*snapshot.Snapshot, error) {
	s.stats.Asked++
	begin := s.clock.Now()
	s.noteGap(begin)
	sp := &snapshot.Snapshot{Seq: s.seq}
	s.seq++
	c := &capture{}
	err := s.comeBack(ctx)
	if lost := err; lost != nil {
		c.fail(missOfLoss(lost))
		s.ended = s.leave(c.miss, lost, s.clock.Now()-begin)
	} else {
		s.stood = false
		begin = s.clock.Now()
		err = s.attempt(ctx, c)
	}
	took := s.clock.Now() - begin
	s.describe(sp, c, begin, took)
	if s.away.why == snapshot.Taken {
		s.ended = s.afterwards(ctx, c, err)
		if s.stood && c.sent > 0 { // since the sample was asked for, if nothing held that up
			s.lengthen(sp, s.clock.Now()-c.sent-s.core.costs.Away)
		}
		switch {
		case sp.Miss == snapshot.Taken:
		case s.away.why != snapshot.Taken:
			sp.Miss = s.away.why // the first of a row
		default:
			sp.Miss = c.miss
		}
	}
	s.count(sp, c)
	s.stepped = c.stepped
	if s.learnReady(c) {
		s.replan()
	}
	return sp, nil
}

// describe fills the snapshot with what came back.
func (s *Sampler) describe(sp *snapshot.Snapshot, c *capture, begin, took time.Duration) {
	sp.Time = s.moment(c, begin, begin+took) - s.start
	sp.Weight = max(0, sp.Time+s.start-s.last-s.lastHalted)
	sp.Halted = s.haltedTime(c, took)
	c.reset = c.reset || s.reset
	sp.State = c.state()
	if c.miss == snapshot.Taken && s.shortened(c) {
		sp.State |= snapshot.Shortened
	}
	if sp.State&snapshot.AlreadyHalted != 0 {
		s.noteStands(sp.Time+s.start, c)
	}
	if c.resetHalted || c.resetAfter { // registers and words are not of one moment
		c.fail(snapshot.ResetMeanwhile)
	}
	s.reset = c.resetAfter
	if sp.Miss = c.miss; sp.Miss == snapshot.Taken {
		sp.Regs, sp.Windows = c.regs, c.joined()
	}
	s.last, s.lastHalted = sp.Time+s.start, sp.Halted
	s.schedule.Spend(s.last+s.lastHalted, min(sp.Halted, watchdog))
	s.noteStood(sp)
}

// lengthen is for a core that stood still until it was rescued.
func (s *Sampler) lengthen(sp *snapshot.Snapshot, halted time.Duration) {
	if more := halted - sp.Halted; more > 0 {
		s.schedule.Spend(s.clock.Now(), min(more, watchdog))
		told := sp.Halted >= schedule.GapLeast
		if sp.Halted = halted; !told {
			s.noteStood(sp)
		}
	}
}

// noteStood tells of a core that stood still with this machine. What it is not to blame for, the budget does not
// pay: samples would stay away for many times as long.
func (s *Sampler) noteStood(sp *snapshot.Snapshot) {
	if sp.Halted >= schedule.GapLeast {
		s.stats.Gaps++
		s.note(s.start+sp.Time, sp.Halted, EventGap, errors.New("the core stood still: this machine was suspended, or mprof was stopped, in the middle of a sample"))
	}
}

// noteStands tells of a core that was halted when the sample came, which says
// nothing of what it does when it runs. The sample's own resume has let it go: a
// breakpoint stops it again at once.
func (s *Sampler) noteStands(now time.Duration, c *capture) {
	where := "an unknown address"
	if pc, ok := c.regs.Value(snapshot.PC); ok {
		where = fmt.Sprintf("0x%08x", pc)
	}
	s.note(now, 0, EventFoundHalted, fmt.Errorf("the core stood at %s: a BKPT in the program, a breakpoint, or another debugger", where))
	c.miss = snapshot.Stopped
}

// attempt does the transaction that the plan says. Its error means that the
// answer did not come, or was none.
func (s *Sampler) attempt(ctx context.Context, c *capture) error {
	if err := s.prepare(ctx); err != nil {
		c.fail(missOfPreparation(err))
		return err
	}
	err := s.transaction(ctx, c)
	switch {
	case err != nil:
		c.fail(missOfError(err))
	case c.miss == snapshot.NotHalted && s.secureClosed(ctx):
		c.miss = snapshot.Secure
	}
	return err
}

// transaction is one sample, at once or step by step.
func (s *Sampler) transaction(ctx context.Context, c *capture) error {
	ctx, cancel := schedule.Patience(ctx, watchdog)
	defer cancel()
	c.sent = s.clock.Now()
	if s.plan == nil || s.relearning() {
		s.stats.Exact++
		c.stepped = true
		return s.guided(ctx, c)
	}
	s.used = s.plan
	if p := s.plans[s.course()]; p != nil && !s.options.RegistersOnly {
		s.used = p
	}
	c.list = s.used.list
	s.shift(c)
	err := s.transact(ctx, s.used.seq, c)
	c.heard = s.clock.Now()
	return err
}

// secureClosed tells whether the core can be in a state in which it must not be
// halted: a Security Extension whose invasive debug is off (ARMv8-M ARM D1.2,
// DAUTHSTATUS.SID is 0b10). On other architectures the register reads as zero.
func (s *Sampler) secureClosed(ctx context.Context) bool {
	s.aimed = false
	v, err := s.core.p.ReadWord(ctx, addrDAUTHSTATUS)
	return err == nil && v>>4&3 == 2
}

// transact runs a sequence and collects what came of it.
func (s *Sampler) transact(ctx context.Context, q *sequence, c *capture) error {
	err := q.run(ctx, s.core.p)
	s.core.p.Invalidate()
	for i, p := range q.packets {
		if i > 0 {
			c.meter.nextPacket()
		}
		c.collect(p.transfers)
	}
	return err
}

// haltedTime is measured by the probe, or counted from what the probe did,
// within the time that the host waited. Where that was too long, it is all of it.
func (s *Sampler) haltedTime(c *capture, took time.Duration) time.Duration {
	counted := c.meter.time(s.core.costs)
	if d, ok := c.haltedTime(s.probeClock.hz); ok && d <= took && d >= counted/2 {
		return d
	}
	if !c.meter.halted {
		return 0
	}
	switch {
	case c.stepped && took > watchdog: // this machine stood still, who knows when
		return took - s.core.costs.Away
	case c.stepped:
		return min(c.halted, took)
	}
	return min(counted, took)
}

func (s *Sampler) count(sp *snapshot.Snapshot, c *capture) {
	if sp.Miss == snapshot.Taken {
		s.stats.Taken++
	} else {
		s.stats.Missed[sp.Miss]++
	}
	if sp.State&snapshot.Sleeping != 0 {
		s.stats.Sleeping++
	}
	if sp.State&snapshot.Reset != 0 {
		s.stats.Resets++
	}
	if c.resetHalted || c.resetAfter {
		s.stats.ResetsHalted++
	}
	s.halted.add(sp.Halted)
	if most := s.options.MaxHalt; most > 0 && sp.Halted > most {
		s.stats.Longer++
	}
	s.transfers += uint64(c.meter.total)
	s.commands += uint64(c.meter.commands)
	for i, n := range c.meter.phases {
		s.phases[i] += uint64(n)
	}
	if s.plan != nil && !s.options.RegistersOnly && !c.stepped && sp.Miss == snapshot.Taken && (c.taken == nil || c.taken.rest) {
		s.stats.NoWindow++
	}
}
