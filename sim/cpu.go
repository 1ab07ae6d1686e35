package sim

import (
	"fmt"
	"slices"
	"time"

	"github.com/mprof/mprof/sim/armv7m"
	"github.com/mprof/mprof/sim/coresight"
)

// cpu is one processor of the chip with its debug hardware and its truth.
type cpu struct {
	core *armv7m.Core
	unit *coresight.Unit
	tracing
	periphery *periphery
	resetAt   uint64 // running cycles at the last reset
}

// newCPU builds a processor that runs the program in memory of its own.
func (b *Board) newCPU(o Options) (cpu, error) {
	c := cpu{unit: coresight.New(coresight.Config{
		Arch: b.image.arch, RegReadyCycles: o.RegReadyCycles, NoPCSR: o.NoPCSR, PCSRAsleep: o.PCSRAsleep, SecureClosed: o.Faults.has(Secure),
	})}
	kind, err := boardFor(o.Board, b.image.vectors)
	if err != nil {
		return c, err
	}
	c.periphery = &periphery{}
	kind.build(c.periphery, b.hz)
	cfg := armv7m.Config{
		Arch:    b.image.arch,
		FPU:     b.image.fpu,
		Regions: slices.Clone(b.image.regions),
		Mounts:  append(c.unit.Mounts(), c.periphery.mounts(b.image.arch)...),
		VTOR:    b.image.vectors,

		FetchWait: armv7m.FetchWait{Cycles: o.FlashWait, Line: o.FlashLine},
	}
	for i := range cfg.Regions {
		cfg.Regions[i].Data = slices.Clone(cfg.Regions[i].Data)
	}
	c.trace(&cfg, b.image)
	core, err := armv7m.New(cfg)
	if err != nil {
		return c, fmt.Errorf("sim: firmware: %w", err)
	}
	c.core = core
	c.unit.Attach(core)
	for _, attach := range c.periphery.attach {
		attach(core)
	}
	return c, nil
}

// ran is how many cycles it ran since its last reset.
func (c *cpu) ran() uint64 { return c.core.Cycles() - c.core.HaltedCycles() - c.resetAt }

// watchReset notes resets. It is called once the cpu has its place.
func (c *cpu) watchReset() {
	c.core.OnReset(func() { c.resetAt = c.core.Cycles() - c.core.HaltedCycles() })
	c.attachTruth()
}

// resetChip is a reset of every core.
func (b *Board) resetChip() {
	for _, c := range b.all {
		c.core.Reset()
	}
}

// runTo advances every core.
func (b *Board) runTo(cycle uint64) {
	b.core.Run(cycle)
	for _, c := range b.all[1:] {
		c.core.Run(cycle)
	}
}

// Cores is how many the chip has.
func (b *Board) Cores() int { return len(b.all) }

// CoreStateOf is CoreState of core i.
func (b *Board) CoreStateOf(i int) CoreState {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.usb.queue) > 0 {
		b.executeNext()
	}
	return b.all[i].state()
}

// state looks at the core.
func (c *cpu) state() CoreState {
	return CoreState{
		Halted: c.core.Halted(), DebugEnabled: c.unit.Control()&coresight.C_DEBUGEN != 0,
		Sleeping: c.core.Sleeping(), LockedUp: c.core.LockedUp(),
	}
}

// HaltedTimeOf is HaltedTime of core i.
func (b *Board) HaltedTimeOf(i int) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.cycles(b.all[i].core.HaltedCycles())
}
