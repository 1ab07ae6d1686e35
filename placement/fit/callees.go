package fit

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// mostCallers bounds the rows of calls in the table; the JSON has all.
const mostCallers = 20

// follow finds, for each function that moves, which of those that it calls directly come
// along, and which it calls in flash from then on. Those that are in RAM already are neither.
func (a *analysis) follow() {
	r := a.report
	for _, i := range r.Moved {
		u := &r.Units[i]
		for _, c := range u.calls {
			to := a.target(c.to)
			switch {
			case to < 0 || to == i || r.Units[to].State == InRAM:
			case slices.Contains(r.Moved, to):
				u.Along = addName(u.Along, r.Units[to].Name)
			default:
				u.Left = addName(u.Left, r.Units[to].Name)
			}
		}
	}
}

func addName(names []string, name string) []string {
	if slices.Contains(names, name) {
		return names
	}
	return append(names, name)
}

// writeCalls lists the calls out of what moves.
func (r *Report) writeCalls(w io.Writer) {
	n := 0
	for _, i := range r.Moved {
		u := &r.Units[i]
		var parts []string
		if len(u.Along) > 0 {
			parts = append(parts, strings.Join(u.Along, ", ")+" along")
		}
		if len(u.Left) > 0 {
			parts = append(parts, strings.Join(u.Left, ", ")+" in flash")
		}
		if parts == nil {
			continue
		}
		if n == 0 {
			fmt.Fprintf(w, "\ncalls of what moves, and where to (along: it moves, too):\n")
		}
		if n++; n > mostCallers {
			fmt.Fprintf(w, "  ...\n")
			return
		}
		fmt.Fprintf(w, "  %s: %s\n", u.Name, strings.Join(parts, "; "))
	}
}

// writeResident lists what is in RAM already.
func (r *Report) writeResident(w io.Writer) {
	n := 0
	for i := range r.Units {
		u := &r.Units[i]
		if u.State != InRAM || r.part(u.Samples) < leastShare {
			continue
		}
		if n == 0 {
			fmt.Fprintf(w, "\nin RAM already:\n")
		}
		if n++; n > mostStaying {
			fmt.Fprintf(w, "  ...\n")
			return
		}
		fmt.Fprintf(w, "  %6s  %s: %d bytes\n", percent(r.part(u.Samples)), u.Name, u.Size)
	}
}
