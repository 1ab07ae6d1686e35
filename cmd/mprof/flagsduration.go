package main

import (
	"fmt"
	"strconv"
	"time"

	"github.com/mprof/mprof/session/sampling"
	"github.com/mprof/mprof/session/target"
)

// durationFlag accepts what people type for a duration: 60 (seconds), 60s,
// 2m, 1m30s, 250ms.
type durationFlag time.Duration

func (d *durationFlag) String() string {
	if *d == 0 {
		return ""
	}
	return time.Duration(*d).String()
}

func (d *durationFlag) Type() string { return "duration" }

func (d *durationFlag) Set(s string) error {
	v, err := target.ParseDuration(s)
	if err != nil {
		return err
	}
	*d = durationFlag(v)
	return nil
}

// rateFlag is a sampling rate in Hz.
type rateFlag float64

func (r *rateFlag) String() string { return strconv.FormatFloat(float64(*r), 'g', -1, 64) }
func (r *rateFlag) Type() string   { return "Hz" }

func (r *rateFlag) Set(s string) error {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return fmt.Errorf("%q is no rate in Hz", s)
	}
	if !(v >= sampling.LowestRate && v <= sampling.HighestRate) {
		return fmt.Errorf("%q is not between %g and %d Hz", s, sampling.LowestRate, sampling.HighestRate)
	}
	*r = rateFlag(v)
	return nil
}

// clockFlag is the SWD clock: 4000000, 4M, 500k, 10MHz.
type clockFlag uint32

func (c *clockFlag) String() string {
	if *c == 0 {
		return ""
	}
	return strconv.FormatUint(uint64(*c), 10)
}

func (c *clockFlag) Type() string { return "Hz" }

func (c *clockFlag) Set(s string) error {
	digits, factor := s, 1.0
	for _, unit := range []struct {
		suffix string
		factor float64
	}{{"MHz", 1e6}, {"kHz", 1e3}, {"Hz", 1}, {"M", 1e6}, {"k", 1e3}} {
		if n := len(s) - len(unit.suffix); n > 0 && s[n:] == unit.suffix {
			digits, factor = s[:n], unit.factor
			break
		}
	}
	v, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		return fmt.Errorf("%q is no clock: write 4M, 500k or a number of Hz", s)
	}
	if hz := v * factor; hz >= 1e3 && hz <= 100e6 {
		*c = clockFlag(hz)
		return nil
	}
	return fmt.Errorf("%q is not between 1 kHz and 100 MHz", s)
}
