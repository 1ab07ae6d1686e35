package profile_test

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/unwind"
)

// TestBlockErrors: the errors of a run that goes on are those of the profile that it would be,
// and looking at them changes nothing.
func TestBlockErrors(t *testing.T) {
	pcs := []uint32{0x08000110, 0x08000202, 0x08000210, 0x08000404, 0x08000502, 0}
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 1))
		looked, alone := profile.NewBuilder(firmware, profile.Options{}), profile.NewBuilder(firmware, profile.Options{})
		now := time.Duration(0)
		for range 50 + random.IntN(2000) {
			s := &snapshot.Snapshot{Time: now, Weight: 500 * time.Microsecond, Block: &snapshot.Block{Spacing: 5 * time.Microsecond}}
			if random.IntN(4) == 0 {
				s.State = snapshot.Sleeping
			}
			for pc := pcs[random.IntN(len(pcs))]; len(s.Block.PCs) < 100; {
				if s.Block.PCs = append(s.Block.PCs, pc); random.IntN(30) == 0 {
					pc = pcs[random.IntN(len(pcs))]
				}
			}
			looked.AddBlock(s)
			alone.AddBlock(s)
			if now += 600 * time.Microsecond; random.IntN(200) == 0 {
				looked.BlockErrors(now)
			}
		}
		errors := looked.BlockErrors(now)
		p := looked.Finish(profile.Acquisition{}, now)
		if diff := cmp.Diff(p.Summed(), errors); diff != "" || len(errors.Errors) < 4 {
			t.Fatalf("errors of %d functions (-profile +meanwhile):\n%s", len(errors.Errors), diff)
		}
		if diff := cmp.Diff(alone.Finish(profile.Acquisition{}, now), p); diff != "" {
			t.Fatalf("(-alone +looked at):\n%s", diff)
		}
	}
}

// seen is a watcher that keeps what it is shown.
type seen struct {
	sync.Mutex
	t       *testing.T
	samples []profile.Sample
	events  []profile.Event
	end     *profile.Profile
}

func (s *seen) Samples(p *profile.Profile, rows []profile.Sample) {
	if s.TryLock() {
		s.t.Error("the builder is not locked")
	}
	for _, row := range rows {
		if int(row.Stack) >= len(p.Stacks) {
			s.t.Errorf("stack %d of %d", row.Stack, len(p.Stacks))
		}
	}
	s.samples = append(s.samples, rows...)
}
func (s *seen) Event(e profile.Event)     { s.events = append(s.events, e) }
func (s *seen) Finish(p *profile.Profile) { s.end = p }

// TestWatcher sees every sample and event once, and the profile.
func TestWatcher(t *testing.T) {
	b, w := profile.NewBuilder(firmware, profile.Options{Period: time.Millisecond}), &seen{t: t}
	b.Watch(w)
	b.Add(sample(10), []unwind.Frame{leaf(0x08000210)}, complete)
	missed := sample(20)
	missed.Miss = snapshot.OffTarget
	b.Add(missed, nil, unwind.Stop{Reason: unwind.NoSample})
	if e, ok := b.Missing(); !ok || e.Time != 20*time.Millisecond || !e.Off {
		t.Errorf("missing: %+v, %v", e, ok)
	}
	reset := sample(30)
	reset.State = snapshot.Reset
	b.Add(reset, []unwind.Frame{leaf(0x08000404)}, complete)
	b.Event(profile.Event{Time: 40 * time.Millisecond, Name: "Back"})
	if a := b.Taken(); a.Asked != 3 || a.MissedSamples() != 1 || a.Resets != 1 {
		t.Errorf("taken: %+v", a)
	}
	p := b.Finish(profile.Acquisition{}, time.Second)
	if w.end != p || cmp.Diff(p.Threads[0].Samples, w.samples) != "" || len(w.events) != 3 || len(p.Events) != 3 {
		t.Errorf("seen: %+v\nthe profile: %+v, %+v", w, p.Threads[0].Samples, p.Events)
	}
}
