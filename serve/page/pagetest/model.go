package pagetest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"

	"github.com/mprof/mprof/live"
)

// Model is what the invented run has seen so far.
type Model struct {
	mu      sync.Mutex
	run     uint64
	rev     uint64
	kind    live.Kind
	random  *rand.Rand
	now     float64 // s
	due     float64 // that samples stand for and are not taken yet
	taken   uint64
	counts  []uint64 // of nodes
	changed []uint64 // the revision of each node's latest change
	first   []uint64 // of its first sample: it is not known before
	order   []int    // nodes by first sample
	spans   []span
	events  []live.Event
	eventAt []uint64
}

// span is a sample, or a call.
type span struct {
	start float64
	node  int
}

const rate = 1000 // samples or calls per second

func newModel(run uint64, kind string) *Model {
	return &Model{run: run, rev: 1, kind: live.Kind(kind), random: rand.New(rand.NewPCG(run, 7)),
		counts: make([]uint64, len(nodes)), changed: make([]uint64, len(nodes)), first: make([]uint64, len(nodes))}
}

// advance lets time pass, and returns what it is then.
func (m *Model) advance(seconds float64) float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.rev++
	before := m.now
	m.now += seconds
	if math.Floor(before/15) != math.Floor(m.now/15) {
		m.events = append(m.events, live.Event{Time: m.now - 1, Duration: 0.6, Name: "Target off", Detail: "no answer for 0.6 s", Off: true},
			live.Event{Time: m.now - 0.4, Name: "Reset", Detail: "the core was reset"})
		m.eventAt = append(m.eventAt, m.rev, m.rev)
	}
	for m.due += seconds * rate; m.due >= 1; m.due-- {
		n := m.pick()
		for at := n; at >= 0; at = nodes[at].parent {
			m.know(at)
		}
		m.counts[n]++
		m.changed[n] = m.rev
		m.taken++
		m.spans = append(m.spans, span{m.now - m.due/rate, n})
	}
	return m.now
}

func (m *Model) pick() int {
	x := m.random.Float64()
	for i, n := range nodes {
		if x -= n.share; x < 0 {
			return i
		}
	}
	return 2
}

// know makes a node known; its callers come first.
func (m *Model) know(n int) {
	if m.first[n] != 0 {
		return
	}
	if p := nodes[n].parent; p >= 0 {
		m.know(p)
	}
	m.first[n] = m.rev
	m.order = append(m.order, n)
}

// Revision is where the model is.
func (m *Model) Revision() (run, rev uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.run, m.rev
}

// number is a node's for the reader: in the order in which they became known.
func (m *Model) number(n int) int {
	for i, at := range m.order {
		if at == n {
			return i
		}
	}
	return -1
}

// Since is what changed.
func (m *Model) Since(run, rev uint64) *live.Update {
	m.mu.Lock()
	defer m.mu.Unlock()
	if run != m.run {
		rev = 0
	}
	u := &live.Update{Run: m.run, Since: rev, Rev: m.rev, Kind: m.kind, Tracks: []string{"Core 0"}, Table: []live.Row{}, Events: []live.Event{}, Status: m.status()}
	if m.kind == live.Calls {
		u.Tracks = []string{"main", "SysTick", "ADC"}
	}
	if rev == 0 {
		for _, f := range functions {
			u.Functions.Name = append(u.Functions.Name, f.name)
			u.Functions.File = append(u.Functions.File, f.file)
			u.Functions.Line = append(u.Functions.Line, f.line)
			u.Functions.Label = append(u.Functions.Label, strings.HasPrefix(f.name, "<"))
		}
	} else {
		u.Functions = live.FunctionColumns{From: len(functions), Name: []string{}, File: []string{}, Line: []int{}, Label: []bool{}}
	}
	m.tree(u, rev)
	for i, e := range m.events {
		if m.eventAt[i] > rev {
			u.Events = append(u.Events, e)
		}
	}
	for f := range functions {
		if row, ok := m.row(f, rev); ok {
			u.Table = append(u.Table, row)
		}
	}
	return u
}

// tree adds nodes and counts that changed.
func (m *Model) tree(u *live.Update, rev uint64) {
	c, t := &u.Nodes, &u.Counts
	*c = live.NodeColumns{Parent: []int{}, Function: []int{}, Category: []int{}, Inlined: []int{}}
	*t = live.CountColumns{Track: []int{}, Node: []int{}, Count: []uint64{}, Time: []float64{}}
	for i, n := range m.order {
		if m.first[n] <= rev {
			c.From = i + 1
			continue
		}
		parent := -1
		if nodes[n].parent >= 0 {
			parent = m.number(nodes[n].parent)
		}
		c.Parent, c.Function = append(c.Parent, parent), append(c.Function, nodes[n].function)
		c.Category, c.Inlined = append(c.Category, nodes[n].category), append(c.Inlined, nodes[n].inlined)
	}
	for i, n := range m.order {
		if m.changed[n] <= rev {
			continue
		}
		track := 0
		if m.kind == live.Calls {
			track = nodes[n].track
		}
		t.Track, t.Node = append(t.Track, track), append(t.Node, i)
		t.Count, t.Time = append(t.Count, m.counts[n]), append(t.Time, float64(m.counts[n])/rate)
	}
}

func (m *Model) row(f int, rev uint64) (live.Row, bool) {
	r := live.Row{Function: f}
	length, news := 0.0, false
	for n, at := range nodes {
		if m.counts[n] == 0 || !below(n, f) {
			continue
		}
		news = news || m.changed[n] > rev
		r.Total += m.counts[n]
		if at.function == f {
			r.Self += m.counts[n]
			length = at.length
		}
	}
	if !news {
		return r, false
	}
	all := float64(m.taken)
	share := func(k uint64) (float64, float64) {
		p := float64(k) / all
		return p, math.Sqrt(p * (1 - p) / all)
	}
	if m.kind == live.Samples {
		r.SelfShare, r.SelfError = share(r.Self)
		r.TotalShare, r.TotalError = share(r.Total)
		return r, true
	}
	c := live.Row{Function: f, Calls: r.Self, SelfTime: float64(r.Self) / rate, TotalTime: float64(r.Total) / rate,
		Min: length * 0.8, Mean: length, P50: length * 0.98, P99: length * 1.2, Max: length * 1.3, LongestAt: m.now / 2}
	return c, true
}

func (m *Model) status() live.Status {
	s := live.Status{Elapsed: m.now, Rate: rate, Remarks: []string{}, Contexts: []live.Share{}}
	if m.now == 0 {
		s.Rate = 0
	}
	if m.kind == live.Samples {
		s.Asked, s.Taken, s.Cut = m.taken+m.taken/500, m.taken, m.taken/100
		s.StolenShare, s.HaltedP50, s.HaltedP99 = 0.021, 21e-6, 34e-6
		if n := float64(m.taken); n > 0 {
			s.IdleShare = float64(m.counts[1]+m.counts[2]) / n
			s.IdleError = math.Sqrt(s.IdleShare * (1 - s.IdleShare) / n)
		}
	} else {
		s.Calls, s.Lost, s.Bytes, s.BufferUsed, s.Buffer = m.taken, m.taken/2000, m.taken*9, 300+m.taken%1500, 4096
		s.Contexts = []live.Share{{Track: 0, Value: 0.86}, {Track: 1, Value: 0.07}, {Track: 2, Value: 0.07}}
	}
	if m.now > 20 {
		s.Remarks = []string{fmt.Sprintf("The target was away for %.1f s.", 0.6*math.Floor(m.now/15))}
	}
	return s
}
