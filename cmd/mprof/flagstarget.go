package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mprof/mprof/session/target"
)

// addTarget defines the flags that every command with a target has.
func addTarget(cmd *cobra.Command, o *target.Options) {
	flags := cmd.Flags()
	flags.StringVar(&o.Probe, "probe", "", "serial, VID:PID or part of the name of the probe; tcp:HOST[:PORT]; sim, sim:MODEL;\nor a GDB server, gdb:HOST:PORT, gdb:SOCKET, gdb:/dev/ttyACM0 (docs/targets.md)")
	flags.Var((*clockFlag)(&o.SpeedHz), "speed", "SWD clock: 4M, 500k (default 4M, or what the simulated probe reaches)")
	flags.Var((*coreFlag)(&o.Core), "core", "which core: its number, or in hex the TARGETSEL of its debug port: 1, 0x11002927 (default 0)")
	flags.Var((*apFlag)(&o.AP), "ap", "access port of the core, by number or address: 1, 0x4000 (default the one of the core)")
	flags.StringArrayVar(&o.Monitor, "monitor", nil, "command for the GDB server, as with monitor in gdb, before anything else; may be repeated")
	_ = cmd.RegisterFlagCompletionFunc("probe", completeProbes)
}

// addUnderReset defines the flag of commands that may connect under reset.
func addUnderReset(cmd *cobra.Command, o *target.Options) {
	cmd.Flags().BoolVar(&o.UnderReset, "connect-under-reset", false, "connect while nRESET is low: for firmware that sleeps or turns the SWD pins off")
}

// addReset defines the flag of commands that run the target from its start.
func addReset(cmd *cobra.Command, o *target.Options) {
	cmd.Flags().BoolVar(&o.Reset, "reset", false, "reset the target first, so that the profile begins at the reset vector")
	cmd.Flags().BoolVar(&o.Resume, "resume", false, "take over a core that stands halted, and let it run")
}

// coreFlag is a core's number, core1 or 1, or the TARGETSEL of its debug port.
type coreFlag target.CoreChoice

func (f *coreFlag) String() string { return f.Text }
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
		*f = coreFlag{Text: s, TARGETSEL: &t}
		return nil
	}
	n, err := strconv.ParseUint(name, 10, 8)
	if err != nil {
		return fmt.Errorf("%q is no core: write its number (0, 1) or the TARGETSEL of its debug port (0x11002927)", s)
	}
	*f = coreFlag{Text: s, Number: int(n)}
	return nil
}

// apFlag is an access port: a number (ADIv5) or an address (ADIv6).
type apFlag target.AccessPort

func (f *apFlag) String() string { return f.Text }
func (f *apFlag) Type() string   { return "port" }

func (f *apFlag) Set(s string) error {
	v, err := strconv.ParseUint(s, 0, 32)
	if err != nil {
		return fmt.Errorf("%q is no access port: write its number (0, 1) or its address (0x2000)", s)
	}
	index := uint32(v)
	*f = apFlag{Text: s, Index: &index}
	return nil
}
