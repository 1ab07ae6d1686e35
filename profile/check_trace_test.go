package profile_test

import (
	"strings"
	"testing"
	"time"

	"github.com/mprof/mprof/profile"
)

// traced is a valid profile of one call.
func traced() *profile.Profile {
	return &profile.Profile{
		Functions: []profile.Function{{Name: "main"}},
		Frames:    []profile.Frame{{Symbol: profile.None}},
		Stacks:    []profile.Stack{{Prefix: profile.None}},
		Threads: []profile.ThreadTrack{{
			Name: "Task 0", Samples: []profile.Sample{{Weight: 5, Count: 1}}, Calls: []profile.Call{{Time: 1, Duration: 7, Net: 5}},
		}},
		Trace: &profile.Trace{Calls: 1, Kept: 1, Functions: []profile.FunctionTimes{{Calls: 1, Total: 5, Self: 5, Min: 5, Mean: 5, P50: 5, P99: 5, Max: 5}}},
	}
}

// Check finds every number that does not fit the others.
func TestCheckOfTraces(t *testing.T) {
	if err := traced().Check(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		want  string
		spoil func(p *profile.Profile)
	}{
		{"stack 1 of 1", func(p *profile.Profile) { p.Threads[0].Calls[0].Stack = 1 }},
		{"took 4ns", func(p *profile.Profile) { p.Threads[0].Calls[0].Duration = 4 }},
		{"earlier than", func(p *profile.Profile) {
			p.Threads[0].Calls = append(p.Threads[0].Calls, profile.Call{})
		}},
		{"are said to be", func(p *profile.Profile) { p.Threads[0].Calls = nil }},
		{"1 of 1", func(p *profile.Profile) { p.Trace.Functions[0].Function = 1 }},
		{"add up to 1 and 5ns", func(p *profile.Profile) { p.Trace.Functions[0].Self = 4 }},
		{"add up to 1 and 5ns", func(p *profile.Profile) { p.Trace.Functions[0].Calls = 2 }},
		{"total 4ns", func(p *profile.Profile) { p.Trace.Functions[0].Total = 4 }},
		{"p99 4ns", func(p *profile.Profile) { p.Trace.Functions[0].P99 = 4 }},
		{"and no times", func(p *profile.Profile) { p.Trace.Functions = nil }},
		{"2 calls, and functions have 1", func(p *profile.Profile) { p.Trace.Calls = 2 }},
		{"is no trace", func(p *profile.Profile) { p.Trace = nil }},
	} {
		p := traced()
		c.spoil(p)
		if err := p.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// Pieces may come in any order and any number: no time and no count is lost, and the
// table stays small.
func TestPieces(t *testing.T) {
	var p profile.Pieces
	var weight time.Duration
	const n = 300_000
	for i := range n {
		at := time.Duration(i) * 1000
		if i%10 == 0 {
			at -= at / 3
		}
		w := time.Duration(i % 900)
		weight += w
		p.Add(profile.Sample{Time: at + 500, Weight: w, Count: i & 1, Stack: profile.StackIndex(i % 7)})
	}
	p.Rename(func(s profile.StackIndex) profile.StackIndex { return s + 1 })
	rows, count := p.Finish(500), 0
	for i, r := range rows {
		weight -= r.Weight
		count += r.Count
		if i > 0 && r.Time < rows[i-1].Time || r.Stack < 1 || r.Stack > 7 {
			t.Fatalf("row %d: %+v", i, r)
		}
	}
	if len(rows) == 0 || len(rows) > 100_000 || weight != 0 || count != n/2 {
		t.Errorf("%d rows, weight %v is missing, %d counted", len(rows), weight, count)
	}
}

// A few pieces stay where they are.
func TestPiecesAreExact(t *testing.T) {
	var p profile.Pieces
	for _, at := range []time.Duration{30, 10, 20, 40} {
		p.Add(profile.Sample{Time: at, Weight: 10, Stack: 3})
	}
	rows := p.Finish(10)
	for i, r := range rows {
		if r.Time != time.Duration(i)*10 || r.Weight != 10 {
			t.Errorf("row %d: %+v", i, r)
		}
	}
	if len(rows) != 4 {
		t.Errorf("%d rows", len(rows))
	}
}
