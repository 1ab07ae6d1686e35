package target

import (
	"context"
	"strings"
	"time"

	"github.com/mprof/mprof/cortexm"
	"github.com/mprof/mprof/probe"
)

// Options say which probe, which core behind it, and how to get there.
type Options struct {
	Probe      string // serial, VID:PID or part of the name; tcp:HOST[:PORT]; sim, sim:MODEL; gdb:...
	SpeedHz    uint32 // of SWD; 0: 4 MHz, or what the simulated probe reaches
	Core       CoreChoice
	AP         AccessPort
	UnderReset bool     // connect while nRESET is low
	Reset      bool     // the target first
	Resume     bool     // take over a core that stands halted
	Monitor    []string // commands for a GDB server
}

// CoreChoice is a core by its number or by the TARGETSEL of its debug port.
type CoreChoice struct {
	Text      string // as it was written, "" the default
	Number    int
	TARGETSEL *uint32
}

// AccessPort is an access port: a number (ADIv5) or an address (ADIv6).
type AccessPort struct {
	Text  string // as it was written, "" the default
	Index *uint32
}

// defaultSWCLK is what most probes and wires carry.
const defaultSWCLK = 4_000_000

// DetachTimeout bounds the last thing that happens to a core: letting it run.
const DetachTimeout = 5 * time.Second

// SWCLK is the SWD clock to ask for.
func (o *Options) SWCLK(t *Target) uint32 {
	switch {
	case o.SpeedHz != 0:
		return o.SpeedHz
	case t.maxSWCLK != 0:
		return min(t.maxSWCLK, 10_000_000)
	}
	return defaultSWCLK
}

// ProbeOptions are what the driver needs to know.
func (o *Options) ProbeOptions(t *Target) probe.Options {
	return probe.Options{
		SWCLKHz: o.SWCLK(t), Reopen: t.reopen,
		Core: o.Core.Number, TARGETSEL: o.Core.TARGETSEL, AP: o.AP.Index,
		ConnectUnderReset: o.UnderReset,
	}
}

// CoreName adds which core of several it is to what it is.
func (o *Options) CoreName(description string) string {
	for _, part := range []struct{ label, text string }{{", core ", strings.TrimPrefix(o.Core.Text, "core")}, {", access port ", o.AP.Text}} {
		if part.text != "" {
			description += part.label + part.text
		}
	}
	return description
}

// Attach opens the probe and takes the core over. A core that stands at a
// breakpoint is let go only where the target is to be reset anyway. observe is for
// a core that is not to be halted.
func (o *Options) Attach(ctx context.Context, t *Target, observe bool) (*probe.Probe, *cortexm.Core, error) {
	p, err := probe.Open(ctx, t.Transport, o.ProbeOptions(t))
	if err != nil {
		return nil, nil, err
	}
	core, err := cortexm.Attach(ctx, p, cortexm.AttachOptions{Clock: t.Clock, ResumeHalted: o.Reset || o.UnderReset || o.Resume, Observe: observe})
	return p, core, err
}

// ResetTarget does what --reset asks for, where connecting has not done it, and
// returns what the user should know of it. The core stands at its reset vector
// until core.Run.
func (o *Options) ResetTarget(ctx context.Context, t *Target, core *cortexm.Core) (remarks []string, err error) {
	report, done := core.Start()
	if !done && o.Reset {
		if report, err = core.Reset(ctx, t.Clock); err != nil {
			return nil, err
		}
		done = true
	}
	if !done {
		return nil, nil
	}
	remarks = append(remarks, "the run begins at a reset by "+report.By)
	if o.UnderReset && report.By != "nRESET" {
		remarks = append(remarks, "nRESET did nothing to the core: is it wired to the probe?")
	}
	if !report.Caught {
		remarks = append(remarks, "the core could not be caught at its reset vector: the first milliseconds are missing")
	}
	return remarks, nil
}
