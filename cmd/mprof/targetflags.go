package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mprof/mprof/cortexm"
	"github.com/mprof/mprof/probe"
)

// targetFlags say which probe, which core behind it, and how to get there.
type targetFlags struct {
	probe      string
	speed      clockFlag
	core       coreFlag
	ap         apFlag
	underReset bool
	reset      bool
	resume     bool
	monitor    []string // commands for a GDB server
}

// add defines the flags that every command with a target has.
func (f *targetFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.probe, "probe", "", "serial, VID:PID or part of the name of the probe; tcp:HOST[:PORT]; sim, sim:MODEL;\nor a GDB server, gdb:HOST:PORT, gdb:SOCKET, gdb:/dev/ttyACM0 (docs/targets.md)")
	flags.Var(&f.speed, "speed", "SWD clock: 4M, 500k (default 4M, or what the simulated probe reaches)")
	flags.Var(&f.core, "core", "which core: its number, or in hex the TARGETSEL of its debug port: 1, 0x11002927 (default 0)")
	flags.Var(&f.ap, "ap", "access port of the core, by number or address: 1, 0x4000 (default the one of the core)")
	flags.StringArrayVar(&f.monitor, "monitor", nil, "command for the GDB server, as with monitor in gdb, before anything else; may be repeated")
	_ = cmd.RegisterFlagCompletionFunc("probe", completeProbes)
}

// addUnderReset defines the flag of commands that may connect under reset.
func (f *targetFlags) addUnderReset(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.underReset, "connect-under-reset", false, "connect while nRESET is low: for firmware that sleeps or turns the SWD pins off")
}

// addReset defines the flag of commands that run the target from its start.
func (f *targetFlags) addReset(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.reset, "reset", false, "reset the target first, so that the profile begins at the reset vector")
	cmd.Flags().BoolVar(&f.resume, "resume", false, "take over a core that stands halted, and let it run")
}

// swclk is the SWD clock to ask for.
func (f *targetFlags) swclk(t *target) uint32 {
	switch {
	case f.speed != 0:
		return uint32(f.speed)
	case t.maxSWCLK != 0:
		return min(t.maxSWCLK, 10_000_000)
	}
	return defaultSWCLK
}

// options are what the driver needs to know.
func (f *targetFlags) options(t *target) probe.Options {
	return probe.Options{
		SWCLKHz: f.swclk(t), Reopen: t.reopen,
		Core: f.core.number, TARGETSEL: f.core.targetsel, AP: f.ap.index,
		ConnectUnderReset: f.underReset,
	}
}

// coreName adds which core of several it is to what it is.
func (f *targetFlags) coreName(description string) string {
	for _, part := range []struct{ label, text string }{{", core ", strings.TrimPrefix(f.core.text, "core")}, {", access port ", f.ap.text}} {
		if part.text != "" {
			description += part.label + part.text
		}
	}
	return description
}

// attach opens the probe and takes the core over. A core that stands at a
// breakpoint is let go only where the target is to be reset anyway. observe is for
// a core that is not to be halted.
func (f *targetFlags) attach(ctx context.Context, t *target, observe bool) (*probe.Probe, *cortexm.Core, error) {
	p, err := probe.Open(ctx, t.transport, f.options(t))
	if err != nil {
		return nil, nil, err
	}
	core, err := cortexm.Attach(ctx, p, cortexm.AttachOptions{Clock: t.clock, ResumeHalted: f.reset || f.underReset || f.resume, Observe: observe})
	return p, core, err
}

// resetTarget does what --reset asks for, where connecting has not done it, and
// returns what the user should know of it. The core stands at its reset vector
// until core.Run.
func (f *targetFlags) resetTarget(ctx context.Context, t *target, core *cortexm.Core) (remarks []string, err error) {
	report, done := core.Start()
	if !done && f.reset {
		if report, err = core.Reset(ctx, t.clock); err != nil {
			return nil, err
		}
		done = true
	}
	if !done {
		return nil, nil
	}
	remarks = append(remarks, "the run begins at a reset by "+report.By)
	if f.underReset && report.By != "nRESET" {
		remarks = append(remarks, "nRESET did nothing to the core: is it wired to the probe?")
	}
	if !report.Caught {
		remarks = append(remarks, "the core could not be caught at its reset vector: the first milliseconds are missing")
	}
	return remarks, nil
}

// coreFlag is a core's number, core1 or 1, or the TARGETSEL of its debug port.
type coreFlag struct {
	text      string
	number    int
	targetsel *uint32
}

func (f *coreFlag) String() string { return f.text }
func (f *coreFlag) Type() string   { return "core" }

// Set reads the flag. Names are those of debuggers: core1, rp2040.core1.
func (f *coreFlag) Set(s string) error {
	name := s[strings.LastIndexByte(s, '.')+1:]
	name = strings.TrimPrefix(strings.ToLower(name), "core")
	if strings.HasPrefix(name, "0x") {
		v, err := strconv.ParseUint(name[2:], 16, 32)
		if err != nil || v < 0x100 {
			return fmt.Errorf("%q is no TARGETSEL, such as 0x11002927", s)
		}
		t := uint32(v)
		*f = coreFlag{text: s, targetsel: &t}
		return nil
	}
	n, err := strconv.ParseUint(name, 10, 8)
	if err != nil {
		return fmt.Errorf("%q is no core: write its number (0, 1) or the TARGETSEL of its debug port (0x11002927)", s)
	}
	*f = coreFlag{text: s, number: int(n)}
	return nil
}

// apFlag is an access port: a number (ADIv5) or an address (ADIv6).
type apFlag struct {
	text  string
	index *uint32
}

func (f *apFlag) String() string { return f.text }
func (f *apFlag) Type() string   { return "port" }

func (f *apFlag) Set(s string) error {
	v, err := strconv.ParseUint(s, 0, 32)
	if err != nil {
		return fmt.Errorf("%q is no access port: write its number (0, 1) or its address (0x2000)", s)
	}
	index := uint32(v)
	*f = apFlag{text: s, index: &index}
	return nil
}
