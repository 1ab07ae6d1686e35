package sampling

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/mprof/mprof/firmware/demo"
	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/session/target"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/symbol"
)

// Parameters and facts that a recording keeps by name.
const (
	keyCommand  = "command"
	keyRate     = "rate-hz"
	keyDuration = "duration"
	keySeed     = "seed"
	KeySWCLK    = "swclk-hz"
	keyClock    = "clock"
	keyVersion  = "mprof"
	keyElapsed  = "elapsed"
	KeyChip     = "chip"
	keyExtraELF = "extra-elf"
	keyPlan     = "plan"
	KeyMethod   = "method" // how it was sampled
)

// recordingHeader says what is sampled and how.
func (r *Run) recordingHeader(of *symbol.Program) snapshot.Header {
	image := of.App()
	h := snapshot.Header{
		ELF:     image.Path(),
		BuildID: fmt.Sprintf("%x", image.BuildID()),
		Start:   time.Now(),
		Parameters: map[string]string{
			keyCommand:  strings.Join(r.options.Command, "\n"),
			keyDuration: r.options.Duration.String(),
			keySeed:     strconv.FormatInt(r.options.Seed, 10),
			keyVersion:  r.options.Version,
		},
	}
	for _, other := range of.Images()[1:] {
		h.Parameters[keyExtraELF] = strings.TrimPrefix(h.Parameters[keyExtraELF]+"\n"+other.Path(), "\n")
	}
	if r.chipName != "" {
		h.Parameters[KeyChip] = r.chipName
	}
	r.core.describe(&h)
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
		Method:     h.Parameters[KeyMethod],
		Unwinding:  recordedUnwinding(h).method,
		Budget:     recordedBudget(h, end),
	}
	if a.EndReason == "" {
		a.EndReason = "the recording has no end"
	}
	// What does not parse stays 0, which viewers show as unknown.
	a.Seed, _ = strconv.ParseInt(h.Parameters[keySeed], 10, 64)
	a.RateHz, _ = strconv.ParseFloat(h.Parameters[keyRate], 64)
	hz, _ := strconv.ParseUint(h.Parameters[KeySWCLK], 10, 32)
	a.SWCLKHz = uint32(hz)
	return a
}

// profileOptions are the facts of a recording that a profile starts with.
func profileOptions(h snapshot.Header, of *symbol.Program) profile.Options {
	mappings := of.Mappings()
	o := profile.Options{Start: h.Start, Mapping: mappings[0], Others: mappings[1:], Source: of.Source, InCode: target.InCode(of)}
	o.Flat = h.Parameters[KeyMethod] == profile.MethodPC || h.Parameters[KeyMethod] == profile.MethodPCSR
	if rate, err := strconv.ParseFloat(h.Parameters[keyRate], 64); err == nil && rate > 0 {
		o.Period = time.Duration(float64(time.Second) / rate)
	}
	if of.App().Path() == target.BuiltIn {
		o.Source = demo.Source
	}
	return o
}
