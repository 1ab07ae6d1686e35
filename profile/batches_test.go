package profile

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// blocksOf is a program of two functions that stays in each for a time drawn
// around dwell, sampled in rows of 100 every 10 ms for 10 s.
func blocksOf(random *rand.Rand, dwell time.Duration) *Profile {
	p := &Profile{Duration: 10 * time.Second, Functions: make([]Function, 2),
		Frames: []Frame{{Function: 0}, {Function: 1}}, Stacks: []Stack{{Prefix: None, Frame: 0}, {Prefix: None, Frame: 1}}}
	t := ThreadTrack{}
	in, left := StackIndex(random.IntN(2)), dwell
	for at := time.Duration(0); at < p.Duration; at += 10 * time.Millisecond {
		t.Samples = append(t.Samples, Sample{Time: at, Weight: 10 * time.Millisecond, Count: 100, Stack: in})
		if left -= 10 * time.Millisecond; left <= 0 {
			in, left = StackIndex(random.IntN(2)), time.Duration(random.ExpFloat64()*float64(dwell))
		}
	}
	p.Threads = []ThreadTrack{t}
	return p
}

// The error that a profile of blocks states is the one that its shares have: over
// many runs of a program their spread is as stated, where that of independent
// samples would be ten times less.
func TestErrorOfBlocks(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const runs = 300
	var sum, squares, stated float64
	for range runs {
		for _, e := range blocksOf(random, 50*time.Millisecond).Top() {
			if e.Function == 0 {
				sum += e.SelfShare.Value
				squares += e.SelfShare.Value * e.SelfShare.Value
				stated += e.SelfShare.Error / runs
			}
		}
	}
	spread := math.Sqrt(squares/runs - sum/runs*sum/runs)
	if r := stated / spread; r < 0.8 || r > 1.25 {
		t.Errorf("stated %.4f, the runs spread by %.4f", stated, spread)
	}
	if independent := math.Sqrt(0.25 / 100_000); stated < 5*independent {
		t.Errorf("stated %.5f, independent samples would have %.5f", stated, independent)
	}
}

// With one sample in each row nothing changes.
func TestErrorOfSingleSamples(t *testing.T) {
	p := blocksOf(rand.New(rand.NewPCG(3, 4)), 50*time.Millisecond)
	for i := range p.Threads[0].Samples {
		p.Threads[0].Samples[i].Count = 1
	}
	e := p.Top()[0]
	if want := math.Sqrt(e.SelfShare.Value * (1 - e.SelfShare.Value) / 1000); math.Abs(e.SelfShare.Error-want) > 1e-12 {
		t.Errorf("%v, want %v", e.SelfShare.Error, want)
	}
}

// A run without a length, and one whose samples lie in one batch, have the error of
// independent samples.
func TestErrorOfOneBatch(t *testing.T) {
	p := blocksOf(rand.New(rand.NewPCG(5, 6)), 50*time.Millisecond)
	p.Duration = 0
	e := p.Top()[0]
	if want := math.Sqrt(e.SelfShare.Value * (1 - e.SelfShare.Value) / 100_000); math.Abs(e.SelfShare.Error-want) > 1e-12 {
		t.Errorf("%v, want %v", e.SelfShare.Error, want)
	}
}
