package sampling

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/mprof/mprof/cortexm"
	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/schedule"
	"github.com/mprof/mprof/session/target"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/symbol"
	"github.com/mprof/mprof/unwind"
)

// probeCore is a core behind a CMSIS-DAP probe.
type probeCore struct {
	options *Options
	target  *target.Target
	probe   *probe.Probe
	core    *cortexm.Core
	method  string // how it is sampled
}

// attachProbe opens the probe that --probe names and takes the core over.
func attachProbe(ctx context.Context, o *Options) (*probeCore, error) {
	t, err := target.Open(ctx, o.Target.Probe, o.ELF)
	if err != nil {
		return nil, err
	}
	if o.Opened != nil {
		o.Opened(t)
	}
	c := &probeCore{options: o, target: t}
	if c.probe, c.core, err = o.Target.Attach(ctx, t, o.observes()); err == nil {
		return c, nil
	}
	if c.probe != nil {
		err = errors.Join(err, c.probe.Close())
	}
	t.Close()
	return nil, err
}

func (c *probeCore) clock() schedule.Clock { return c.target.Clock }

func (c *probeCore) describe(h *snapshot.Header) {
	h.Probe = c.target.Name(c.probe.Info())
	h.Core = c.options.Target.CoreName(c.core.Description())
	h.Parameters[KeySWCLK] = strconv.FormatUint(uint64(c.options.Target.SWCLK(c.target)), 10)
	h.Parameters[keyClock] = c.target.ClockLabel
}

func (c *probeCore) chip(ctx context.Context) string { return cortexm.Chip(ctx, c.probe) }

func (c *probeCore) ReadMemory(ctx context.Context, addr uint32, p []byte) error {
	return c.probe.ReadMemory(ctx, addr, p)
}

func (c *probeCore) reset(ctx context.Context) ([]string, error) {
	return c.options.Target.ResetTarget(ctx, c.target, c.core)
}

func (c *probeCore) run(ctx context.Context) error { return c.core.Run(ctx) }

// newSampler halts the core for its PC where it has no PCSR.
func (c *probeCore) newSampler(ctx context.Context, of *symbol.Program, needs func(snapshot.Reg) bool) (s sampler, method, remark string, err error) {
	c.method = c.options.beginMethod()
	if c.method == profile.MethodPCSR {
		s, err := c.samplePCs(ctx)
		if !errors.Is(err, cortexm.ErrNoPCSR) {
			return s, c.method, "", err
		}
		remark = fmt.Sprintf("%v; sampled by halting instead (--method pc)", err)
		c.method = profile.MethodPC
		c.options.Rate = min(c.options.Rate, highestHaltingRate)
		if err := c.core.Control(ctx); err != nil {
			return nil, c.method, "", err
		}
	}
	halting, err := cortexm.NewSampler(c.core, cortexm.SampleOptions{
		Needs:         needs,
		Rate:          c.options.haltingRate(),
		Duration:      c.options.Duration,
		Seed:          c.options.Seed,
		Clock:         c.target.Clock,
		StackTops:     target.StackTops(of),
		RAM:           extents(nil, target.RAM(of)),
		RegistersOnly: c.method == profile.MethodPC,

		MaxOverhead: c.options.MaxOverhead,
		MaxHalt:     c.options.MaxHalt,
	})
	return &haltingSampler{Sampler: halting}, c.method, remark, err
}

// samplePCs makes the sampler that does not halt. Without a rate it goes as fast
// as the wire allows.
func (c *probeCore) samplePCs(ctx context.Context) (sampler, error) {
	if err := c.core.Run(ctx); err != nil {
		return nil, err
	}
	s, err := cortexm.NewPCSampler(ctx, c.core, cortexm.PCOptions{
		Rate: c.options.Rate, Duration: c.options.Duration, Seed: c.options.Seed, Clock: c.target.Clock,
	})
	return &pcSampler{s}, err
}

// detach lets the core run, clears C_DEBUGEN and lets the probe go, with a
// context of its own: the run's may be over.
func (c *probeCore) detach(ended error) error {
	defer c.target.Close()
	ctx, cancel := schedule.Patience(context.Background(), target.DetachTimeout)
	defer cancel()
	err := c.core.Detach(ctx)
	closeErr := c.probe.Close()
	switch {
	case errors.Is(err, probe.ErrDisconnected) && errors.Is(ended, probe.ErrDisconnected):
		return nil // the error that ended the run says it
	case errors.Is(err, probe.ErrDisconnected):
		return fmt.Errorf("the run ended without the probe, so the core was not let go: %w", err)
	case err != nil && c.method == profile.MethodPCSR:
		return fmt.Errorf("the trace unit of the core may be left on (DEMCR.TRCENA): %w", err)
	case err != nil:
		return fmt.Errorf("the core may be left halted: %w", err)
	case errors.Is(closeErr, probe.ErrDisconnected):
		return nil
	}
	return closeErr
}

// haltingSampler takes call stacks, or registers, of a core behind a probe.
type haltingSampler struct {
	*cortexm.Sampler
	used []cortexm.Extent
}

func (s *haltingSampler) Learn(snap *snapshot.Snapshot, used []unwind.Range) {
	s.used = extents(s.used[:0], used)
	s.Sampler.Learn(snap, s.used)
}

func (s *haltingSampler) facts() [][2]string { return statsFacts(s.Stats()) }

// pcSampler reads PCs, which teach it nothing.
type pcSampler struct{ *cortexm.PCSampler }

func (s *pcSampler) Learn(*snapshot.Snapshot, []unwind.Range) {}

func (s *pcSampler) facts() [][2]string { return statsFacts(s.Stats()) }

func statsFacts(st cortexm.Stats) [][2]string {
	return append(append([][2]string{{keyPlan, st.Plan}}, budgetFacts(st)...), troubleFacts(st)...)
}

// extents appends ranges as the driver has them.
func extents(dst []cortexm.Extent, ranges []unwind.Range) []cortexm.Extent {
	for _, r := range ranges {
		dst = append(dst, cortexm.Extent(r))
	}
	return dst
}
