package cortexm

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/snapshot"
)

// PCOptions say how to sample the PC of a running core.
type PCOptions struct {
	Rate     float64       // Hz, mean, an upper bound; 0: as fast as the wire carries
	Duration time.Duration // of the run on Clock; 0: until ctx ends
	Seed     int64         // of block lengths and pauses
	Clock    Clock         // nil: the host's
}

// PCSampler reads DWT_PCSR (ARMv7-M ARM, C1.8.6), the address of an instruction
// executed recently, in blocks, several of them under way. The core is never
// halted. It is a snapshot.Source whose snapshots hold blocks.
//
// PCs inside a block are evenly spaced, so that a loop of the program may keep
// step with them. Lengths of blocks and the pauses between them are drawn at
// random, so that the next block meets the loop elsewhere.
type PCSampler struct {
	core    *Core
	options PCOptions
	clock   Clock
	rand    *rand.Rand
	layout  pcLayout
	size    int // of a packet

	stream *probe.Stream
	flight []*pcPacket // under way, oldest first
	spare  []*pcPacket
	round  int // packets until DHCSR is read again
	pace   pace

	start, last time.Duration // of the run; until when time is accounted for
	seq         uint64
	judge       sleepJudge
	pending     []*pcRead // since DHCSR was read last
	all         []uint32  // their PCs
	ready       []*snapshot.Snapshot
	aimed       bool // TRCENA, CSW and TAR are as the blocks expect
	aimedAt     time.Duration
	reset       bool          // the target was reset since the block before
	away        snapshot.Miss // why nothing can be reached; Taken: it can
	awaySince   time.Duration
	events      []snapshot.Event
	noted       int
	backoff     time.Duration
	end         error
	stats       Stats
}

// NewPCSampler switches the trace unit on (DEMCR.TRCENA, until Detach) and tests
// whether PCSR gives PCs. The error wraps ErrNoPCSR where the core has none,
// ErrPCSRDenied where it may not be read, and is a *HaltedError where somebody
// has halted the core.
func NewPCSampler(ctx context.Context, c *Core, o PCOptions) (*PCSampler, error) {
	if !(o.Rate >= 0 && o.Rate <= 1e6) {
		return nil, fmt.Errorf("cortexm: sampling rate %g Hz: must not be negative, at most 1 MHz", o.Rate)
	}
	if o.Duration < 0 {
		return nil, fmt.Errorf("cortexm: sampling duration %v: must not be negative", o.Duration)
	}
	if o.Clock == nil {
		o.Clock = NewWall()
	}
	info := c.p.Info()
	s := &PCSampler{core: c, options: o, clock: o.Clock, size: info.PacketSize, layout: newPCLayout(limitsOf(c.p), c.costs, info.PacketCount)}
	s.rand = rand.New(rand.NewPCG(uint64(o.Seed), 0x70637372))
	s.judge = newSleepJudge()
	if err := s.selfTest(ctx); err != nil {
		return nil, err
	}
	s.start = s.clock.Now()
	s.last = s.start
	s.pace = s.layout.pace(o.Rate, o.Seed, s.start)
	return s, nil
}

// Next returns the next block. A block that was lost, or a part of it, has Miss
// set. io.EOF ends the run after Duration; another error means that it cannot go
// on: ctx ended, or the probe is gone (probe.ErrDisconnected).
func (s *PCSampler) Next(ctx context.Context) (*snapshot.Snapshot, error) {
	for {
		if len(s.ready) > 0 {
			sp := s.ready[0]
			s.ready = s.ready[1:]
			return sp, nil
		}
		if s.end != nil {
			return nil, s.end
		}
		s.ready = s.ready[:0]
		if err := s.advance(ctx); err != nil {
			s.flush(nil)
			s.end = err
		}
	}
}

// advance makes some progress: it aims or recovers, sends what there is room for
// and takes responses. An error ends the run.
func (s *PCSampler) advance(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	over := s.over()
	if over && len(s.flight) == 0 {
		return io.EOF
	}
	if !s.aimed && len(s.flight) == 0 {
		if err := s.aim(ctx); err != nil {
			return s.lose(ctx, missOfPreparation(err), err)
		}
	}
	if s.aimed && !over {
		if err := s.fill(ctx); err != nil {
			return s.lose(ctx, missOfError(err), err)
		}
	}
	if len(s.flight) == 0 {
		return nil
	}
	return s.collect(ctx)
}

// over tells whether the time of the run is up.
func (s *PCSampler) over() bool {
	return s.options.Duration > 0 && s.clock.Now() >= s.start+s.options.Duration
}

// miss accounts for the time up to now: n PCs were lost in it, or one sample
// where none had been asked for.
func (s *PCSampler) miss(m snapshot.Miss, n int) {
	now := s.clock.Now()
	sp := &snapshot.Snapshot{Seq: s.seq, Time: s.last - s.start, Weight: max(0, now-s.last), Miss: m}
	if n > 0 {
		sp.Block = &snapshot.Block{Lost: n}
	}
	s.last = max(s.last, now)
	s.deliver(sp)
}

// deliver numbers a snapshot, counts it and hands it over.
func (s *PCSampler) deliver(sp *snapshot.Snapshot) {
	n := uint64(sp.Samples())
	sp.Seq = s.seq
	s.seq += n
	s.stats.Asked += n
	missed := n
	if sp.Block != nil {
		missed = uint64(sp.Block.Lost)
	}
	s.stats.Taken += n - missed
	s.stats.Missed[sp.Miss] += missed
	if sp.State&snapshot.Sleeping != 0 {
		s.stats.Sleeping += n - missed
	}
	if sp.State&snapshot.Reset != 0 {
		s.stats.Resets++
	}
	s.ready = append(s.ready, sp)
}

// Stats are those of the run up to now. Taken counts what was read, whether it
// is a PC or not.
func (s *PCSampler) Stats() Stats {
	st := s.stats
	st.Elapsed = s.last - s.start
	if st.Elapsed > 0 {
		st.Rate = float64(st.Taken) / st.Elapsed.Seconds()
	}
	st.Plan = s.layout.describe(s.pace, s.core.p.Info().PacketCount)
	return st
}
