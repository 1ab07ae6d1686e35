package pagetest

import (
	"context"
	"errors"
	"time"

	"github.com/mprof/mprof/live"
	"github.com/mprof/mprof/profile"
)

// begin forgets what was collected.
func (c *Control) begin(kind live.Kind) {
	c.run.Lock()
	defer c.run.Unlock()
	c.seed++
	c.kind, c.steps, c.until = kind, 0, 0
	c.what = newCollected(kind, c.seed, c.model)
}

// advance lets time of the target pass.
func (c *Control) advance(d time.Duration) {
	c.run.Lock()
	defer c.run.Unlock()
	c.until += d
	for c.what.now() < c.until {
		c.what.step()
		c.steps++
	}
}

// finish is the end of the run.
func (c *Control) finish() {
	c.run.Lock()
	defer c.run.Unlock()
	if c.what != nil {
		c.what.finish()
	}
	c.what = nil
}

// Collect collects for some time of the target at once, as fast as it can, and ends the run.
func Collect(kind live.Kind, seed uint64, d time.Duration, model *live.Model) *profile.Profile {
	what := newCollected(kind, seed, model)
	for what.now() < d {
		what.step()
	}
	return what.finish()
}

// Model is what was collected.
func (c *Control) Model() *live.Model { return c.model }

// Profile is what was collected so far: the same steps again.
func (c *Control) Profile(context.Context) (*profile.Profile, error) {
	c.run.Lock()
	kind, seed, steps := c.kind, c.seed, c.steps
	c.run.Unlock()
	if steps == 0 {
		return nil, errors.New("pagetest: nothing was collected yet")
	}
	what := newCollected(kind, seed, nil)
	for range steps {
		what.step()
	}
	return what.finish(), nil
}

// Source is a file of the invented program.
func (c *Control) Source(file string) (string, bool) { return source(file) }
