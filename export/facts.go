package export

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/unwind"
)

// fact is one statement about how the samples were taken. format is a field
// format of the Firefox Profiler, which says how value is meant.
type fact struct {
	label  string
	format string // "string", "integer", "percentage" (0 to 1), "microseconds"
	value  any    // string, uint64, float64, float64
}

func (f fact) text() string {
	switch v := f.value.(type) {
	case uint64:
		return strconv.FormatUint(v, 10)
	case float64:
		if f.format == "percentage" {
			return percent(v)
		}
		return fmt.Sprintf("%.1f µs", v)
	}
	return fmt.Sprint(f.value)
}

type factGroup struct {
	title string
	facts []fact
}

func (g *factGroup) text(label, value string) {
	if value != "" {
		g.facts = append(g.facts, fact{label, "string", value})
	}
}

func (g *factGroup) count(label string, n uint64) {
	g.facts = append(g.facts, fact{label, "integer", n})
}

func (g *factGroup) share(label string, v float64) {
	g.facts = append(g.facts, fact{label, "percentage", v})
}

func (g *factGroup) micros(label string, d time.Duration) {
	g.facts = append(g.facts, fact{label, "microseconds", float64(d) / 1e3})
}

// facts says how samples or calls were taken and how far to trust them, for the
// places where a viewer shows such things.
func facts(p *profile.Profile) []factGroup {
	groups := []factGroup{runFacts(p)}
	if p.Trace != nil {
		groups = append(groups, traceFacts(p), contextFacts(p))
	} else {
		groups = append(groups, sampleFacts(p))
	}
	if !p.Taken.Flat() && p.Trace == nil && !p.Taken.Unrecorded {
		groups = append(groups, stackFacts(p))
	}
	if len(p.Taken.Remarks) > 0 {
		remarks := factGroup{title: "Remarks"}
		for i, r := range p.Taken.Remarks {
			remarks.text(strconv.Itoa(i+1), r)
		}
		groups = append(groups, remarks)
	}
	return groups
}

func runFacts(p *profile.Profile) factGroup {
	a := &p.Taken
	g := factGroup{title: "Run"}
	g.text("Profiler", strings.TrimSpace("mprof "+a.Version))
	g.text("Command", strings.Join(a.Command, " "))
	g.text("Program", p.Mapping.Path)
	for _, m := range p.Others {
		g.text("Beside it", m.Path)
	}
	g.text("Device", a.Device)
	if p.Trace != nil {
		g.text("Port", a.Probe)
	} else {
		g.text("Probe", a.Probe)
	}
	if a.SWCLKHz > 0 {
		g.text("SWCLK", frequency(float64(a.SWCLKHz)))
	}
	if a.RateHz > 0 {
		g.text("Rate", frequency(a.RateHz))
	}
	if p.Duration > 0 || !a.Unrecorded {
		g.text("Duration", seconds(p.Duration))
	}
	g.text("Clock", a.ClockLabel)
	if p.Trace == nil && !a.Unrecorded {
		g.text("Seed", strconv.FormatInt(a.Seed, 10))
	}
	g.text("Ended", a.EndReason)
	return g
}

func sampleFacts(p *profile.Profile) factGroup {
	a := &p.Taken
	g := factGroup{title: "Samples"}
	if a.Unrecorded {
		g.count("Read", uint64(p.Samples()))
		return g
	}
	if a.Flat() {
		g.text("Method", a.Method)
	}
	g.count("Asked", a.Asked)
	g.count("Taken", uint64(p.Samples()))
	for miss, n := range a.Missed {
		if n > 0 && snapshot.Miss(miss) != snapshot.Taken {
			g.count("Missed: "+snapshot.Miss(miss).String(), n)
		}
	}
	if none := a.NoPCs.Sum(); none > 0 {
		g.text("No PC of the program, and no samples", noPCsText(a.NoPCs))
	}
	g.micros("Halted per sample, median", a.HaltedP50)
	g.micros("Halted per sample, 99th percentile", a.HaltedP99)
	g.share("Halted share of the run", p.HaltedShare())
	for _, line := range budgetLines(p) {
		g.text("Budget", line)
	}
	g.share("Asleep", p.IdleShare().Value)
	g.count("Resets", a.Resets)
	g.text("Away", strings.Join(awaySentences(p), ", "))
	return g
}

func stackFacts(p *profile.Profile) factGroup {
	g := factGroup{title: "Stacks"}
	g.text("Callers found by", unwindingText(p.Taken.Unwinding))
	g.count("Complete", p.Taken.Stops[unwind.Complete])
	for reason, n := range p.Taken.Stops {
		if n > 0 && unwind.Reason(reason) != unwind.Complete {
			g.count("Cut: "+unwind.Reason(reason).String(), n)
		}
	}
	if n := p.Taken.Guessed; n.Stacks > 0 {
		g.count("Cut, and guessed from there on", n.Stacks)
		g.count("Guessed frames", n.Frames)
	}
	return g
}

// unwindingText says which methods found callers; nothing where it was all.
func unwindingText(methods string) string {
	switch methods {
	case profile.MethodDWARF:
		return "call frame information, exception tables and instructions (--method dwarf)"
	case profile.MethodFP:
		return "frame pointers (--method fp)"
	}
	return ""
}

// percent prints a share: two decimals below 10 %, one above, as many digits
// as it takes to tell a small one from nothing.
func percent(v float64) string {
	switch {
	case v >= 0.1:
		return fmt.Sprintf("%.1f %%", v*100)
	case v == 0 || v >= 0.0001:
		return fmt.Sprintf("%.2f %%", v*100)
	}
	return fmt.Sprintf("%.2g %%", v*100)
}

// seconds prints three digits, and whole seconds from 100 s on; shorter units below
// a millisecond.
func seconds(d time.Duration) string {
	if d > 0 && d < time.Millisecond {
		return exactly(d)
	}
	if s := d.Seconds(); s < 100 {
		return fmt.Sprintf("%.3g s", s)
	}
	return fmt.Sprintf("%.0f s", d.Seconds())
}

func frequency(hz float64) string {
	switch {
	case hz >= 1e6:
		return fmt.Sprintf("%.4g MHz", hz/1e6)
	case hz >= 1e3:
		return fmt.Sprintf("%.4g kHz", hz/1e3)
	}
	return fmt.Sprintf("%.4g Hz", hz)
}
