package pagetest

import (
	"fmt"
	"sort"
	"strings"

	"github.com/mprof/mprof/live"
)

// Timeline answers a window; spans narrower than a pixel are one.
func (m *Model) Timeline(w live.Window) *live.Timeline {
	m.mu.Lock()
	defer m.mu.Unlock()
	if w.To == 0 || w.To > m.now {
		w.To = m.now
	}
	t := &live.Timeline{Run: m.run, From: w.From, To: w.To, Tracks: []live.Lane{}, Gaps: []live.Event{}, Exact: true}
	for _, e := range m.events {
		if e.Off && e.Time < w.To && e.Time+e.Duration > w.From {
			t.Gaps = append(t.Gaps, e)
		}
	}
	names := []string{"Core 0"}
	if m.kind == live.Calls {
		names = []string{"main", "SysTick", "ADC"}
	}
	pixel := (w.To - w.From) / float64(max(w.Pixels, 1))
	t.Exact = pixel < 1.0/rate
	for i, name := range names {
		if w.Track >= 0 && w.Track != i {
			continue
		}
		t.Tracks = append(t.Tracks, m.lane(i, name, w, pixel))
	}
	return t
}

// lane draws each stack of a track as a column of spans, as wide as a pixel or as what it
// stands for; equal ones side by side are one.
func (m *Model) lane(track int, name string, w live.Window, pixel float64) live.Lane {
	l := live.Lane{Track: track, Name: name, Start: []float64{}, Length: []float64{}, Depth: []int{}, Function: []int{}, Count: []uint64{}}
	wide := max(pixel, 1.0/rate)
	open := map[int]int{} // depth -> its latest span
	from := sort.Search(len(m.spans), func(i int) bool { return m.spans[i].start >= w.From-wide })
	for next := w.From - wide; from < len(m.spans) && m.spans[from].start < w.To; from++ {
		s := m.spans[from]
		if m.kind == live.Calls && nodes[s.node].track != track || s.start < next {
			continue
		}
		next = s.start + wide/2
		for n := s.node; n >= 0; n = nodes[n].parent {
			d := depth(n)
			if last, ok := open[d]; ok && l.Function[last] == nodes[n].function && l.Start[last]+l.Length[last] >= s.start-wide {
				l.Length[last] = s.start + wide - l.Start[last]
				l.Count[last]++
				continue
			}
			open[d] = len(l.Start)
			l.Start, l.Length, l.Depth = append(l.Start, s.start), append(l.Length, wide), append(l.Depth, d)
			l.Function, l.Count = append(l.Function, nodes[n].function), append(l.Count, 1)
		}
	}
	return l
}

// Lines are the functions with most samples.
func (m *Model) Lines(l live.Lines) []live.Line {
	m.mu.Lock()
	defer m.mu.Unlock()
	var lines []live.Line
	for f, at := range functions {
		if at.file == "" || l.Function >= 0 && l.Function != f {
			continue
		}
		if r, ok := m.row(f, 0); ok && r.Self+r.Calls > 0 {
			lines = append(lines, live.Line{File: at.file, Line: at.line + 2, Name: at.name, Self: r.Self, Share: r.SelfShare, Error: r.SelfError})
		}
	}
	sort.Slice(lines, func(i, j int) bool { return lines[i].Self > lines[j].Self })
	if most := max(l.Most, 20*(1-min(l.Most, 1))); len(lines) > most {
		lines = lines[:most]
	}
	return lines
}

// Source invents a file.
func (c *Control) Source(file string) (string, bool) {
	var text strings.Builder
	known := false
	names := map[int]string{}
	for _, f := range functions {
		if f.file == file && file != "" {
			known = true
			names[f.line] = f.name
		}
	}
	for i := 1; i <= 120; i++ {
		if name, ok := names[i]; ok {
			fmt.Fprintf(&text, "static void %s(void)\n", name)
		} else {
			fmt.Fprintf(&text, "\tx[%d] = y[%d] * gain + (x[%d] >> 2);\n", i, i, i-1)
		}
	}
	return text.String(), known
}
