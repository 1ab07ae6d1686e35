package live

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/mprof/mprof/profile"
)

// events are what happened to a run; and the gaps, of which every one is drawn, however
// many there are.
type events struct {
	all  []profile.Event
	rev  []uint64
	more int // that are not in all

	gaps []profile.Event // by time
	join time.Duration   // gaps that are closer to each other are one
}

const (
	mostEvents = 10_000
	mostGaps   = 10_000
)

// add takes an event. The first of more than can be listed is a remark.
func (e *events) add(x profile.Event, rev uint64) {
	if len(e.all) < mostEvents {
		e.all, e.rev = append(e.all, x), append(e.rev, rev)
	} else {
		e.more++
	}
	if !x.Off {
		return
	}
	at, _ := slices.BinarySearchFunc(e.gaps, x, func(a, b profile.Event) int { return cmp.Compare(a.Time, b.Time) })
	e.gaps = slices.Insert(e.gaps, at, x)
	for len(e.gaps) > mostGaps {
		e.joinGaps()
	}
}

// joinGaps makes one of those that lie close together.
func (e *events) joinGaps() {
	e.join = max(2*e.join, time.Microsecond)
	out := e.gaps[:1]
	for _, x := range e.gaps[1:] {
		last := &out[len(out)-1]
		if x.Time-(last.Time+last.Duration) >= e.join {
			out = append(out, x)
			continue
		}
		last.Duration = max(last.Duration, x.Time+x.Duration-last.Time)
		if last.Detail = "several, close together"; last.Name != x.Name {
			last.Name = "Gaps"
		}
	}
	e.gaps = out
}

// between lists the gaps that touch a stretch of time.
func (e *events) between(from, to time.Duration) (found []profile.Event) {
	for _, x := range e.gaps {
		if x.Time > to {
			break
		}
		if x.Time+x.Duration >= from {
			found = append(found, x)
		}
	}
	return found
}

func (e *events) remark() string {
	if e.more == 0 {
		return ""
	}
	return fmt.Sprintf("%d more events are not listed here; the profile has them", e.more)
}

// since lists events; origin is when the run began.
func (e *events) since(rev uint64, origin time.Duration) []Event {
	list := []Event{}
	for _, x := range e.all[newer(e.rev, rev):] {
		list = append(list, told(x, origin))
	}
	return list
}

// told is an event as readers are told it.
func told(x profile.Event, origin time.Duration) Event {
	return Event{Time: max(0, x.Time-origin).Seconds(), Duration: x.Duration.Seconds(), Name: x.Name, Detail: x.Detail, Off: x.Off}
}
