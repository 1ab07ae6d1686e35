// Package cortexm samples a running Cortex-M core. In: a probe that is
// connected to it. Out: snapshots, each taken in one batched transaction that
// halts the core, copies registers and stack, and is certain to resume it.
package cortexm

import (
	"context"
	"errors"
	"fmt"

	"github.com/mprof/mprof/probe"
)

// Core is a core that runs under our debug control: C_DEBUGEN is set, nothing
// else of it is changed. One goroutine at a time may use it.
type Core struct {
	p     *probe.Probe
	cpuid uint32
	costs Costs
	clock probeClock
	// branches: a failed match inside DAP_ExecuteCommands ends its own
	// transfer and nothing else.
	branches bool

	demcr     uint32 // as it was when we came
	demcrOurs bool   // it was changed
	debugged  bool   // C_DEBUGEN was set when we came
	observer  bool   // nothing of DHCSR is ours
	detached  bool
	held      bool        // it stands, or may stand, at its reset vector
	start     ResetReport // of the reset that we attached under
}

// AttachOptions say how to take a core over. The zero value serves.
type AttachOptions struct {
	Clock Clock // for the calibration; nil: the host's
	// ResumeHalted takes over a core that stands halted, and lets it run.
	// Without it Attach refuses with a *HaltedError: somebody may be looking
	// at it.
	ResumeHalted bool
	// Observe leaves C_DEBUGEN alone: it is enough to read memory and DWT_PCSR,
	// and the program runs as it does without a debugger (a BKPT faults). A core
	// that is to be halted needs Control.
	Observe bool
}

// HaltedError says that the core stood halted when we came: by another
// debugger, a breakpoint, or a BKPT instruction.
type HaltedError struct{ DHCSR uint32 }

func (e *HaltedError) Error() string {
	return fmt.Sprintf("cortexm: attach: the core is halted already (DHCSR 0x%08x): another debugger, or a breakpoint in the program", e.DHCSR)
}

// Attach takes a running core under debug control without stopping it. It
// reads CPUID, DHCSR and DEMCR, clears a reset vector catch that would stop the
// core at its next reset, sets C_DEBUGEN and measures what the probe costs per
// transfer and per packet.
//
// Where the probe was opened under reset, nRESET is released here, and the core
// stands at its reset vector until Run or Detach.
//
// What may have been noise is tried once more. On an error the core is left as it
// was found, as far as it can be reached.
func Attach(ctx context.Context, p *probe.Probe, o AttachOptions) (*Core, error) {
	c, err := attach(ctx, p, o)
	var refused *probe.TransferError
	noise := errors.As(err, &refused) || errors.Is(err, probe.ErrTimeout) || errors.Is(err, probe.ErrResponse)
	if !noise || p.InReset() || ctx.Err() != nil || p.Recover(ctx) != nil {
		return c, err
	}
	return attach(ctx, p, o)
}

func attach(ctx context.Context, p *probe.Probe, o AttachOptions) (*Core, error) {
	c := &Core{p: p}
	if err := c.takeOver(ctx, o); err != nil {
		return nil, err
	}
	if o.Clock == nil {
		o.Clock = NewWall()
	}
	err := c.measure(ctx, o.Clock)
	if err == nil && p.InReset() {
		err = c.comeOutOfReset(ctx, o.Clock)
	}
	if err != nil {
		return nil, errors.Join(err, c.Detach(context.WithoutCancel(ctx)))
	}
	return c, nil
}

// measure finds out what the probe can do and what it costs.
func (c *Core) measure(ctx context.Context, clock Clock) (err error) {
	if c.branches, err = c.testBranch(ctx); err != nil {
		return err
	}
	return c.watchClock(ctx, clock, func() error { return c.calibrate(ctx, clock) })
}

func (c *Core) takeOver(ctx context.Context, o AttachOptions) (err error) {
	if c.cpuid, err = c.p.ReadWord(ctx, addrCPUID); err != nil {
		return fmt.Errorf("cortexm: read CPUID: %w", err)
	}
	if c.cpuid == 0 || c.cpuid == 0xFFFFFFFF {
		return fmt.Errorf("cortexm: CPUID reads 0x%08x: %w behind this access port", c.cpuid, probe.ErrNoCore)
	}
	dhcsr, err := c.p.ReadWord(ctx, addrDHCSR)
	if err != nil {
		return fmt.Errorf("cortexm: read DHCSR: %w", err)
	}
	if dhcsr&sHalt != 0 && !o.ResumeHalted {
		return &HaltedError{DHCSR: dhcsr}
	}
	c.debugged = dhcsr&cDebugEn != 0
	if c.demcr, err = c.p.ReadWord(ctx, addrDEMCR); err != nil {
		return fmt.Errorf("cortexm: read DEMCR: %w", err)
	}
	if o.Observe {
		c.observer = true
		return nil
	}
	return c.Control(ctx)
}

// Control sets C_DEBUGEN of a core that was attached to observe it, so that it
// can be halted.
func (c *Core) Control(ctx context.Context) error {
	c.observer = false
	if err := c.p.WriteWord(ctx, addrDHCSR, dhcsrRun); err != nil { // it may have been done
		return errors.Join(fmt.Errorf("cortexm: set C_DEBUGEN: %w", err), c.Detach(context.WithoutCancel(ctx)))
	}
	if c.demcr&vcCoreReset != 0 {
		c.demcrOurs = true
		if err := c.p.WriteWord(ctx, addrDEMCR, c.demcr&^vcCoreReset); err != nil {
			return errors.Join(fmt.Errorf("cortexm: write DEMCR: %w", err), c.Detach(context.WithoutCancel(ctx)))
		}
	}
	return nil
}

// CPUID is the identification register of the core (ARMv7-M ARM B3.2.3).
func (c *Core) CPUID() uint32 { return c.cpuid }

// WasDebugged tells whether C_DEBUGEN was set when we came: another debugger
// had not detached.
func (c *Core) WasDebugged() bool { return c.debugged }
