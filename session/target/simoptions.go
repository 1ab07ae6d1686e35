package target

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mprof/mprof/sim"
)

// ParseSimOption reads what is no fault in a --probe value: chip=NAME,
// pins-off=TIME, fpu=on or off, board=NAME, clock=HZ, flash-wait=N[/BYTES], no-nreset, no-pcsr. known is false for anything else.
func ParseSimOption(o *sim.Options, s string) (known bool, err error) {
	name, value, found := strings.Cut(s, "=")
	switch {
	case name == "chip" && found:
		if !slices.Contains(sim.Chips(), value) {
			return true, fmt.Errorf("there is no simulated chip %q, only %s", value, strings.Join(sim.Chips(), ", "))
		}
		o.Chip = value
	case name == "pins-off" && found:
		o.PinsOff, err = ParseDuration(value)
	case name == "fpu" && found:
		switch value {
		case "on":
			o.FPU = sim.FPUPresent
		case "off":
			o.FPU = sim.FPUAbsent
		default:
			err = fmt.Errorf("fpu=%s: it is on or off; without it the board has one where the ELF was built for it", value)
		}
	case name == "board" && found:
		if !slices.Contains(sim.Boards(), value) {
			return true, fmt.Errorf("there is no simulated board %q, only %s", value, strings.Join(sim.Boards(), ", "))
		}
		o.Board = value
	case name == "clock" && found:
		o.CoreHz, err = parseClock(value)
	case name == "flash-wait" && found:
		o.FlashWait, o.FlashLine, err = ParseFlashWait(value)
	case s == "no-nreset":
		o.NoResetWire = true
	case s == "no-pcsr":
		o.NoPCSR = true
	default:
		return false, nil
	}
	return true, err
}

// ParseFlashWait reads how slow the flash is: 5 cycles for each line of 16
// bytes, or 5/8, for each line of 8.
func ParseFlashWait(s string) (cycles, line uint32, err error) {
	wait, bytes, given := strings.Cut(s, "/")
	n, err := strconv.ParseUint(wait, 10, 32)
	size := uint64(16)
	if err == nil && given {
		size, err = strconv.ParseUint(bytes, 10, 32)
	}
	if err != nil || n > 1000 || size < 4 || size > 1024 || size&(size-1) != 0 {
		return 0, 0, fmt.Errorf("flash-wait=%s: write the cycles that a new line of flash costs, 0 to 1000, and if it has not 16 bytes how many, as in 5/8", s)
	}
	return uint32(n), uint32(size), nil
}

// parseClock reads a frequency in Hz: 16000000, 168M, 32768, 4.5M.
func parseClock(s string) (uint32, error) {
	number, unit := s, 1.0
	if n, found := strings.CutSuffix(s, "M"); found {
		number, unit = n, 1e6
	} else if n, found := strings.CutSuffix(s, "k"); found {
		number, unit = n, 1e3
	}
	v, err := strconv.ParseFloat(number, 64)
	if hz := v * unit; err == nil && hz >= 1000 && hz <= 2e9 {
		return uint32(hz + 0.5), nil
	}
	return 0, fmt.Errorf("clock %q: write Hz, as in 16000000, 168M or 32.768k; from 1k to 2000M", s)
}
