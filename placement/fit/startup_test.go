package fit

import (
	"strings"
	"testing"

	"github.com/mprof/mprof/symbol"
)

// TestStartup: what runs before RAM is filled stays, however many steps there are from
// the reset handler to main.
func TestStartup(t *testing.T) {
	for _, c := range []struct {
		calls string // of each function, in order; the first is the reset handler
		want  string
	}{
		{"reset: copy init main; copy: move; main: work; init; move; work; move2", "reset copy init move"},
		{"reset: init main exit; init; main: work; exit; work", "reset init"},
		{"reset: boot; boot: copy main; copy; main: work; work", "reset boot copy"},
		{"reset: early boot; early; boot: copy stage; copy: move; stage: init main; move; init; main: work; work", "reset early boot copy stage move init"},
		{"reset: boot; boot: copy work; copy; main: copy work; work", "reset boot"}, // main was inlined
		{"reset: init app; init; app: work; work", "reset init"},                    // and here it is called app
		{"reset: again; again: reset again; main", "reset again"},
	} {
		a := &analysis{report: &Report{}}
		for i, f := range strings.Split(c.calls, "; ") {
			name, _, _ := strings.Cut(f, ":")
			low := uint32(0x1000 * (i + 1))
			a.report.Units = append(a.report.Units, Unit{Name: name, Parts: []Part{{symbol.Range{Low: low, High: low + 0x100}, []string{name}}}})
		}
		a.index()
		for i, f := range strings.Split(c.calls, "; ") {
			_, calls, _ := strings.Cut(f, ":")
			for k, to := range strings.Fields(calls) {
				u := &a.report.Units[i]
				u.calls = append(u.calls, call{at: u.Parts[0].Low + uint32(4*k), to: a.report.Units[a.byName[to]].Parts[0].Low})
			}
		}
		a.report.Units[0].State = Startup
		a.findStartup()
		var stay []string
		for _, u := range a.report.Units {
			if u.State == Startup {
				stay = append(stay, u.Name)
			}
		}
		if got := strings.Join(stay, " "); got != c.want {
			t.Errorf("%s:\nstay %s,\nwant %s", c.calls, got, c.want)
		}
	}
}
