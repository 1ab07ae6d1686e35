package live

import (
	"testing"
	"time"

	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/trace"
	"github.com/mprof/mprof/trace/calls"
	"github.com/mprof/mprof/unwind"
)

// Each benchmark has a run that nobody watches beside the same one that is watched: the
// difference is what the model costs the run.
func eachWay(b *testing.B, run func(b *testing.B, m *Model)) {
	b.Run("alone", func(b *testing.B) { run(b, nil) })
	b.Run("watched", func(b *testing.B) { run(b, NewModel()) })
}

func BenchmarkSample(b *testing.B) {
	eachWay(b, func(b *testing.B, m *Model) {
		s := newSampler(1)
		builder := newBuilder(s.code)
		if m != nil {
			m.WatchSamples(builder, Setup{})
		}
		stacks := make([][]unwind.Frame, 500)
		for i := range stacks {
			stacks[i] = append(stacks[i], unwind.Frame{PC: s.pc(), Kind: unwind.Leaf})
			for range 9 {
				stacks[i] = append(stacks[i], unwind.Frame{PC: s.pc() + 2, Kind: unwind.Caller})
			}
		}
		n := 0
		for b.Loop() {
			n++
			builder.Add(&snapshot.Snapshot{Time: time.Duration(n) * time.Millisecond, Weight: time.Millisecond, Halted: 30 * time.Microsecond}, stacks[n*7%500], unwind.Stop{})
		}
	})
}

// BenchmarkPC is one PC of blocks of 1000.
func BenchmarkPC(b *testing.B) {
	eachWay(b, func(b *testing.B, m *Model) {
		s := newSampler(1)
		builder := newBuilder(s.code)
		if m != nil {
			m.WatchSamples(builder, Setup{})
		}
		block := &snapshot.Block{Spacing: 5 * time.Microsecond}
		for range 1000 {
			block.PCs = append(block.PCs, s.pc())
		}
		snap := &snapshot.Snapshot{Weight: 5 * time.Millisecond, Block: block}
		for b.Loop() {
			builder.AddBlock(snap)
			snap.Time += 5 * time.Millisecond
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/PC")
	})
}

// BenchmarkCall is one call of packets of 20.
func BenchmarkCall(b *testing.B) {
	eachWay(b, func(b *testing.B, m *Model) {
		builder := calls.NewBuilder(firmware{functions: 40}, calls.Options{})
		if m != nil {
			m.WatchCalls(builder, Setup{})
		}
		begin(builder)
		s := newProgram(1)
		for len(s.records) < 100_000 {
			s.call(0, 0)
		}
		length := s.now - 999
		b.ResetTimer()
		for n := 0; b.Loop(); n += 20 {
			if n+20 > len(s.records) {
				for i := range s.records {
					s.records[i].Entry += length
				}
				n = 0
			}
			builder.Records(trace.Batch{Version: 2, Records: s.records[n : n+20]})
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/20, "ns/call")
	})
}

// BenchmarkSince is an update of a run whose main loop never returns, with as many calls that
// wait for it as there can be: what holds the run up most.
func BenchmarkSince(b *testing.B) {
	m, builder := NewModel(), calls.NewBuilder(firmware{functions: 40}, calls.Options{})
	m.WatchCalls(builder, Setup{})
	begin(builder)
	s := newProgram(1)
	s.feed(builder, 60_000)
	run, rev := m.Revision()
	for b.Loop() {
		s.feed(builder, 20)
		m.run.took = 0
		rev = m.Since(run, rev).Rev
	}
}

// BenchmarkSinceSamples is an update of a run of samples of many functions.
func BenchmarkSinceSamples(b *testing.B) {
	s := newSampler(1)
	s.code.functions = 2000
	m, builder := NewModel(), newBuilder(s.code)
	m.WatchSamples(builder, Setup{})
	for range 20_000 {
		s.add(builder)
	}
	run, rev := m.Revision()
	for b.Loop() {
		for range 250 {
			s.add(builder)
		}
		m.run.took = 0
		rev = m.Since(run, rev).Rev
	}
	b.ReportMetric(float64(len(m.run.functions.rows)), "functions")
	b.ReportMetric(float64(len(m.run.nodes.all)), "nodes")
}

// BenchmarkWindow is a view of 1000 pixels of three million calls: all of them, a minute, and
// what is exact.
func BenchmarkWindow(b *testing.B) {
	line, d := newTimeline(), newDrawn(3)
	d.keep, d.scale = false, 20*time.Microsecond
	d.run(line, 3_000_000)
	for _, part := range []struct {
		name string
		w    Window
	}{
		{"all", Window{Track: -1}},
		{"tenth", Window{From: d.now.Seconds() * 0.4, To: d.now.Seconds() * 0.5, Track: -1}},
		{"newest", Window{From: d.now.Seconds() - 1, Track: -1}},
	} {
		b.Run(part.name, func(b *testing.B) {
			spans := 0
			for b.Loop() {
				spans = 0
				for _, l := range ask(line, d.now, part.w).Tracks {
					spans += len(l.Start)
				}
			}
			b.ReportMetric(float64(spans), "spans")
		})
	}
}
