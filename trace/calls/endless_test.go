package calls

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/trace"
)

// A program that never returns needs no more memory the longer it runs, and every call is
// counted.
func TestEndless(t *testing.T) {
	n := uint32(400_000)
	if testing.Short() {
		n = 150_000
	}
	b := NewBuilder(names{}, Options{Keep: 1000})
	b.Metadata(microseconds())
	now, half := uint32(0), 0
	for i := range n {
		f := int(i % 37)
		records(b, at(0, 3, 40+f, now+10, now+20), at(256+15, 1, irq, now+31, now+32), at(256+15, 0, irq, now+30, now+35),
			at(0, 2, f, now+5, now+40), at(256+16, 0, 77, now+50, now+55), trace.Record{Entry: now + 60, Context: 1},
			at(1, 1, 99, now+61, now+65), trace.Record{Entry: now + 70})
		if i%1000 == 0 {
			b.Loss(trace.Loss{Kind: trace.LostBytes, Bytes: 1})
		}
		if now += 100; i == n/2 {
			half = len(b.items.all)
		}
	}
	if len(b.items.all) > half+half/8 || len(b.tree.nodes) > 2*b.most.paths || len(b.kept) > 10_000 {
		t.Errorf("%d items, %d half way; %d nodes, %d calls on the timeline", len(b.items.all), half, len(b.tree.nodes), len(b.kept))
	}
	p := finish(t, b)
	if p.Trace.Calls != 6*uint64(n) || p.Trace.Kept < 1000 || p.Trace.Kept > 1000+200 {
		t.Errorf("%d calls, %d kept", p.Trace.Calls, p.Trace.Kept)
	}
	for _, track := range p.Threads {
		if len(track.Samples) > 100_000 {
			t.Errorf("%s has %d pieces", track.Name, len(track.Samples))
		}
	}
	var newest time.Duration
	for _, track := range p.Threads {
		for _, c := range track.Calls {
			newest = max(newest, c.Time+c.Duration)
		}
	}
	if newest < time.Duration(n-1)*100*time.Microsecond {
		t.Errorf("the newest call ended at %v", newest)
	}
}

// Interrupts that are too many to be kept one by one are still taken from the call that they
// interrupted; where a call began among them, nearly so.
func TestManyInterrupts(t *testing.T) {
	const n = 100_000
	for _, from := range []uint32{0, 50_000, 99_000} { // of main's interrupts, how many came before work
		b := NewBuilder(names{}, Options{})
		b.Metadata(microseconds())
		for i := range uint32(n) {
			records(b, at(256+15, 0, irq, 100*i+50, 100*i+60))
		}
		records(b, at(0, 1, work, 100*from, 100*n), at(0, 0, main_, 0, 100*n))
		if len(b.interrupts)+len(b.contexts[1].breaks) > 2*b.most.breaks {
			t.Errorf("%d times wait", len(b.interrupts))
		}
		p := finish(t, b)
		for _, f := range p.Trace.Functions {
			want := map[string]time.Duration{"f0": 90 * n * time.Microsecond, "f1": 90 * time.Duration(n-from) * time.Microsecond, "f3": 10 * n * time.Microsecond}
			name := p.Functions[f.Function].Name
			if off := (f.Total - want[name]).Abs(); off > want[name]/200 || off > 0 && name != "f1" {
				t.Errorf("%d before: %s took %v, want %v", from, name, f.Total, want[name])
			}
		}
		if from == 50_000 && b.doubts.split == 0 {
			t.Errorf("%d before: nothing is said", from)
		}
	}
}

// In version 1, interrupts are told from what they interrupt however long nothing
// returns, and when main returns, all that it called is below it.
func TestEndlessVersion1(t *testing.T) {
	const n = 60_000
	b := NewBuilder(names{}, Options{Keep: -1})
	for i := range uint32(n) {
		now := 100*i + 10
		b.Records(trace.Batch{Version: 1, Records: []trace.Record{
			at(trace.NoContext, 2, leaf1, now+10, now+20), at(trace.NoContext, 1, 20, now+31, now+32), at(trace.NoContext, 0, irq, now+30, now+35),
			at(trace.NoContext, 1, work, now+5, now+40), at(trace.NoContext, 0, irq, now+50, now+56),
		}})
	}
	b.Records(trace.Batch{Version: 1, Records: []trace.Record{at(trace.NoContext, 0, main_, 0, 100*n+10)}})
	p := finish(t, b)
	us := time.Duration(n) * time.Microsecond
	want := map[string]expected{
		"f0": {1, 10*time.Microsecond + (100-6-35)*us, 10*time.Microsecond + (100-6-5)*us, 10*time.Microsecond + (100-6-5)*us, 10*time.Microsecond + (100-6-5)*us},
		"f1": {n, 20 * us, 30 * us, 30 * time.Microsecond, 30 * time.Microsecond},
		"f2": {n, 10 * us, 10 * us, 10 * time.Microsecond, 10 * time.Microsecond}, "f20": {n, us, us, time.Microsecond, time.Microsecond},
		"f3": {2 * n, 10 * us, 11 * us, 5 * time.Microsecond, 6 * time.Microsecond},
	}
	if diff := cmp.Diff(want, statistics(p)); diff != "" {
		t.Errorf("%s\n%q", diff, p.Taken.Remarks)
	}
	if p.Trace.Kept > 5 {
		t.Errorf("%d calls kept", p.Trace.Kept)
	}
	var paths []string
	for i := range p.Stacks {
		path := ""
		for _, f := range p.Callers(profile.StackIndex(i)) {
			path = p.Functions[f.Function].Name + ";" + path
		}
		paths = append(paths, path)
	}
	slices.Sort(paths)
	if diff := cmp.Diff([]string{"f0;", "f0;f1;", "f0;f1;f2;", "f3;", "f3;f20;"}, paths); diff != "" {
		t.Error(diff)
	}
}

// Addresses and paths of garbage do not fill the memory.
func TestTooMany(t *testing.T) {
	b := NewBuilder(names{}, Options{})
	b.tree.most = 1000
	b.Metadata(microseconds())
	now := uint32(0)
	for i := range uint32(30_000) {
		r := at(0, 0, 0, now, now+5)
		r.Func = 0x20000000 + i*4
		leaf := at(0, 1, 0, now, now+1)
		leaf.Func = r.Func - 3*(i%7)*4
		records(b, leaf, r)
		now += 10
	}
	for id := range uint16(1000) {
		records(b, at(id, 0, work, now, now+5))
		now += 10
	}
	p := finish(t, b)
	if n := len(p.Functions); n > mostPlaces+mostIDs {
		t.Errorf("%d functions", n)
	}
	if p.Trace.Calls != 61_000 || len(p.Stacks) > 3*mostPlaces {
		t.Errorf("%d calls, %d stacks", p.Trace.Calls, len(p.Stacks))
	}
	remarks(t, p, "more than 4096 addresses were called", "more than 1000 call paths", "more contexts than are told apart")
}

// Version 1 does not tell tasks apart: a call is never lost or invented, and it is said
// that times are of all tasks.
func TestTasksOfVersion1(t *testing.T) {
	overlaps := 0
	for seed := range uint64(50) {
		s := newSimulator(seed)
		s.tasks = 2 + int(seed)%3
		s.run()
		b := NewBuilder(names{}, Options{})
		b.Metadata(s.metadata())
		s.feed(b, 1, s.records)
		p := finish(t, b)
		if p.Trace.Calls != uint64(len(s.ended)) {
			t.Errorf("seed %d: %d calls of %d", seed, p.Trace.Calls, len(s.ended))
		}
		for i, track := range p.Threads {
			if want := "Context "; len(track.Name) <= len(want) || track.Name[:len(want)] != want || i >= mostInferred {
				t.Errorf("track %d is %s", i, track.Name)
			}
		}
		if b.doubts.overlaps > 0 {
			overlaps++
			remarks(t, p, "overlap others")
		}
		remarks(t, p, "a caller may be wrong")
	}
	if overlaps < 40 {
		t.Errorf("in %d runs of 50, it was seen that there are tasks", overlaps)
	}
}

// Version 1 numbers no records: what is missing, the target counts.
func TestLossesOfVersion1(t *testing.T) {
	for seed := range uint64(100) {
		s := newLossy(seed*2 + 1)
		stream := s.encode(1)
		b := NewBuilder(names{}, Options{})
		d := trace.NewDecoder(b, trace.DecoderOptions{Variant: &trace.Variant{}})
		d.Write(stream)
		d.Close()
		p := b.Finish(profile.Acquisition{}, 0)
		if err := p.Check(); err != nil {
			t.Fatal(err)
		}
		arrived, first := map[string]int{}, uint64(1<<63)
		calls := 0
		for _, k := range s.ended {
			if s.arrived[k.record] {
				first = min(first, k.entry)
				calls++
			}
		}
		for _, k := range s.ended {
			if s.arrived[k.record] {
				arrived[leaf(k.function)+" "+time.Duration((k.entry-first)*1000).String()]++
			}
		}
		for _, track := range p.Threads {
			for _, c := range track.Calls {
				id := p.Functions[p.Frames[p.Stacks[c.Stack].Frame].Function].Name + " " + c.Time.String()
				if arrived[id]--; arrived[id] < 0 {
					t.Fatalf("seed %d: nothing like %s happened", seed, id)
				}
			}
		}
		if lost := len(s.ended) - calls; int(p.Trace.Calls) != calls || int(p.Trace.LostCalls) != lost {
			t.Errorf("seed %d: %d calls of %d, %d lost of %d", seed, p.Trace.Calls, calls, p.Trace.LostCalls, lost)
		}
	}
}
