package gdbremote

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/mprof/mprof/schedule"
	"github.com/mprof/mprof/snapshot"
)

// SampleOptions say what to sample.
type SampleOptions struct {
	Rate     float64        // Hz, mean
	Duration time.Duration  // of the run on Clock; 0: until ctx ends
	Seed     int64          // of the jitter
	Clock    schedule.Clock // nil: the host's
	// StackTops are addresses where a stack is known to end.
	StackTops []uint32
	RAM       []Range // where stacks can be; nil: not known
	// RegistersOnly takes no stack. Learn does nothing then.
	RegistersOnly bool
	// MaxOverhead is the share of time that the target may stand halted, 0 to 1: the
	// rate is lowered to keep it. 0: no limit.
	MaxOverhead float64
	// Needs tells whether unwinding the snapshot that Learn is told of needed a
	// register. nil: any.
	Needs func(snapshot.Reg) bool
	// Reconnect makes a new client when the connection is lost. nil: then the run
	// ends.
	Reconnect func(ctx context.Context) (*Client, error)
}

// Range is the half-open range [Low, High) of target addresses.
type Range struct{ Low, High uint32 }

// Contains tells whether addr lies in r.
func (r Range) Contains(addr uint32) bool { return addr >= r.Low && addr < r.High }

// Sampler takes snapshots of a running target behind a GDB server. It is a
// snapshot.Source. One goroutine at a time may use it.
type Sampler struct {
	client   *Client
	options  SampleOptions
	clock    schedule.Clock
	schedule schedule.Schedule

	start, last time.Duration // of the run, of the latest sample
	lastHalted  time.Duration
	seq         uint64

	stacks stackEnds
	extra  extraRegisters
	ways   ways

	away   away
	ended  error // how the run ends, after what was known of it
	events []snapshot.Event
	noted  int
	stats  Stats
}

// firstCost is what a sample is expected to halt the target for before one was
// taken.
const firstCost = 2 * time.Millisecond

// NewSampler prepares sampling. The target is not touched.
func NewSampler(c *Client, o SampleOptions) (*Sampler, error) {
	switch {
	case !(o.Rate > 0 && o.Rate <= 1e6):
		return nil, fmt.Errorf("gdbremote: sampling rate %g Hz: must be above 0, at most 1 MHz", o.Rate)
	case o.Duration < 0:
		return nil, fmt.Errorf("gdbremote: sampling duration %v: must not be negative", o.Duration)
	case !(o.MaxOverhead >= 0 && o.MaxOverhead <= 1):
		return nil, fmt.Errorf("gdbremote: share of halted time %g: must be 0 (no limit) to 1", o.MaxOverhead)
	}
	if o.Clock == nil {
		o.Clock = schedule.NewWall()
	}
	s := &Sampler{client: c, options: o, clock: o.Clock}
	s.stacks = newStackEnds(o.StackTops, o.RAM)
	s.extra = newExtraRegisters(c)
	s.start = s.clock.Now()
	s.last = s.start
	s.schedule = schedule.New(o.Rate, o.Seed, s.start)
	s.schedule.Limit(o.MaxOverhead, firstCost)
	return s, nil
}

// Client is the one in use: another one after a connection was lost.
func (s *Sampler) Client() *Client { return s.client }

// Next waits until the next sample is due and takes it. A sample that did not
// succeed has Miss set. io.EOF ends the run after Duration; another error means
// that it cannot go on: ctx ended, the connection is lost for good
// (ErrDisconnected), the target ended (*ExitedError), or nothing is answered.
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
		return nil, io.EOF
	}
	if err := s.clock.Sleep(ctx, due-now); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	sp, err := s.take(ctx)
	if ctx.Err() != nil && err != nil {
		return nil, ctx.Err()
	}
	return sp, nil
}

// grace is how long a sample that has begun may go on when ctx ends. A server that
// hangs is not waited for any longer.
const grace = time.Second

// lasting is ctx, that ends a little later.
func lasting(ctx context.Context) (context.Context, func()) {
	long, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(grace, cancel) })
	return long, func() { stop(); cancel() }
}

// take takes one sample. What went wrong is in the snapshot and in s.ended; the
// error says so once more.
func (s *Sampler) take(ctx context.Context) (*snapshot.Snapshot, error) {
	ctx, cancel := lasting(ctx)
	defer cancel()
	s.stats.Asked++
	sp := &snapshot.Snapshot{Seq: s.seq}
	s.seq++
	s.noteGap(s.clock.Now())
	t := &taken{begin: s.clock.Now()}
	err := s.comeBack(ctx)
	if err == nil {
		t.begin = s.clock.Now()
		err = s.capture(ctx, t)
	}
	s.describe(sp, t)
	s.afterwards(sp, t, err)
	if sp.Miss == snapshot.Taken {
		s.stats.Taken++
	} else {
		s.stats.Missed[sp.Miss]++
	}
	return sp, err
}

// describe fills in when it was, and for how long the target stood. It ran again as
// long after the request to resume was sent as the interrupt took to get there.
func (s *Sampler) describe(sp *snapshot.Snapshot, t *taken) {
	at := t.begin
	if t.stood > 0 {
		at = t.begin + (t.stood-t.begin)/2 // the interrupt was under way for half of it, the answer for the rest
	}
	sp.Time = at - s.start
	sp.Weight = max(0, at-s.last-s.lastHalted)
	if t.resumed > 0 {
		sp.Halted = t.resumed - t.begin
	}
	s.last, s.lastHalted = at, sp.Halted
	s.stats.HaltedTotal += sp.Halted
	s.schedule.Spend(s.last+s.lastHalted, sp.Halted)
}
