package top

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mprof/mprof/export"
	"github.com/mprof/mprof/live"
	"github.com/mprof/mprof/profile"
)

// fact is a short statement; bad: something is missing from the profile for it.
type fact struct {
	text string
	bad  bool
}

// facts say how the run goes. Those that are not known are not there.
func (s *seen) facts() []fact {
	t := &s.status
	if s.kind == "" {
		return nil
	}
	all := []fact{{text: fmt.Sprintf("%.1f s", t.Elapsed)}}
	if s.kind == live.Calls {
		all = append(all, s.callFacts()...)
	} else {
		all = append(all, s.sampleFacts()...)
	}
	if t.Resets > 0 {
		all = append(all, fact{counted(t.Resets, "reset"), true})
	}
	return all
}

func (s *seen) sampleFacts() []fact {
	t := &s.status
	all := []fact{{text: counted(t.Taken, "sample")}, {text: s.rate(t.Taken)}}
	if t.Asked > t.Taken {
		all = append(all, fact{fmt.Sprintf("%d missed", t.Asked-t.Taken), true})
	}
	all = append(all, fact{text: export.Percent(t.StolenShare) + " stolen"})
	if t.HaltedP99 > 0 {
		all = append(all, fact{text: fmt.Sprintf("halts %s, p99 %s", micros(t.HaltedP50), micros(t.HaltedP99))})
	}
	switch {
	case s.flat():
		all = append(all, fact{text: "no stacks"})
	case t.Cut > 0 && t.Taken > 0:
		all = append(all, fact{text: fmt.Sprintf("%d cut (%s)", t.Cut, export.Percent(float64(t.Cut)/float64(t.Taken)))})
	default:
		all = append(all, fact{text: "0 cut"})
	}
	if t.IdleShare > 0 {
		all = append(all, fact{text: fmt.Sprintf("asleep %s ±%s", export.Percent(t.IdleShare), export.PercentPoints(t.IdleError))})
	}
	return all
}

// flat tells whether no sample has a caller: PCs alone were read.
func (s *seen) flat() bool {
	return !slices.ContainsFunc(s.nodes, func(n node) bool { return n.parent != profile.None })
}

func (s *seen) callFacts() []fact {
	t := &s.status
	all := []fact{{text: counted(t.Calls, "call")}, {text: s.rate(t.Calls)}, {fmt.Sprintf("%d lost", t.Lost), t.Lost > 0}, {text: size(t.Bytes)}}
	switch {
	case t.BufferUsed > 0 && t.Buffer > 0:
		all = append(all, fact{text: fmt.Sprintf("buffer up to %d of %d bytes (%s)", t.BufferUsed, t.Buffer, export.Percent(float64(t.BufferUsed)/float64(t.Buffer)))})
	case t.BufferUsed > 0:
		all = append(all, fact{text: fmt.Sprintf("buffer up to %d bytes", t.BufferUsed)})
	}
	return all
}

// factTexts are facts in a style.
func factTexts(all []fact, style styles) (texts []string) {
	for _, f := range all {
		if f.bad {
			f.text = style.warn(f.text)
		}
		texts = append(texts, f.text)
	}
	return texts
}

// rate is that of the last second, and of a run that is over that of all of it.
func (s *seen) rate(n uint64) string {
	if !s.over {
		return fmt.Sprintf("%.0f/s", s.status.Rate)
	}
	if s.status.Elapsed <= 0 {
		return "in no time"
	}
	return fmt.Sprintf("%.0f/s on average", float64(n)/s.status.Elapsed)
}

func micros(seconds float64) string { return fmt.Sprintf("%.1f µs", seconds*1e6) }

// busy says how much of the run each track took, most first.
func (s *seen) busy() string {
	shares := slices.Clone(s.status.Contexts)
	slices.SortStableFunc(shares, func(a, b live.Share) int {
		switch {
		case a.Value > b.Value:
			return -1
		case a.Value < b.Value:
			return 1
		}
		return 0
	})
	var parts []string
	for _, c := range shares {
		if c.Track >= 0 && c.Track < len(s.tracks) {
			parts = append(parts, s.tracks[c.Track]+" "+export.Percent(c.Value))
		}
	}
	return strings.Join(parts, ", ")
}

// warnings are the latest thing that happened, and the latest sentence for the user.
func (s *seen) warnings() (all []string) {
	if n := len(s.events); n > 0 {
		e := s.events[n-1]
		text := fmt.Sprintf("%s: %s", moment(e.Time), e.Name)
		if e.Duration > 0 {
			text += " for " + export.Duration(time.Duration(e.Duration*1e9))
		}
		if e.Detail != "" {
			text += " (" + e.Detail + ")"
		}
		all = append(all, printable(text))
	}
	if n := len(s.status.Remarks); n > 0 {
		all = append(all, printable("note: "+s.status.Remarks[n-1]))
	}
	return all
}
