package calls

import (
	"fmt"
	"strings"
	"time"

	"github.com/mprof/mprof/trace"
)

// remarks are sentences on what could not be known for certain.
func (b *Builder) remarks() (all []string) {
	d := &b.doubts
	say := func(n uint64, format string, args ...any) {
		if n > 0 {
			all = append(all, fmt.Sprintf(format, args...))
		}
	}
	if b.metadata.Known < trace.KnownTimerHz {
		say(b.unread, "%s came without METADATA, which says the unit of their times: left out", counted(b.unread, "call"))
	} else {
		say(b.unread, "%s left out: the target says that its clock has %d >> %d Hz, which is not believed", wereCounted(b.unread, "call"), b.metadata.TimerHz, b.metadata.TickShift)
	}
	if b.metadata.Known >= trace.KnownCosts && !b.believed && (b.metadata.PairCost > 0 || b.metadata.InnerCost > 0) {
		all = append(all, fmt.Sprintf("the target says that a call costs %.4g cycles, and %.4g of them within the call: that is not believed, and nothing is subtracted",
			float64(b.metadata.PairCost)/256, float64(b.metadata.InnerCost)/256))
	}
	if text := b.pace.remark(b.metadata.BufferBytes); text != "" {
		all = append(all, text)
	}
	say(d.negative, "in %s, what was subtracted for tracing and what they called add up to %s more than they took: their own time is 0",
		counted(d.negative, "call"), roughly(time.Duration(d.negativeTime)))
	if missing := b.losses.records; missing > 0 || b.era > 0 && b.lossPieces() > 0 {
		text := "the time of calls that are missing is in the calls around them"
		if b.pair > 0 && missing > 0 && b.version > 1 {
			text += "; what tracing them cost was subtracted there, from the call that ran where they are missing"
		}
		all = append(all, text)
	}
	say(d.switches, "%s not seen: the times of calls around them hold what nobody saw of other tasks", wereCounted(d.switches, "context switch"))
	if len(b.inferred.contexts) > 1 {
		all = append(all, "version 1 does not say in which context a call was: contexts are told apart by depths and times, and a caller may be wrong")
	}
	say(d.overlaps, "%s found to overlap others without lying in them, as those of tasks do that the firmware does not tell apart: their times hold those of other tasks", wereCounted(d.overlaps, "call"))
	say(d.split, "%s begun within time of interrupts that was kept only in sum, so that their times are known to a few interrupts", wereCounted(d.split, "call"))
	say(d.mixed, "%s, calls that were kept only in sum could not be divided among their callers: they are below a label, and their time is in the callers as well", counted(d.mixed, "time"))
	say(d.contexts, "%s of more contexts than are told apart: their callers are not known", wereCounted(d.contexts, "call"))
	say(d.units, "the unit of times changed %s: calls that ran meanwhile are closed", counted(d.units, "time"))
	say(d.resets, "the clock of the target went back %s, as a reset makes it that no METADATA tells of: calls that ran meanwhile are closed, and how long the target was away is not known", counted(d.resets, "time"))
	say(b.clock.jumped, "the target was silent for longer than its clock takes to wrap, %s in all: times behind that are by the clock of the host", counted(b.clock.jumped, "wrap"))
	say(d.events, "%s not on the timeline", wereCounted(d.events, "more loss"))
	if len(b.places.all) >= mostPlaces {
		all = append(all, fmt.Sprintf("more than %d addresses were called: the statistics of the others are together in %s", mostPlaces, tooManyFunctions))
	}
	if b.tree.live >= b.tree.most {
		all = append(all, fmt.Sprintf("there are more than %d call paths: those of the others begin with %s", b.tree.most, placeLabels[placeMore]))
	}
	return all
}

// counted is a number with its noun.
func counted(n uint64, noun string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(noun, "s"), strings.HasSuffix(noun, "ch"):
		noun += "es"
	default:
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// wereCounted begins a sentence on so many of something.
func wereCounted(n uint64, noun string) string {
	if n == 1 {
		return counted(n, noun) + " was"
	}
	return counted(n, noun) + " were"
}

// roughly is a time without digits that nobody reads.
func roughly(d time.Duration) string {
	switch {
	case d < time.Microsecond:
		return fmt.Sprintf("%d ns", d.Nanoseconds())
	case d < time.Millisecond:
		return fmt.Sprintf("%.3g µs", float64(d)/1e3)
	case d < time.Second:
		return fmt.Sprintf("%.3g ms", float64(d)/1e6)
	}
	return fmt.Sprintf("%.3g s", d.Seconds())
}

// lossPieces counts the gaps in the stream.
func (b *Builder) lossPieces() (n uint64) {
	for k, l := range b.losses.kinds {
		if trace.LossKind(k) != trace.Unknown {
			n += l.Pieces
		}
	}
	return n
}
