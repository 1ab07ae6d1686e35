package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/mprof/mprof/cortexm"
	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/snapshot"
)

// Parameters and facts of a recording that say what the target may lose and
// what was done to keep it.
const (
	keyMaxOverhead = "max-overhead"
	keyMaxHalt     = "max-halt"
	keyDelayed     = "delayed"
	keyDepth       = "stack-words"
)

// defaultOverhead is the share of time that perf allows its samples, too.
const defaultOverhead = 0.25

// overheadFlag is a share of time: 1%, 0.5%; a bare number is percent, too.
// 0 and none are no limit.
type overheadFlag float64

func (o *overheadFlag) String() string {
	if *o == 0 {
		return "none"
	}
	return strconv.FormatFloat(float64(*o)*100, 'g', 6, 64) + "%"
}

func (o *overheadFlag) Type() string { return "percent" }

const leastOverhead = 0.001 // percent

func (o *overheadFlag) Set(s string) error {
	if s == "none" {
		*o = 0
		return nil
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(s, "%")), 64)
	if err != nil {
		return fmt.Errorf("%q is no share of time: write 1%%, 0.5%% or none", s)
	}
	if v != 0 && !(v >= leastOverhead && v <= 100) {
		return fmt.Errorf("%q is not between %g %% and 100 %%; none is no limit", s, leastOverhead)
	}
	*o = overheadFlag(v / 100)
	return nil
}

// haltFlag is the longest that one sample may halt the core: 200us, 1ms. 0 and
// none are no limit.
type haltFlag time.Duration

func (h *haltFlag) String() string {
	if *h == 0 {
		return "none"
	}
	return time.Duration(*h).String()
}

func (h *haltFlag) Type() string { return "time" }

const (
	shortestHalt = time.Microsecond
	longestHalt  = time.Second
)

func (h *haltFlag) Set(s string) error {
	if s == "none" || s == "0" {
		*h = 0
		return nil
	}
	v, err := time.ParseDuration(s)
	if err != nil {
		return fmt.Errorf("%q is no time: write 200us, 1ms or none", s)
	}
	if v < shortestHalt || v > longestHalt {
		return fmt.Errorf("%q is not between %v and %v", s, shortestHalt, longestHalt)
	}
	*h = haltFlag(v)
	return nil
}

// budgetParameters go into the header of a recording.
func (f *sampleFlags) budgetParameters(parameters map[string]string) {
	parameters[keyMaxOverhead] = f.maxOverhead.String()
	parameters[keyMaxHalt] = f.maxHalt.String()
}

// budgetFacts go into the end of a recording.
func budgetFacts(st cortexm.Stats) [][2]string {
	return [][2]string{
		{keyDelayed, strconv.FormatUint(st.Delayed, 10)},
		{keyDepth, strconv.Itoa(st.Depth)},
	}
}

// recordedBudget reads both back. What is not there stays 0, which says that
// there was no limit, or that nothing was done for it.
func recordedBudget(h snapshot.Header, end snapshot.End) (b profile.Budget) {
	var overhead overheadFlag
	var halt haltFlag
	if overhead.Set(h.Parameters[keyMaxOverhead]) == nil {
		b.MaxOverhead = float64(overhead)
	}
	if halt.Set(h.Parameters[keyMaxHalt]) == nil {
		b.MaxHalt = time.Duration(halt)
	}
	b.Delayed, _ = strconv.ParseUint(end.Facts[keyDelayed], 10, 64)
	b.Depth, _ = strconv.Atoi(end.Facts[keyDepth])
	return b
}
