package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/mprof/mprof/firmware/demo"
	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/symbol"
)

// Parameters and facts that a recording keeps by name.
const (
	keyCommand  = "command"
	keyRate     = "rate-hz"
	keyDuration = "duration"
	keySeed     = "seed"
	keySWCLK    = "swclk-hz"
	keyClock    = "clock"
	keyVersion  = "mprof"
	keyElapsed  = "elapsed"
	keyPlan     = "plan"
)

// defaultSWCLK is what most probes and wires carry.
const defaultSWCLK = 4_000_000

// recordingHeader says what is sampled and how.
func (r *samplingRun) recordingHeader(image *symbol.Image) snapshot.Header {
	h := snapshot.Header{
		ELF:     image.Path(),
		BuildID: fmt.Sprintf("%x", image.BuildID()),
		Probe:   r.target.name(r.probe.Info()),
		Core:    r.flags.coreName(r.core.Description()),
		Start:   time.Now(),
		Parameters: map[string]string{
			keyCommand:  strings.Join(r.flags.command, "\n"),
			keyRate:     r.flags.rate.String(),
			keyDuration: time.Duration(r.flags.duration).String(),
			keySeed:     strconv.FormatInt(r.flags.seed, 10),
			keySWCLK:    strconv.FormatUint(uint64(r.flags.swclk(r.target)), 10),
			keyClock:    r.target.clockLabel,
			keyVersion:  versionString(),
		},
	}
	r.methodParameters(&h)
	return h
}

// recordedAcquisition reads back what header and end of a recording say: the
// one way to it, for a fresh run and for an old file.
func recordedAcquisition(h snapshot.Header, end snapshot.End) profile.Acquisition {
	a := profile.Acquisition{
		Command:    strings.Split(h.Parameters[keyCommand], "\n"),
		Version:    h.Parameters[keyVersion],
		Device:     h.Core,
		Probe:      h.Probe,
		EndReason:  end.Reason,
		ClockLabel: h.Parameters[keyClock],
		Method:     h.Parameters[keyMethod],
		Budget:     recordedBudget(h, end),
	}
	if a.EndReason == "" {
		a.EndReason = "the recording has no end"
	}
	// What does not parse stays 0, which viewers show as unknown.
	a.Seed, _ = strconv.ParseInt(h.Parameters[keySeed], 10, 64)
	a.RateHz, _ = strconv.ParseFloat(h.Parameters[keyRate], 64)
	hz, _ := strconv.ParseUint(h.Parameters[keySWCLK], 10, 32)
	a.SWCLKHz = uint32(hz)
	return a
}

// profileOptions are the facts of a recording that a profile starts with.
func profileOptions(h snapshot.Header, image *symbol.Image) profile.Options {
	o := profile.Options{Start: h.Start, Mapping: image.Mapping(), Source: image.Source, InCode: inCode(image)}
	o.Flat = h.Parameters[keyMethod] == profile.MethodPC || h.Parameters[keyMethod] == profile.MethodPCSR
	if rate, err := strconv.ParseFloat(h.Parameters[keyRate], 64); err == nil && rate > 0 {
		o.Period = time.Duration(float64(time.Second) / rate)
	}
	if image.Path() == builtInPath {
		o.Source = demo.Source
	}
	return o
}
