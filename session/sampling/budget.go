package sampling

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

// ParseOverhead reads a share of time: 1%, 0.5%; a bare number is percent, too. 0 and
// none are no limit. Errors: no number, not between 0.001 % and 100 %.
func ParseOverhead(s string) (float64, error) {
	if s == "none" {
		return 0, nil
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(s, "%")), 64)
	if err != nil {
		return 0, fmt.Errorf("%q is no share of time: write 1%%, 0.5%% or none", s)
	}
	if v != 0 && !(v >= leastOverhead && v <= 100) {
		return 0, fmt.Errorf("%q is not between %g %% and 100 %%; none is no limit", s, leastOverhead)
	}
	return v / 100, nil
}

const leastOverhead = 0.001 // percent

// OverheadText is what parseOverhead reads.
func OverheadText(share float64) string {
	if share == 0 {
		return "none"
	}
	return strconv.FormatFloat(share*100, 'g', 6, 64) + "%"
}

// ParseHalt reads the longest that one sample may halt the core: 200us, 1ms. 0 and
// none are no limit. Errors: no time, not between 1 µs and 1 s.
func ParseHalt(s string) (time.Duration, error) {
	if s == "none" || s == "0" {
		return 0, nil
	}
	v, err := time.ParseDuration(s)
	if err != nil {
		return 0, fmt.Errorf("%q is no time: write 200us, 1ms or none", s)
	}
	if v < shortestHalt || v > longestHalt {
		return 0, fmt.Errorf("%q is not between %v and %v", s, shortestHalt, longestHalt)
	}
	return v, nil
}

const (
	shortestHalt = time.Microsecond
	longestHalt  = time.Second
)

// HaltText is what parseHalt reads.
func HaltText(d time.Duration) string {
	if d == 0 {
		return "none"
	}
	return d.String()
}

// budgetParameters go into the header of a recording.
func (o *Options) budgetParameters(parameters map[string]string) {
	parameters[keyMaxOverhead] = OverheadText(o.MaxOverhead)
	parameters[keyMaxHalt] = HaltText(o.MaxHalt)
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
	b.MaxOverhead, _ = ParseOverhead(h.Parameters[keyMaxOverhead])
	b.MaxHalt, _ = ParseHalt(h.Parameters[keyMaxHalt])
	b.Delayed, _ = strconv.ParseUint(end.Facts[keyDelayed], 10, 64)
	b.Depth, _ = strconv.Atoi(end.Facts[keyDepth])
	return b
}
