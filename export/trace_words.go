package export

import (
	"fmt"
	"strings"
	"time"

	"github.com/mprof/mprof/profile"
)

// Sentences on traced calls, for the summary and for the places where viewers
// show such things.

// lossLines say what got lost, one line for each reason.
func lossLines(t *profile.Trace) (lines []string) {
	for _, l := range t.Losses {
		what := l.What
		if l.Pieces == 1 {
			what = singular(what)
		}
		line := fmt.Sprintf("%d %s", l.Pieces, what)
		var cost []string
		if l.Bytes > 0 {
			cost = append(cost, counted(l.Bytes, "byte"))
		}
		if l.Calls > 0 {
			cost = append(cost, counted(l.Calls, "call"))
		}
		if len(cost) > 0 {
			line += " (" + strings.Join(cost, ", ") + ")"
		}
		lines = append(lines, line)
	}
	if t.TooDeep > 0 {
		lines = append(lines, fmt.Sprintf("%s deeper than the firmware's module can follow (mprof_config.depth)", counted(t.TooDeep, "call")))
	}
	return lines
}

// missingLines say how many calls are missing and what that makes of the others. What
// was lost may have been context switches, too.
func missingLines(t *profile.Trace) []string {
	if t.LostCalls == 0 {
		return nil
	}
	return []string{
		fmt.Sprintf("%s at least (%s), in no count and no total: their time is in the self times of their callers", counted(t.LostCalls, "call"), percent(lostShare(t))),
		"calls that ran meanwhile took no longer than they seem to: the time of others may be in theirs",
	}
}

// singular is the first word of a phrase in the singular, and the rest of it.
func singular(phrase string) string {
	first, rest, more := strings.Cut(phrase, " ")
	if one, ok := strings.CutSuffix(first, "ches"); ok {
		first = one + "ch"
	} else {
		first = strings.TrimSuffix(first, "s")
	}
	if !more {
		return first
	}
	return first + " " + rest
}

// lostShare is the part of all calls that are known to be missing, 0 to 1.
func lostShare(t *profile.Trace) float64 {
	if t.LostCalls == 0 {
		return 0
	}
	return float64(t.LostCalls) / (float64(t.LostCalls) + float64(t.Calls))
}

// costLine says what tracing itself took, and what became of that.
func costLine(p *profile.Profile) string {
	t := p.Trace
	if t.PairCost == 0 && t.InnerCost == 0 {
		return "the firmware does not say what tracing a call takes: that is in the times"
	}
	takes := fmt.Sprintf("tracing takes %s per call (%s of it in the call's own time, as the firmware measured it), %s of the run",
		exactly(t.PairCost), exactly(t.InnerCost), percent(costShare(p)))
	if t.Calibrated {
		return takes + ": subtracted from callers and calls (--no-calibrate leaves it)"
	}
	return takes + ": it is in the times (--no-calibrate)"
}

// costShare is the part of the run that tracing took, 0 to 1, by what the firmware
// measured.
func costShare(p *profile.Profile) float64 {
	if p.Duration <= 0 {
		return 0
	}
	return min(float64(p.Trace.PairCost)*float64(p.Trace.Calls)/float64(p.Duration), 1)
}

// clockLine says how finely times were read, and how contexts are known.
func clockLine(t *profile.Trace) string {
	var parts []string
	if t.TickHz > 0 {
		tick := 1e9 / t.TickHz
		unit := fmt.Sprintf("%.3g ns", tick)
		if tick >= 1e3 {
			unit = fmt.Sprintf("%.4g µs", tick/1e3)
		}
		parts = append(parts, fmt.Sprintf("times are read to %s (%s)", unit, frequency(t.TickHz)))
	} else {
		parts = append(parts, "the firmware does not say how finely it reads times")
	}
	switch t.Version {
	case 1:
		parts = append(parts, "records of version 1 do not say their context: it is inferred from depth and overlap")
	case 2:
		parts = append(parts, "records of version 2 say their context")
	}
	return strings.Join(parts, "; ")
}

// keptLine says how much of the run the timeline shows; "" for all of it.
func keptLine(p *profile.Profile) string {
	t := p.Trace
	if t.Kept >= t.Calls || p.Sums != nil { // sums have no timeline
		return ""
	}
	return fmt.Sprintf("%d of %d calls are on the timeline (--keep); times and counts are of all", t.Kept, t.Calls)
}

// bufferLine says how full the target's buffer got; "" where it does not tell.
func bufferLine(t *profile.Trace) string {
	switch {
	case t.Buffer > 0 && t.HighWater > 0:
		return fmt.Sprintf("at most %d of %d bytes in use (%s)", t.HighWater, t.Buffer, percent(float64(t.HighWater)/float64(t.Buffer)))
	case t.HighWater > 0:
		return fmt.Sprintf("at most %d bytes in use", t.HighWater)
	case t.Buffer > 0:
		return fmt.Sprintf("%d bytes", t.Buffer)
	}
	return ""
}

// contextTime is a track with the time that its calls took of the run.
type contextTime struct {
	name  string
	busy  time.Duration
	calls uint64
	kept  int
}

func contextTimes(p *profile.Profile) (all []contextTime) {
	for _, t := range p.Threads {
		c := contextTime{name: t.Name, kept: len(t.Calls)}
		for _, s := range t.Samples {
			c.busy += s.Weight
			c.calls += uint64(s.Count)
		}
		all = append(all, c)
	}
	return all
}

// begunLine says what happened to calls that the firmware saw return and not begin: at the
// start of a run that is nothing to worry about; "" where there were none.
func begunLine(t *profile.Trace) string {
	if t.Unmatched == 0 {
		return ""
	}
	return fmt.Sprintf("%s without an entry: functions that ran when tracing started, or that a longjmp left, have no time", counted(t.Unmatched, "return"))
}

// openLine says that something was still running at the end, and how much of the
// times was called by that; "" where nothing was.
func openLine(p *profile.Profile) string {
	var called time.Duration
	open := false
	for _, f := range p.Trace.Functions {
		if f.Open {
			open = true
		}
		if f.Open && f.Calls == 0 { // a label that stands for them
			called += f.Total
		}
	}
	switch {
	case !open:
		return ""
	case called == 0:
		return "functions that had not returned at the end have no time"
	}
	return fmt.Sprintf("functions that had not returned at the end have no time; they called %s of what is listed", exactly(called))
}

// contextFacts say how much of the run each context was busy with traced calls.
func contextFacts(p *profile.Profile) factGroup {
	g := factGroup{title: "Contexts"}
	for _, c := range contextTimes(p) {
		g.share(c.name, shareOf(c.busy, p.Duration))
	}
	return g
}

// traceFacts are the facts of a profile of traced calls.
func traceFacts(p *profile.Profile) factGroup {
	t := p.Trace
	g := factGroup{title: "Trace"}
	g.text("Firmware", t.Firmware)
	g.count("Calls", t.Calls)
	g.count("Kept on the timeline", t.Kept)
	g.count("Calls known to be lost", t.LostCalls)
	for _, line := range append(missingLines(t), lossLines(t)...) {
		g.text("Lost", line)
	}
	g.text("Still running", openLine(p))
	g.text("Running before", begunLine(t))
	g.text("Cost of tracing", costLine(p))
	g.text("Clock", clockLine(t))
	g.text("Buffer of the target", bufferLine(t))
	g.count("Bytes received", t.Bytes)
	g.count("Resets", t.Resets)
	g.text("Away", strings.Join(awaySentences(p), ", "))
	return g
}
