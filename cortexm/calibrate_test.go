package cortexm_test

import (
	"context"
	"testing"
	"time"

	"github.com/mprof/mprof/cortexm"
	"github.com/mprof/mprof/firmware/demo"
	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/sim"
)

// jumpy is a clock whose readings are of no use: every other one is late, and by
// less from time to time, so that what takes longer seems to take less.
type jumpy struct {
	*sim.Board
	reads int
	most  time.Duration
}

func (j *jumpy) Now() time.Duration {
	j.reads++
	if j.reads%2 == 1 {
		return j.Board.Now()
	}
	j.most = max(0, j.most-3*time.Millisecond)
	return j.Board.Now() + j.most
}

// A host that is held up while it measures gets costs that are wrong, and none
// that a sampler could trip over.
func TestCostsOfABusyHost(t *testing.T) {
	for _, model := range sim.Models() {
		t.Run(model, func(t *testing.T) {
			board, err := sim.New(sim.Options{ELF: demo.ELF, Model: model, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
			defer cancel()
			p, err := probe.Open(ctx, board.Transport(), probe.Options{})
			if err != nil {
				t.Fatal(err)
			}
			clock := &jumpy{Board: board, most: 400 * time.Millisecond}
			core, err := cortexm.Attach(ctx, p, cortexm.AttachOptions{Clock: clock})
			if err != nil {
				t.Fatal(err)
			}
			if c := core.Costs(); c.Transfer <= 0 || c.Packet <= 0 {
				t.Errorf("costs %+v", c)
			}
			s, err := cortexm.NewSampler(core, cortexm.SampleOptions{Rate: 100, Duration: 500 * time.Millisecond, Clock: board})
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for ; ; n++ {
				if _, err := s.Next(ctx); err != nil {
					break
				}
			}
			if n < 5 || ctx.Err() != nil {
				t.Errorf("%d samples, %v", n, ctx.Err())
			}
			if err := core.Detach(ctx); err != nil {
				t.Error(err)
			}
		})
	}
}
