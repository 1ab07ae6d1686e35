package top

import (
	"sync"
	"testing"
	"time"

	"github.com/mprof/mprof/live"
	"github.com/mprof/mprof/serve/page/pagetest"
)

// samplesModel has seen a run of some samples at 1 kHz, which is over.
func samplesModel(t *testing.T, ms int) *live.Model {
	t.Helper()
	m := live.NewModel()
	pagetest.Collect(live.Samples, 1, time.Duration(ms)*time.Millisecond, m)
	return m
}

// grower is a run that grows when a test says so.
type grower struct {
	mu     sync.Mutex
	u      live.Update
	remark string
}

// growing has ten samples of one function.
func growing(t *testing.T) *grower {
	t.Helper()
	g := &grower{u: live.Update{Run: 1, Kind: live.Samples, Tracks: []string{"Core 0"},
		Functions: live.FunctionColumns{Name: []string{"main"}, File: []string{"main.c"}, Line: []int{1}, Label: []bool{false}},
		Nodes:     live.NodeColumns{Parent: []int{-1}, Function: []int{0}, Category: []int{0}, Inlined: []int{0}},
	}}
	g.grow(10)
	return g
}

func (g *grower) grow(n uint64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.u.Rev++
	g.u.Status.Taken += n
	k := g.u.Status.Taken
	g.u.Counts = live.CountColumns{Track: []int{0}, Node: []int{0}, Count: []uint64{k}, Time: []float64{float64(k)}}
	g.u.Table = []live.Row{{Self: k, Total: k, SelfShare: 1, TotalShare: 1}}
}

// Since tells everything each time.
func (g *grower) Since(uint64, uint64) *live.Update {
	g.mu.Lock()
	defer g.mu.Unlock()
	u := g.u
	if g.remark != "" {
		u.Status.Remarks = []string{g.remark}
	}
	return &u
}

// hottest is the function with most samples of its own.
func hottest(m Model) string {
	u := m.Since(0, 0)
	best := u.Table[0]
	for _, r := range u.Table {
		if r.Self > best.Self {
			best = r
		}
	}
	return u.Functions.Name[best.Function]
}
