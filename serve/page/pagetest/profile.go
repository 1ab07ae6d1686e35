package pagetest

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/mprof/mprof/live"
	"github.com/mprof/mprof/profile"
)

// Reader is the invented model.
func (c *Control) Reader() any {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.model
}

// Model is of no use here: see Reader.
func (c *Control) Model() *live.Model { return &live.Model{} }

// Profile is what was collected so far.
func (c *Control) Profile(context.Context) (*profile.Profile, error) {
	if !c.State().Collected {
		return nil, errors.New("pagetest: nothing was collected yet")
	}
	c.mu.Lock()
	m := c.model
	c.mu.Unlock()
	m.mu.Lock()
	defer m.mu.Unlock()
	rows := profile.NewRows()
	stacks := make([]profile.StackIndex, len(nodes))
	for i, n := range nodes {
		f := functions[n.function]
		at := rows.Function(profile.Function{Name: f.name, File: f.file, Line: f.line, Label: strings.HasPrefix(f.name, "<")}, 0)
		caller := profile.StackIndex(profile.None)
		if n.parent >= 0 {
			caller = stacks[n.parent]
		}
		stacks[i] = rows.Stack(caller, rows.Frame(profile.Frame{Function: at, Symbol: profile.None, File: f.file, Line: f.line, Category: profile.Category(n.category)}))
	}
	p := rows.Finish()
	p.Start, p.Period = time.Now(), time.Second/rate
	p.Duration = time.Duration(m.now * 1e9)
	track := profile.ThreadTrack{Name: "Core 0"}
	for _, s := range m.spans {
		track.Samples = append(track.Samples, profile.Sample{Time: time.Duration(s.start * 1e9), Weight: time.Second / rate, Count: 1, Stack: stacks[s.node]})
	}
	p.Threads = []profile.ThreadTrack{track}
	p.Taken = profile.Acquisition{Method: profile.MethodDWARF, Device: c.State().Device, Asked: m.taken, RateHz: rate, EndReason: "stopped"}
	return p, nil
}
