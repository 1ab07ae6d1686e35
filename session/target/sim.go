package target

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/sim"
)

// simFaults are the things that can go wrong on the simulated board by request,
// as in --probe sim:debugprobe,unplug=10s.
var simFaults = map[string]sim.Kind{
	"unplug":     sim.Unplug,
	"reset":      sim.TargetReset,
	"lockup":     sim.Lockup,
	"off":        sim.DebugOff,
	"deep-sleep": sim.DeepSleepOff,
	"brown-out":  sim.BrownOut,
	"noack":      sim.NoAck,
	"wait":       sim.TransferWAIT,
	"fault":      sim.TransferFAULT,
	"parity":     sim.Parity,
	"late":       sim.LatePacket,
	"short":      sim.ShortPacket,
	"long":       sim.LongPacket,
	"lost":       sim.LostResponse,
	"unheard":    sim.LostRequest,
	"miscount":   sim.WrongCount,
	"stuck-core": sim.Mismatch,
	"secure":     sim.Secure,
}

func simFaultNames() []string {
	var names []string
	for name := range simFaults {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// openSim builds the board that a --probe value describes:
// sim[:MODEL][,FAULT=TIME[+LENGTH]|OPTION]....
func openSim(selector string, elf []byte) (*Target, error) {
	fields := strings.Split(strings.TrimPrefix(strings.TrimPrefix(selector, "sim"), ":"), ",")
	o := sim.Options{ELF: elf, Model: fields[0]}
	for _, f := range fields[1:] {
		if known, err := ParseSimOption(&o, f); known && err == nil {
			continue
		} else if err != nil {
			return nil, &UsageError{fmt.Errorf("--probe %s: %w", selector, err)}
		}
		fault, err := parseSimFault(f)
		if err != nil {
			return nil, &UsageError{fmt.Errorf("--probe %s: %w", selector, err)}
		}
		o.Faults = append(o.Faults, fault)
	}
	if !slices.Contains(append(sim.Models(), ""), o.Model) {
		return nil, &UsageError{fmt.Errorf("--probe %s: there is no simulated probe %q, only %s", selector, o.Model, strings.Join(sim.Models(), ", "))}
	}
	b, err := sim.New(o)
	if err != nil {
		return nil, err
	}
	reopen := func(context.Context) (probe.Transport, error) { return b.Transport(), nil }
	return &Target{Transport: b.Transport(), reopen: reopen, Clock: b, ClockLabel: VirtualTime, maxSWCLK: b.Model().MaxSWCLK, Board: b}, nil
}

// parseSimFault reads NAME=TIME or NAME=TIME+LENGTH; without a length, what can
// last lasts for good.
func parseSimFault(s string) (sim.Fault, error) {
	name, when, found := strings.Cut(s, "=")
	kind, known := simFaults[name]
	if !found || !known {
		return sim.Fault{}, fmt.Errorf("%q is no fault: write one of %s with a time, as in unplug=10s or off=10s+2s; or an option: chip=rp2040, board=mps2-an385, clock=168M, flash-wait=5, pins-off=5ms, fpu=on, no-nreset", s, strings.Join(simFaultNames(), ", "))
	}
	at, length, lasts := strings.Cut(when, "+")
	after, err := ParseDuration(at)
	if err != nil {
		return sim.Fault{}, err
	}
	f := sim.Fault{Kind: kind, After: after, Bytes: 1}
	if lasts {
		f.For, err = ParseDuration(length)
	}
	return f, err
}
