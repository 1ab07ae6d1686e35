package profile

import (
	"fmt"
	"slices"
	"time"

	"github.com/mprof/mprof/snapshot"
)

// offNames are the misses that last: the target ran unseen, or not at all.
var offNames = map[snapshot.Miss]string{
	snapshot.OffTarget: "Target off",
	snapshot.ProbeGone: "Probe gone",
	snapshot.Secure:    "Secure state",
	snapshot.Stopped:   "Halted by others",

	snapshot.ServerGone: "Connection lost",
}

func off(m snapshot.Miss) bool { return offNames[m] != "" }

// hostGap is an event that a run notes when the host itself stood still.
const hostGap = "Gap"

// miss counts a sample without registers; a row of them is one event.
func (b *Builder) miss(s *snapshot.Snapshot) { b.missed(s.Miss, s.Time, 1) }

// missed counts n of them.
func (b *Builder) missed(why snapshot.Miss, at time.Duration, n int) {
	if why < snapshot.NumMisses {
		b.taken.Missed[why] += uint64(n)
	}
	if b.missedLast += uint64(n); off(why) {
		b.missedLast = 0
	}
	if b.missing != nil && b.missReason != why {
		b.endMisses(at)
	}
	if b.missing == nil {
		name, off := offNames[why]
		if !off {
			name = "Missed samples"
		}
		b.missing, b.misses, b.missReason = &Event{Time: at, Name: name, Off: off}, 0, why
	}
	b.misses += n
}

func (b *Builder) endMisses(now time.Duration) {
	if b.missing == nil {
		return
	}
	e := *b.missing
	e.Duration = max(0, now-e.Time)
	e.Detail = fmt.Sprintf("%d: %v", b.misses, b.missReason)
	b.missing = nil
	b.event(e)
}

// away adds up the events of which nothing is known, those of one name together.
func away(events []Event) (all []Away) {
	for _, e := range events {
		if !e.Off {
			continue
		}
		i := slices.IndexFunc(all, func(a Away) bool { return a.Name == e.Name })
		if i < 0 {
			i, all = len(all), append(all, Away{Name: e.Name})
		}
		all[i].Pieces++
		all[i].Time += e.Duration
	}
	return all
}

// OffBetween is how much of the time from one moment to another nothing is
// known of. Events are in the order of their times.
func OffBetween(events []Event, from, to time.Duration) (sum time.Duration) {
	for _, e := range events {
		if e.Time >= to {
			break
		}
		if e.Off {
			sum += max(0, min(to, e.Time+e.Duration)-max(from, e.Time))
		}
	}
	return sum
}
