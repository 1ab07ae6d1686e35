package live

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/trace/calls"
)

// reader is what a page keeps.
type reader struct {
	run, rev  uint64
	Functions FunctionColumns
	Nodes     NodeColumns
	Counts    map[[2]int][2]float64
	Table     map[int]Row
	Events    []Event
	Tracks    []string
	Status    Status
}

// take takes an update as the page does.
func (r *reader) take(t *testing.T, u *Update) {
	t.Helper()
	if u.Run != r.run || u.Since == 0 {
		*r = reader{run: u.Run, Counts: map[[2]int][2]float64{}, Table: map[int]Row{}}
	}
	if u.Since != r.rev || u.Functions.From != len(r.Functions.Name) || u.Nodes.From != len(r.Nodes.Parent) {
		t.Errorf("an update since %d with functions from %d and nodes from %d; the reader has %d, %d and %d",
			u.Since, u.Functions.From, u.Nodes.From, r.rev, len(r.Functions.Name), len(r.Nodes.Parent))
	}
	f, n := &r.Functions, &r.Nodes
	f.Name, f.File, f.Line, f.Label = append(f.Name, u.Functions.Name...), append(f.File, u.Functions.File...), append(f.Line, u.Functions.Line...), append(f.Label, u.Functions.Label...)
	n.Parent, n.Function = append(n.Parent, u.Nodes.Parent...), append(n.Function, u.Nodes.Function...)
	n.Category, n.Inlined = append(n.Category, u.Nodes.Category...), append(n.Inlined, u.Nodes.Inlined...)
	for i, node := range u.Counts.Node {
		if node >= len(n.Parent) || u.Counts.Track[i] >= len(u.Tracks) {
			t.Errorf("counts of node %d of %d, track %d of %d", node, len(n.Parent), u.Counts.Track[i], len(u.Tracks))
		}
		r.Counts[[2]int{u.Counts.Track[i], node}] = [2]float64{float64(u.Counts.Count[i]), u.Counts.Time[i]}
	}
	for _, row := range u.Table {
		if row.Function >= len(f.Name) {
			t.Errorf("a row of function %d of %d", row.Function, len(f.Name))
		}
		r.Table[row.Function] = row
	}
	r.Events = append(r.Events, u.Events...)
	r.Tracks, r.Status, r.rev = u.Tracks, u.Status, u.Rev
}

func (r *reader) look(t *testing.T, m *Model) { r.take(t, m.Since(r.run, r.rev)) }

// catchUp looks until there is nothing new: readers may be told to come again.
func (r *reader) catchUp(t *testing.T, m *Model) {
	for {
		r.look(t, m)
		time.Sleep(time.Millisecond)
		m.mu.Lock()
		done := !m.run.dirty && !m.run.unseen && m.run.rev == r.rev
		m.mu.Unlock()
		if done {
			return
		}
	}
}

// equalWhole wants a reader of many updates to know what one knows that gets everything.
func (r *reader) equalWhole(t *testing.T, m *Model) {
	t.Helper()
	r.catchUp(t, m)
	var fresh reader
	fresh.take(t, whole(m))
	r.Status.Rate, fresh.Status.Rate = 0, 0 // it falls with time
	r.rev, fresh.rev = 0, 0
	if diff := cmp.Diff(fresh, *r, cmp.AllowUnexported(reader{})); diff != "" {
		t.Errorf("a reader of everything, and one of many updates:\n%s", diff)
	}
}

// writers are runs of each kind: each call of one goes on a little; it ends with the
// profile that the run has become.
func writers(m *Model, seed uint64) map[string]func() (write func(), end func() *profile.Profile) {
	samples := func(blocks bool) func() (func(), func() *profile.Profile) {
		return func() (func(), func() *profile.Profile) {
			s := newSampler(seed)
			b := newBuilder(s.code)
			m.WatchSamples(b, Setup{})
			return func() {
				if blocks {
					s.addBlock(b)
				} else {
					s.add(b)
				}
			}, func() *profile.Profile { return b.Finish(profile.Acquisition{}, s.now) }
		}
	}
	return map[string]func() (func(), func() *profile.Profile){
		"samples": samples(false), "blocks": samples(true),
		"calls": func() (func(), func() *profile.Profile) {
			s, b := newProgram(seed), calls.NewBuilder(firmware{functions: 40}, calls.Options{})
			m.WatchCalls(b, Setup{})
			begin(b)
			s.losses = 10
			return func() { s.feed(b, 20) }, func() *profile.Profile { return b.Finish(profile.Acquisition{}, 0) }
		},
	}
}

// TestSinceAddsUp: whatever updates readers take, of several runs one after the other, and
// however many they miss, they know what there is in the end.
func TestSinceAddsUp(t *testing.T) {
	for seed := range uint64(4) {
		m := NewModel()
		random := rand.New(rand.NewPCG(seed, 7))
		readers := make([]reader, 3)
		for kind, begin := range writers(m, seed) {
			write, end := begin()
			for range 700 {
				write()
				for i := range readers {
					if random.IntN(10*(i+1)) == 0 {
						readers[i].look(t, m)
					}
				}
				if random.IntN(200) == 0 {
					m.Remark(kind)
				}
			}
			readers[0].equalWhole(t, m)
			m.Finish(end())
			for i := range readers {
				readers[i].equalWhole(t, m)
			}
		}
	}
}

// TestReadersMeanwhile lets readers of everything look while the run writes as fast as it can.
func TestReadersMeanwhile(t *testing.T) {
	for kind := range writers(NewModel(), 1) {
		t.Run(kind, func(t *testing.T) {
			m := NewModel()
			write, end := writers(m, 1)[kind]()
			done := make(chan struct{})
			var all sync.WaitGroup
			readers := make([]reader, 3)
			for i := range readers {
				all.Add(1)
				go func() {
					defer all.Done()
					for n := 0; ; n++ {
						select {
						case <-done:
							return
						default:
						}
						readers[i].look(t, m)
						m.Timeline(Window{From: float64(n%7) / 10, To: float64(n%3) / 2, Pixels: 300 * i, Track: n%3 - 1})
						m.Lines(Lines{Function: -1})
						m.Revision()
						time.Sleep(time.Millisecond)
					}
				}()
			}
			for range 1500 {
				write()
			}
			m.Finish(end())
			close(done)
			all.Wait()
			for i := range readers {
				readers[i].equalWhole(t, m)
			}
		})
	}
}
