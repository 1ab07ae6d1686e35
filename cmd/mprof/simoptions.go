package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mprof/mprof/sim"
)

// parseSimOption reads what is no fault in a --probe value: chip=NAME,
// pins-off=TIME, fpu=on or off, no-nreset, no-pcsr. known is false for anything else.
func parseSimOption(o *sim.Options, s string) (known bool, err error) {
	name, value, found := strings.Cut(s, "=")
	switch {
	case name == "chip" && found:
		if !slices.Contains(sim.Chips(), value) {
			return true, fmt.Errorf("there is no simulated chip %q, only %s", value, strings.Join(sim.Chips(), ", "))
		}
		o.Chip = value
	case name == "pins-off" && found:
		o.PinsOff, err = parseDuration(value)
	case name == "fpu" && found:
		switch value {
		case "on":
			o.FPU = sim.FPUPresent
		case "off":
			o.FPU = sim.FPUAbsent
		default:
			err = fmt.Errorf("fpu=%s: it is on or off; without it the board has one where the ELF was built for it", value)
		}
	case s == "no-nreset":
		o.NoResetWire = true
	case s == "no-pcsr":
		o.NoPCSR = true
	default:
		return false, nil
	}
	return true, err
}
