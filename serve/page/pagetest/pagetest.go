// Package pagetest is a session without a target, for tests of the page and for work on it. In:
// what a page asks for. Out: what a session would say, of an invented program; and faults
// on demand.
package pagetest

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/mprof/mprof/live"
	"github.com/mprof/mprof/session"
)

// ErrUnplugged is what became of the target after Unplug.
var ErrUnplugged = errors.New("pagetest: the probe went away: check its cable")

// ErrNoProbe is the answer of the probe named "broken".
var ErrNoProbe = errors.New("pagetest: no probe matches \"broken\"")

// Control is a session that invents what it collects. The zero value is not ready: New.
type Control struct {
	mu       sync.Mutex
	state    session.State
	watchers map[chan struct{}]bool
	model    *live.Model
	speed    float64
	end      context.CancelFunc // of the run
	ended    chan struct{}

	run   sync.Mutex // of what follows
	seed  uint64
	kind  live.Kind
	what  collected // nil: nothing was collected, or the run is over
	steps int       // of what was collected
	until time.Duration
}

// New is a session that nothing is connected to. Speed is how fast the target's time passes.
func New(speed float64) *Control {
	return &Control{state: session.State{Phase: session.Idle}, watchers: map[chan struct{}]bool{}, model: live.NewModel(), speed: speed}
}

// Choices are two probes and two ports, one of each with a problem.
func (c *Control) Choices(context.Context) session.Choices {
	return session.Choices{
		Probes: []session.Choice{
			{Name: "sim", Label: "Simulated board: ARMv7E-M, 168 MHz"},
			{Name: "E6614103E73B4D2A", Label: "Debug Probe (CMSIS-DAP), Raspberry Pi", Problem: "your user may not open it"},
			{Name: "broken", Label: "a probe that fails"},
		},
		Ports: []session.Choice{
			{Name: "sim", Label: "Simulated firmware"},
			{Name: "/dev/ttyUSB0", Label: "FT232R USB UART", Problem: "in use by another program"},
		},
	}
}

// Connect takes a moment, as a probe does.
func (c *Control) Connect(ctx context.Context, with session.Connect) error {
	if err := c.in(session.Idle, session.Lost, session.Ready); err != nil {
		return err
	}
	c.set(func(s *session.State) { *s = session.State{Phase: session.Connecting, Connect: with} })
	time.Sleep(200 * time.Millisecond)
	if with.Probe == "broken" || with.Port == "broken" {
		c.set(func(s *session.State) { s.Phase, s.Err = session.Idle, ErrNoProbe })
		return ErrNoProbe
	}
	c.set(func(s *session.State) {
		s.Phase, s.Device, s.Source, s.ELF = session.Ready, device, "invented probe", "demo.elf"
	})
	return nil
}

// Start begins to invent.
func (c *Control) Start(_ context.Context, with session.Start) error {
	if err := c.in(session.Ready); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	c.begin(live.Kind(c.State().Connect.Kind))
	c.set(func(s *session.State) {
		c.end, c.ended = cancel, ended
		s.Phase, s.Err, s.Collected = session.Running, nil, true
	})
	go c.collect(ctx, with.Duration, ended)
	return nil
}

func (c *Control) collect(ctx context.Context, duration time.Duration, ended chan struct{}) {
	defer close(ended)
	const step = 20 * time.Millisecond
	tick := time.NewTicker(step)
	defer tick.Stop()
	for passed := time.Duration(0); ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		d := time.Duration(float64(step) * c.speed)
		if duration > 0 {
			d = min(d, duration-passed)
		}
		c.advance(d)
		if passed += d; passed == duration {
			c.finish()
			c.set(func(s *session.State) { s.Phase = session.Ready })
			return
		}
	}
}

func (c *Control) stopRun() {
	c.mu.Lock()
	end, ended := c.end, c.ended
	c.end = nil
	c.mu.Unlock()
	if end != nil {
		end()
		<-ended
		c.finish()
	}
}

// Stop ends the run.
func (c *Control) Stop(context.Context) error {
	if err := c.in(session.Running); err != nil {
		return err
	}
	c.set(func(s *session.State) { s.Phase = session.Stopping })
	c.stopRun()
	c.set(func(s *session.State) { s.Phase = session.Ready })
	return nil
}

// Reset forgets what was collected.
func (c *Control) Reset(context.Context) error {
	if err := c.in(session.Running, session.Ready, session.Lost); err != nil {
		return err
	}
	c.run.Lock()
	defer c.run.Unlock()
	c.steps, c.until = 0, 0
	if c.seed++; c.what != nil {
		c.what = newCollected(c.kind, c.seed, c.model)
	} else {
		c.model.Forget()
	}
	c.set(func(s *session.State) { s.Collected = c.what != nil })
	return nil
}

// Disconnect lets the target go.
func (c *Control) Disconnect(context.Context) error {
	c.stopRun()
	c.set(func(s *session.State) { s.Phase = session.Idle })
	return nil
}

// Unplug takes the target away.
func (c *Control) Unplug() {
	c.stopRun()
	c.set(func(s *session.State) { s.Phase, s.Err = session.Lost, ErrUnplugged })
}

// State is what the session is doing.
func (c *Control) State() session.State {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state
}

// Watch sends a value after each change of the state; changes that come together are one.
func (c *Control) Watch(ctx context.Context) <-chan struct{} {
	w := make(chan struct{}, 1)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watchers[w] = true
	context.AfterFunc(ctx, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.watchers, w)
		close(w)
	})
	return w
}

// in is an error unless the session is in one of the phases.
func (c *Control) in(phases ...session.Phase) error {
	at := c.State().Phase
	for _, p := range phases {
		if at == p {
			return nil
		}
	}
	return errors.New("pagetest: not while the session is " + string(at))
}

// set changes the state, and tells those who watch.
func (c *Control) set(change func(*session.State)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change(&c.state)
	for w := range c.watchers {
		select {
		case w <- struct{}{}:
		default:
		}
	}
}
