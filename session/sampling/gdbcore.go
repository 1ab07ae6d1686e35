package sampling

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/mprof/mprof/gdbremote"
	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/schedule"
	"github.com/mprof/mprof/session/target"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/symbol"
	"github.com/mprof/mprof/trace/uart"
	"github.com/mprof/mprof/unwind"
)

// gdbCore is a core behind a GDB server.
type gdbCore struct {
	options *Options
	of      *symbol.Program
	server  target.GDBServer
	client  *gdbremote.Client
	wall    schedule.Wall
	left    string // how it was left
}

// KeyArch names the parameter of a recording that says what the target is.
const KeyArch = "architecture"

// attachGDB connects to the GDB server that --probe names.
func attachGDB(ctx context.Context, o *Options, of *symbol.Program) (*gdbCore, error) {
	server, err := o.Target.GDBServer()
	if err != nil {
		return nil, err
	}
	c := &gdbCore{options: o, of: of, server: server, wall: schedule.NewWall()}
	c.client, err = server.Connect(ctx, target.Arch(of))
	return c, err
}

func (c *gdbCore) clock() schedule.Clock { return c.wall }

func (c *gdbCore) describe(h *snapshot.Header) {
	h.Probe = c.through()
	h.Core = c.client.Core()
	h.Parameters[KeyArch] = target.Arch(c.of).String()
	h.Parameters[keyClock] = target.HostTime
}

func (c *gdbCore) chip(context.Context) string { return "" }

// ReadMemory reads memory of the target, which is halted for it where the server
// gives access only then.
func (c *gdbCore) ReadMemory(ctx context.Context, addr uint32, p []byte) error {
	err := c.client.ReadMemory(ctx, addr, p)
	if !errors.Is(err, gdbremote.ErrRunning) {
		return err
	}
	if _, err := c.client.Halt(ctx); err != nil {
		return err
	}
	return errors.Join(c.client.ReadMemory(ctx, addr, p), c.client.Resume(ctx))
}

// reset gives the command that the server is known to have for it.
func (c *gdbCore) reset(ctx context.Context) (remarks []string, err error) {
	if !c.options.Target.Reset {
		return nil, nil
	}
	command := target.ResetCommand(c.client.Server())
	if command == "" {
		return nil, fmt.Errorf("--reset: it is not known how this server (%s) resets its target; give its command with --monitor, such as --monitor 'reset halt'", cmp.Or(c.client.Server(), "it does not say what it is"))
	}
	if !c.client.Halted() {
		if _, err := c.client.Halt(ctx); err != nil {
			return nil, err
		}
	}
	if _, err := c.client.Monitor(ctx, command); err != nil {
		return nil, fmt.Errorf("--reset: %w", err)
	}
	return []string{"the run begins at a reset by monitor " + command}, nil
}

func (c *gdbCore) newSampler(_ context.Context, of *symbol.Program, needs func(snapshot.Reg) bool) (s sampler, method, remark string, err error) {
	method = c.options.beginMethod()
	halting, err := gdbremote.NewSampler(c.client, gdbremote.SampleOptions{
		Rate:          c.options.haltingRate(),
		Duration:      c.options.Duration,
		Seed:          c.options.Seed,
		Clock:         c.wall,
		StackTops:     target.StackTops(of),
		RAM:           gdbRanges(nil, target.RAM(of)),
		RegistersOnly: method == profile.MethodPC,
		MaxOverhead:   c.options.MaxOverhead,
		Needs:         needs,
		Reconnect:     c.reconnect,
	})
	return &gdbSampler{Sampler: halting, core: c, needs: needs}, method, "", err
}

// reconnect is for a server that went away and is there again. The target behind it
// must still run the same program.
func (c *gdbCore) reconnect(ctx context.Context) (*gdbremote.Client, error) {
	client, err := c.server.Connect(ctx, target.Arch(c.of))
	if errors.As(err, new(*uart.Error)) { // unplugged, or not yet everybody's
		err = fmt.Errorf("%w: %w", gdbremote.ErrDisconnected, err)
	}
	if err != nil {
		return nil, err
	}
	if err := target.Verify(ctx, &gdbCore{client: client}, c.of); err != nil && !c.options.Force {
		return nil, errors.Join(err, client.Detach(ctx))
	}
	c.client = client
	return client, nil
}

func (c *gdbCore) run(ctx context.Context) error { return c.client.Resume(ctx) }

// detach leaves the target running, with a context of its own: the run's may be over.
func (c *gdbCore) detach(ended error) error {
	ctx, cancel := schedule.Patience(context.Background(), target.DetachTimeout)
	defer cancel()
	err := c.client.Detach(ctx)
	switch {
	case errors.As(ended, new(*gdbremote.ExitedError)):
		c.left = c.through() + ": the target ended"
		return nil
	case errors.Is(ended, gdbremote.ErrDisconnected):
		c.left = c.through() + ": the connection was lost, so mprof could not leave the target running: the server may have left it halted"
		return nil
	case err != nil:
		return err
	}
	c.left = fmt.Sprintf("%s: the target was left running (by %s)", c.through(), c.client.LeftBy())
	return nil
}

// through says which server it was.
func (c *gdbCore) through() string {
	return fmt.Sprintf("GDB server at %s (%s)", c.server.Address, cmp.Or(c.client.Server(), "it does not say what it is"))
}

// gdbSampler takes samples of a core behind a GDB server.
type gdbSampler struct {
	*gdbremote.Sampler
	core  *gdbCore
	used  []gdbremote.Range
	needs func(snapshot.Reg) bool
	noPSP int // stacks that end for want of PSP
}

func (s *gdbSampler) Learn(snap *snapshot.Snapshot, used []unwind.Range) {
	if s.needs(snapshot.PSP) && !s.core.client.Has(snapshot.PSP) {
		s.noPSP++
	}
	s.used = gdbRanges(s.used[:0], used)
	s.Sampler.Learn(snap, s.used)
}

// Remarks end with how the target was left.
func (s *gdbSampler) Remarks() []string {
	remarks := s.Sampler.Remarks()
	if s.noPSP > 0 {
		remarks = append(remarks, fmt.Sprintf("the server does not tell PSP, so %d stacks of interrupt handlers may end where they interrupted a task: a CMSIS-DAP probe, or a server that tells it (OpenOCD, J-Link), shows the rest", s.noPSP))
	}
	if s.core.left != "" {
		remarks = append(remarks, s.core.left)
	}
	return remarks
}

func (s *gdbSampler) facts() [][2]string {
	st := s.Stats()
	return [][2]string{{keyPlan, st.Plan}, {keyDelayed, strconv.FormatUint(st.Delayed, 10)}}
}

func gdbRanges(dst []gdbremote.Range, ranges []unwind.Range) []gdbremote.Range {
	for _, r := range ranges {
		dst = append(dst, gdbremote.Range(r))
	}
	return dst
}
