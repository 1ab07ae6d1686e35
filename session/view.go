package session

import (
	"context"
	"errors"
	"sync"

	"github.com/mprof/mprof/live"
	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/session/sampling"
	"github.com/mprof/mprof/session/tracing"
)

// View is a run that a command makes, for pages that watch it. They can end it, and save what
// it has collected; what else a run is about, the command line has said.
type View struct {
	board
	model   *live.Model
	stop    func(why error)
	sources sources

	mu        sync.Mutex
	collected *collected
}

// NewView is a run that is about to begin. stop ends it.
func NewView(c Connect, stop func(why error)) *View {
	return &View{board: board{state: State{Phase: Connecting, Connect: c, ELF: c.ELF, Watched: true}}, model: live.NewModel(), stop: stop}
}

// Samples says which run of samples it is, and that it begins.
func (v *View) Samples(o sampling.Options, r *sampling.Run) {
	c, err := collectSamples(o)
	if err != nil {
		c = unreadable(o.Recording, err)
	}
	f := r.Found()
	v.begins(c, found{deviceOf(f), f.Probe, r.ELF()}, r.Source())
}

// Calls says which run of traced calls it is, and that it begins.
func (v *View) Calls(o tracing.Options, r *tracing.Run) {
	f := r.Found()
	c, err := collectCalls(o, f.Port)
	if err != nil {
		c = unreadable(o.Recording, err)
	}
	v.begins(c, found{firmwareOf(f), f.Port, elfOf(o)}, r.Source())
}

func (v *View) begins(c *collected, f found, read func(string) (string, bool)) {
	v.mu.Lock()
	v.collected = c
	v.mu.Unlock()
	v.sources.readBy(read)
	v.set(func(st *State) {
		st.Phase, st.Device, st.Source, st.ELF, st.Recording, st.Collected = Running, f.device, f.source, f.elf, c.recording, true
	})
}

// Advised is told what happened to the target.
func (v *View) Advised(a sampling.Advice) { v.advised(a) }

// Ended is the end of the run, with its profile and the error that ended it.
func (v *View) Ended(p *profile.Profile, err error) {
	v.mu.Lock()
	c := v.collected
	v.mu.Unlock()
	c.finished(p)
	v.ended(err)
}

// Unrecorded says that the recording of the run is gone.
func (v *View) Unrecorded() { v.set(func(st *State) { st.Recording = "" }) }

// errWatched is what a page cannot do to the run of a command.
var errWatched = errors.New("session: this page shows the run of a command line, which has said what is collected; mprof serve has a page that connects and starts")

// Choices are none: the command line has chosen.
func (v *View) Choices(context.Context) Choices {
	return Choices{Probes: []Choice{}, Ports: []Choice{}}
}

// Connect is refused.
func (v *View) Connect(context.Context, Connect) error { return errWatched }

// Start is refused.
func (v *View) Start(context.Context, Start) error { return errWatched }

// Reset is refused.
func (v *View) Reset(context.Context) error { return errWatched }

// Disconnect is refused.
func (v *View) Disconnect(context.Context) error { return errWatched }

// Stop ends the run as its duration would.
func (v *View) Stop(context.Context) error {
	if p := v.State().Phase; p != Running && p != Lost {
		return errors.New("session: no run goes on")
	}
	v.stop(errStopped)
	return nil
}

// Model shows the run.
func (v *View) Model() *live.Model { return v.model }

// Profile is what was collected until now.
func (v *View) Profile(ctx context.Context) (*profile.Profile, error) {
	v.mu.Lock()
	c := v.collected
	v.mu.Unlock()
	return c.now(ctx)
}

// Source is a file that the program's debug information names, of a function that was
// met.
func (v *View) Source(file string) (string, bool) { return v.sources.source(v.model, file) }
