package pagetest

import (
	"math/rand/v2"
	"time"

	"github.com/mprof/mprof/live"
	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/unwind"
)

// collected is what a run collects, step by step: the same seed gives the same.
type collected interface {
	step()              // the next bit of it
	now() time.Duration // of the target
	finish() *profile.Profile
}

// newCollected begins to invent; a model that is not nil watches.
func newCollected(kind live.Kind, seed uint64, model *live.Model) collected {
	random := rand.New(rand.NewPCG(seed, 7))
	if kind == live.Calls {
		return newCalls(random, model)
	}
	return newSamples(random, model)
}

// samples are taken at 1 kHz.
type samples struct {
	random  *rand.Rand
	builder *profile.Builder
	model   *live.Model
	at      time.Duration
}

func newSamples(random *rand.Rand, model *live.Model) *samples {
	s := &samples{random: random, model: model, builder: profile.NewBuilder(code{}, profile.Options{Period: time.Millisecond, Start: start, Source: source})}
	if model != nil {
		model.WatchSamples(s.builder, live.Setup{Source: source})
	}
	return s
}

// start is when all runs begin.
var start = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func (s *samples) now() time.Duration { return s.at }

// step takes a sample. After 10 s of each quarter of a minute the target is off for 0.6 s, and comes back
// with a reset.
func (s *samples) step() {
	weight := time.Duration(500+s.random.IntN(1000)) * time.Microsecond
	s.at += weight
	snap := &snapshot.Snapshot{Time: s.at, Weight: weight, Halted: time.Duration(18_000+s.random.IntN(16_000)) * time.Nanosecond}
	p := s.pick()
	offset := uint32(s.random.IntN(4)) * 16
	switch phase := s.at % (15 * time.Second); {
	case phase >= 10*time.Second && phase < 10*time.Second+600*time.Millisecond:
		snap.Miss = snapshot.OffTarget
		s.builder.Add(snap, nil, unwind.Stop{Reason: unwind.NoSample})
		return
	case phase >= 10*time.Second+600*time.Millisecond && phase-weight < 10*time.Second+600*time.Millisecond:
		snap.State = snapshot.Reset
	}
	if p.stack[0] == fWait {
		snap.State |= snapshot.Sleeping
	}
	frames, stop := p.frames(offset), unwind.Stop{}
	if s.random.IntN(100) == 0 {
		frames, stop = frames[:1], unwind.Stop{Reason: unwind.NotCaptured, Addr: 0x20001000}
	}
	s.builder.Add(snap, frames, stop)
}

func (s *samples) pick() *path {
	x := s.random.Float64()
	for i := range paths {
		if x -= paths[i].share; x < 0 {
			return &paths[i]
		}
	}
	return &paths[1]
}

func (s *samples) finish() *profile.Profile {
	p := s.builder.Finish(profile.Acquisition{Method: profile.MethodDWARF, Device: device, RateHz: 1000, EndReason: "stopped"}, s.at)
	if s.model != nil {
		s.model.Finish(p)
	}
	return p
}

const device = "Cortex-M4 r0p1, invented"
