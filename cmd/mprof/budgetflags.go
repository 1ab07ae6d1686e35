package main

import "time"

// overheadFlag is a share of time: 1%, 0.5%; a bare number is percent, too.
// 0 and none are no limit.
type overheadFlag float64

func (o *overheadFlag) String() string { return overheadText(float64(*o)) }
func (o *overheadFlag) Type() string   { return "percent" }

func (o *overheadFlag) Set(s string) error {
	v, err := parseOverhead(s)
	if err == nil {
		*o = overheadFlag(v)
	}
	return err
}

// haltFlag is the longest that one sample may halt the core: 200us, 1ms. 0 and
// none are no limit.
type haltFlag time.Duration

func (h *haltFlag) String() string { return haltText(time.Duration(*h)) }
func (h *haltFlag) Type() string   { return "time" }

func (h *haltFlag) Set(s string) error {
	v, err := parseHalt(s)
	if err == nil {
		*h = haltFlag(v)
	}
	return err
}
