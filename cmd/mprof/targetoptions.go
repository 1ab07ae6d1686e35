package main

import (
	"context"
	"strings"
	"time"

	"github.com/mprof/mprof/cortexm"
	"github.com/mprof/mprof/probe"
)

// targetOptions say which probe, which core behind it, and how to get there.
type targetOptions struct {
	probe      string // serial, VID:PID or part of the name; tcp:HOST[:PORT]; sim, sim:MODEL; gdb:...
	speedHz    uint32 // of SWD; 0: 4 MHz, or what the simulated probe reaches
	core       coreChoice
	ap         apChoice
	underReset bool     // connect while nRESET is low
	reset      bool     // the target first
	resume     bool     // take over a core that stands halted
	monitor    []string // commands for a GDB server
}

// coreChoice is a core by its number or by the TARGETSEL of its debug port.
type coreChoice struct {
	text      string // as it was written, "" the default
	number    int
	targetsel *uint32
}

// apChoice is an access port: a number (ADIv5) or an address (ADIv6).
type apChoice struct {
	text  string // as it was written, "" the default
	index *uint32
}

// defaultSWCLK is what most probes and wires carry.
const defaultSWCLK = 4_000_000

// detachTimeout bounds the last thing that happens to a core: letting it run.
const detachTimeout = 5 * time.Second

// swclk is the SWD clock to ask for.
func (o *targetOptions) swclk(t *target) uint32 {
	switch {
	case o.speedHz != 0:
		return o.speedHz
	case t.maxSWCLK != 0:
		return min(t.maxSWCLK, 10_000_000)
	}
	return defaultSWCLK
}

// probeOptions are what the driver needs to know.
func (o *targetOptions) probeOptions(t *target) probe.Options {
	return probe.Options{
		SWCLKHz: o.swclk(t), Reopen: t.reopen,
		Core: o.core.number, TARGETSEL: o.core.targetsel, AP: o.ap.index,
		ConnectUnderReset: o.underReset,
	}
}

// coreName adds which core of several it is to what it is.
func (o *targetOptions) coreName(description string) string {
	for _, part := range []struct{ label, text string }{{", core ", strings.TrimPrefix(o.core.text, "core")}, {", access port ", o.ap.text}} {
		if part.text != "" {
			description += part.label + part.text
		}
	}
	return description
}

// attach opens the probe and takes the core over. A core that stands at a
// breakpoint is let go only where the target is to be reset anyway. observe is for
// a core that is not to be halted.
func (o *targetOptions) attach(ctx context.Context, t *target, observe bool) (*probe.Probe, *cortexm.Core, error) {
	p, err := probe.Open(ctx, t.transport, o.probeOptions(t))
	if err != nil {
		return nil, nil, err
	}
	core, err := cortexm.Attach(ctx, p, cortexm.AttachOptions{Clock: t.clock, ResumeHalted: o.reset || o.underReset || o.resume, Observe: observe})
	return p, core, err
}

// resetTarget does what --reset asks for, where connecting has not done it, and
// returns what the user should know of it. The core stands at its reset vector
// until core.Run.
func (o *targetOptions) resetTarget(ctx context.Context, t *target, core *cortexm.Core) (remarks []string, err error) {
	report, done := core.Start()
	if !done && o.reset {
		if report, err = core.Reset(ctx, t.clock); err != nil {
			return nil, err
		}
		done = true
	}
	if !done {
		return nil, nil
	}
	remarks = append(remarks, "the run begins at a reset by "+report.By)
	if o.underReset && report.By != "nRESET" {
		remarks = append(remarks, "nRESET did nothing to the core: is it wired to the probe?")
	}
	if !report.Caught {
		remarks = append(remarks, "the core could not be caught at its reset vector: the first milliseconds are missing")
	}
	return remarks, nil
}
