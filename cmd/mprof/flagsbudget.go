package main

import (
	"time"

	"github.com/mprof/mprof/session/sampling"
)

// overheadFlag is a share of time: 1%, 0.5%; a bare number is percent, too.
// 0 and none are no limit.
type overheadFlag float64

func (o *overheadFlag) String() string { return sampling.OverheadText(float64(*o)) }
func (o *overheadFlag) Type() string   { return "percent" }

func (o *overheadFlag) Set(s string) error {
	v, err := sampling.ParseOverhead(s)
	if err == nil {
		*o = overheadFlag(v)
	}
	return err
}

// haltFlag is the longest that one sample may halt the core: 200us, 1ms. 0 and
// none are no limit.
type haltFlag time.Duration

func (h *haltFlag) String() string { return sampling.HaltText(time.Duration(*h)) }
func (h *haltFlag) Type() string   { return "time" }

func (h *haltFlag) Set(s string) error {
	v, err := sampling.ParseHalt(s)
	if err == nil {
		*h = haltFlag(v)
	}
	return err
}
