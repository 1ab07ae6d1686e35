package export

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/mprof/mprof/profile"
)

// trace prints what a profile of traced calls has in place of samples: what got
// lost, what tracing cost, how far to trust the times, and the table of functions.
func (s *summary) trace(o SummaryOptions) {
	t := s.p.Trace
	s.traceHead()
	s.lines("lost", s.warn, lossLines(t))
	s.lines("cost", nil, []string{costLine(s.p)})
	s.lines("clock", nil, []string{clockLine(t)})
	s.contexts()
	s.lines("timeline", nil, []string{keptLine(s.p)})
	s.lines("buffer", nil, []string{bufferLine(t)})
	s.lines("open", nil, []string{openLine(s.p), begunLine(t)})
	s.target()
	s.times(o)
}

func (s *summary) traceHead() {
	t, a := s.p.Trace, &s.p.Taken
	traced := 0
	for _, f := range t.Functions {
		if f.Calls > 0 {
			traced++
		}
	}
	s.printf("%s: %s of %s in %s", s.strong(processName(s.p)), s.strong(counted(t.Calls, "call")), counted(uint64(traced), "function"), seconds(s.p.Duration))
	if a.ClockLabel != "" {
		s.printf(" of %s", a.ClockLabel)
	}
	s.printf("\n")
	s.lines("missing", s.warn, missingLines(t))
	if a.EndReason != "" && a.EndReason != "duration reached" {
		s.line("ended", "%s", s.warn(a.EndReason))
	}
}

// lines prints sentences below one label, those that are empty left out.
func (s *summary) lines(label string, style func(string) string, all []string) {
	for _, text := range all {
		if text == "" {
			continue
		}
		if style != nil {
			text = style(text)
		}
		s.line(label, "%s", text)
		label = ""
	}
}

// maxContexts bounds the contexts that are named.
const maxContexts = 8

// contexts says how much of the run each context was busy with traced calls.
func (s *summary) contexts() {
	all := contextTimes(s.p)
	slices.SortStableFunc(all, func(a, b contextTime) int { return cmp.Compare(b.busy, a.busy) })
	var parts []string
	for i, c := range all {
		if i == maxContexts {
			parts = append(parts, fmt.Sprintf("%d more", len(all)-i))
			break
		}
		parts = append(parts, fmt.Sprintf("%s %s", c.name, percent(shareOf(c.busy, s.p.Duration))))
	}
	s.lines("contexts", nil, []string{strings.Join(parts, ", ")})
}

// maxTimes bounds the functions in the table where no number is asked for.
const maxTimes = 20

// times prints the statistics of each function.
func (s *summary) times(o SummaryOptions) {
	limit := o.Functions
	switch {
	case limit == 0:
		limit = maxTimes
	case limit < 0:
		limit = len(s.p.Trace.Functions)
	}
	called := slices.DeleteFunc(o.Sort.Sorted(s.p), func(f profile.FunctionTimes) bool { return f.Calls == 0 })
	if len(called) == 0 {
		return
	}
	shown := called[:min(limit, len(called))]
	// The longest call's time on the clock is a column where it is not its time.
	clock := slices.ContainsFunc(shown, func(f profile.FunctionTimes) bool { return f.Longest > f.Max })
	s.printf("\n")
	t := tabwriter.NewWriter(&s.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	header := []string{"calls", "total", "self", "min", "mean", "p50", "p99", "max", "at"}
	if clock {
		header = append(header, "on clock")
	}
	fmt.Fprintf(t, "%s\t  function\n", strings.Join(header, "\t"))
	for _, f := range shown {
		fmt.Fprintf(t, "%s\t  %s\n", strings.Join(timeCells(f, clock), "\t"), s.describeFunction(f))
	}
	_ = t.Flush()
	if more := len(called) - len(shown); more > 0 {
		s.printf("  and %d more (--top 0 lists all, --sort by another column)\n", more)
	}
	s.printf("  %s\n", s.faint("min to max, total and self: without interrupts and other contexts; p50 and p99 within 1 %; at: when the longest call began"))
	if clock {
		s.printf("  %s\n", s.faint("on clock: how long that call took with what interrupted it"))
	}
}

// timeCells are the columns of one function. A time that is only a lower bound has
// a > before it.
func timeCells(f profile.FunctionTimes, clock bool) []string {
	least := ""
	if f.AtLeast {
		least = ">"
	}
	cells := []string{fmt.Sprint(f.Calls), least + aligned(f.Total), aligned(f.Self), aligned(f.Min), least + aligned(f.Mean),
		aligned(f.P50), aligned(f.P99), least + aligned(f.Max), moment(f.LongestAt)}
	if clock {
		cells = append(cells, least+aligned(f.Longest))
	}
	return cells
}

func (s *summary) describeFunction(f profile.FunctionTimes) string {
	text := s.describe(profile.Entry{Function: f.Function, Name: s.p.Functions[f.Function].Name})
	if f.Open {
		text += s.faint("  (one more still running)")
	}
	return text
}
