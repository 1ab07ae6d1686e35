package profile_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/unwind"
)

func block(at, weight time.Duration, pcs ...uint32) *snapshot.Snapshot {
	return &snapshot.Snapshot{Time: at, Weight: weight, Block: &snapshot.Block{Spacing: 5 * time.Microsecond, PCs: pcs}}
}

func buildBlocks(t *testing.T, add func(b *profile.Builder)) *profile.Profile {
	t.Helper()
	b := profile.NewBuilder(firmware, profile.Options{Flat: true, InCode: func(pc uint32) bool { return pc < 0x08001000 && pc >= 0x08000100 }})
	add(b)
	p := b.Finish(profile.Acquisition{Method: profile.MethodPCSR}, time.Second)
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	return p
}

// Every PC counts once: as a sample of its function, as sleep, as missed, or as
// no PC at all.
func TestBlocks(t *testing.T) {
	p := buildBlocks(t, func(b *profile.Builder) {
		b.AddBlock(block(time.Millisecond, 40*time.Microsecond, 0x08000202, 0x08000210, 0x08000202, 0x08000203))
		asleep := block(2*time.Millisecond, 20*time.Microsecond, 0xFFFFFFFF, 0xFFFFFFFF)
		asleep.State = snapshot.Sleeping
		b.AddBlock(asleep)
		b.AddBlock(block(3*time.Millisecond, 50*time.Microsecond, 0, 0xFFFFFFFF, 0x1FFF0000, 0x08000110, 0))
		halted := block(4*time.Millisecond, 20*time.Microsecond, 0xFFFFFFFF, 0xFFFFFFFF)
		halted.State = snapshot.AlreadyHalted
		b.AddBlock(halted)
		locked := block(5*time.Millisecond, 10*time.Microsecond, 0xFFFFFFFE)
		locked.State = snapshot.Lockup
		b.AddBlock(locked)
		lost := block(6*time.Millisecond, 10*time.Microsecond, 0x08000110)
		lost.Miss, lost.Block.Lost = snapshot.TargetFault, 9
		b.AddBlock(lost)
		b.AddBlock(block(7*time.Millisecond, 10*time.Microsecond, 0x08000404))
	})
	want := []string{"fib 3", "fib;mix 1", "<asleep> 2", "main 2", "<lockup> 1", "SysTick_Handler 1"}
	if diff := cmp.Diff(want, folded(p)); diff != "" {
		t.Error(diff)
	}
	a := p.Taken
	if a.Asked != 25 || p.Samples() != 10 || a.NoPCs != (profile.NoPCs{Zero: 2, Ones: 1, Outside: 1}) || a.Sleeping != 2 ||
		a.Missed[snapshot.TargetFault] != 9 || a.Missed[snapshot.Stopped] != 2 || a.Stops != ([unwind.NumReasons]uint64{}) {
		t.Errorf("%d asked, %d samples, %+v", a.Asked, p.Samples(), a)
	}
	if sum := uint64(p.Samples()) + a.NoPCs.Sum() + a.MissedSamples(); sum != a.Asked {
		t.Errorf("%d of %d accounted for", sum, a.Asked)
	}
	if len(p.Events) != 3 || p.Events[0].Name != "Halted by others" || p.Events[1].Name != "Lockup" || p.Events[2].Name != "Missed samples" {
		t.Errorf("events %+v", p.Events)
	}
	if p.Period != 100*time.Millisecond {
		t.Errorf("period %v", p.Period)
	}
}

// A long run keeps its counts and weights to the last one, in a bounded number
// of rows, which are in order and lie where their samples were.
func TestBlocksOfALongRun(t *testing.T) {
	const perSecond = 20_000
	seconds := 60
	if testing.Short() {
		seconds = 10
	}
	spacing := time.Second / perSecond
	random := rand.New(rand.NewPCG(1, 2))
	samples, weight := map[string]int{}, time.Duration(0)
	late := 0
	p := buildBlocks(t, func(b *profile.Builder) {
		for at := time.Duration(0); at < time.Duration(seconds)*time.Second; {
			n := 60 + random.IntN(60)
			s := block(at, time.Duration(n)*spacing+time.Duration(random.IntN(1000)))
			for range n {
				// 300 lines of main, and fib in the last tenth only
				pc, name := uint32(0x08000110), "main"
				if at > time.Duration(seconds)*time.Second*9/10 && random.IntN(2) == 0 {
					pc, name = 0x08000202, "fib"
					late++
				}
				s.Block.PCs = append(s.Block.PCs, pc)
				samples[name]++
			}
			s.Block.Spacing = spacing
			weight += s.Weight
			b.AddBlock(s)
			at += time.Duration(n) * spacing
		}
	})
	got, sum := map[string]int{}, time.Duration(0)
	for _, e := range p.Top() {
		got[e.Name] = e.Self
		sum += e.SelfTime
	}
	if diff := cmp.Diff(samples, got); diff != "" || sum != weight {
		t.Errorf("%s; weights %v, want %v", diff, sum, weight)
	}
	rows := p.Threads[0].Samples
	if len(rows) > 70_000 {
		t.Errorf("%d rows", len(rows))
	}
	for _, r := range rows {
		if f := p.Functions[p.Frames[p.Stacks[r.Stack].Frame].Function]; f.Name == "fib" && r.Time < time.Duration(seconds)*time.Second*88/100 {
			t.Fatalf("fib at %v", r.Time)
		}
	}
}

// Many different PCs make the bins wider, not the profile larger.
func TestBlocksOfManyPCs(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	n := 0
	p := buildBlocks(t, func(b *profile.Builder) {
		for ms := range 4000 {
			s := block(time.Duration(ms)*time.Millisecond, time.Millisecond)
			for range 100 {
				s.Block.PCs = append(s.Block.PCs, 0x08000100+2*random.Uint32N(300))
				n++
			}
			b.AddBlock(s)
		}
	})
	if rows := len(p.Threads[0].Samples); rows > 70_000 || p.Samples() != n {
		t.Errorf("%d rows, %d samples of %d", rows, p.Samples(), n)
	}
}

// BenchmarkAddBlock is what a PC costs the host on its way into a profile.
func BenchmarkAddBlock(b *testing.B) {
	builder := profile.NewBuilder(firmware, profile.Options{Flat: true})
	random := rand.New(rand.NewPCG(1, 2))
	s := block(0, 700*time.Microsecond)
	for range 126 {
		s.Block.PCs = append(s.Block.PCs, 0x08000100+2*random.Uint32N(1000))
	}
	b.ReportAllocs()
	for b.Loop() {
		builder.AddBlock(s)
		s.Time += 700 * time.Microsecond
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/126, "ns/PC")
}
