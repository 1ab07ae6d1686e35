package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/session/sampling"
	"github.com/mprof/mprof/session/target"
	"github.com/mprof/mprof/session/tracing"
	"github.com/mprof/mprof/trace"
)

// collected is what a run has collected: while it goes on, its recording; then its
// profile.
type collected struct {
	recording string
	read      func(ctx context.Context) (*profile.Profile, error) // what is recorded until now

	saved   atomic.Bool // its profile was asked for after the run had ended
	mu      sync.Mutex
	profile *profile.Profile // nil: the run goes on
}

// ended tells whether the run has.
func (c *collected) ended() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.profile != nil
}

// empty tells whether the run has ended with nothing.
func (c *collected) empty() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.profile
	return p != nil && (p.Trace == nil && countSamples(p) == 0 || p.Trace != nil && p.Trace.Bytes == 0)
}

func countSamples(p *profile.Profile) (n int) {
	for i := range p.Threads {
		n += len(p.Threads[i].Samples)
	}
	return n
}

// ErrNothing is the error of saving where nothing was collected.
var ErrNothing = errors.New("session: nothing has been collected yet")

// now is the profile of what was collected until now.
func (c *collected) now(ctx context.Context) (*profile.Profile, error) {
	if c == nil {
		return nil, ErrNothing
	}
	c.mu.Lock()
	p := c.profile
	c.mu.Unlock()
	if p != nil {
		return p, nil
	}
	return c.read(ctx)
}

func (c *collected) finished(p *profile.Profile) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.profile = p
}

// collectSamples is what a run with these options collects. The ELF files are read once
// more, so that what is saved while the run goes on has the names of today.
func collectSamples(o sampling.Options) (*collected, error) {
	of, err := target.OpenAnyProgram(o.ELF, o.Extra)
	if err != nil {
		return nil, err
	}
	var one sync.Mutex // a program is read by one at a time
	return &collected{recording: o.Recording, read: func(ctx context.Context) (*profile.Profile, error) {
		one.Lock()
		defer one.Unlock()
		file, err := os.Open(o.Recording)
		if err != nil {
			return nil, fmt.Errorf("session: %w", err)
		}
		defer file.Close()
		p, _, err := sampling.Read(ctx, file, o.Recording, sampling.ReadOptions{Program: of, Force: o.Force, Growing: true})
		return p, err
	}}, nil
}

// unreadable is what a run collects of which nothing can be saved before its end.
func unreadable(recording string, err error) *collected {
	return &collected{recording: recording, read: func(context.Context) (*profile.Profile, error) { return nil, err }}
}

// collectCalls is the same of traced calls.
func collectCalls(o tracing.Options, source string) (*collected, error) {
	again, err := tracing.New(o)
	if err != nil {
		return nil, err
	}
	o.From, o.Source, o.Port, o.Program, o.Growing = o.Recording, source, "", again.Program, true
	o.Started, o.Recording, o.Progress, o.Model = time.Now(), "", nil, nil
	var one sync.Mutex
	return &collected{recording: o.From, read: func(ctx context.Context) (*profile.Profile, error) {
		one.Lock()
		defer one.Unlock()
		if _, err := os.Stat(o.From); errors.Is(err, os.ErrNotExist) {
			return nil, ErrNothing // the file begins with the first byte
		}
		r, err := tracing.New(o)
		if err != nil {
			return nil, err
		}
		p, err := r.Replay(ctx)
		if errors.Is(err, trace.ErrEmpty) || errors.As(err, new(*trace.NoiseError)) {
			return nil, ErrNothing // its first packet is not there, or not as a whole
		}
		return p, err
	}}, nil
}
