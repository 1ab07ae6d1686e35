package export_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/mprof/mprof/export"
	"github.com/mprof/mprof/profile"
)

// What was done for the budget stands in the summary, and nothing where there
// was nothing to do.
func TestSummaryOfTheBudget(t *testing.T) {
	p := small(t)
	asked := p.Taken.RateHz
	for _, c := range []struct {
		name       string
		budget     profile.Budget
		want, lack []string
	}{
		{"none", profile.Budget{}, nil, []string{"lowered", "to keep"}},
		{"kept", profile.Budget{MaxOverhead: 0.01, MaxHalt: time.Millisecond}, nil, []string{"lowered", "to keep"}},
		{"rate", profile.Budget{MaxOverhead: 0.01, Delayed: 5}, []string{"asked 100 Hz, lowered to 75 Hz to keep the core halted at most 1 % of the time ("}, nil},
		{"made up for", profile.Budget{MaxOverhead: 0.01, Delayed: 5}, nil, []string{"lowered", "to keep"}},
		{"depth", profile.Budget{MaxHalt: 200 * time.Microsecond, Shortened: 3, Depth: 24, Longer: 2},
			[]string{"3 stacks cut at 24 words to keep each halt within 200 µs (99th percentile ", ", 2 longer)"}, []string{"lowered"}},
		{"registers", profile.Budget{MaxHalt: 1500 * time.Microsecond, Shortened: 6}, []string{"6 samples without their stack to keep each halt within 1.5 ms"}, nil},
	} {
		p.Taken.Budget, p.Taken.RateHz = c.budget, asked
		if c.name == "made up for" { // the small profile has 75 samples a second
			p.Taken.RateHz = 75
		}
		var text, object bytes.Buffer
		if err := export.Summary(&text, p, export.SummaryOptions{}); err != nil {
			t.Fatal(err)
		}
		for _, want := range c.want {
			if !strings.Contains(text.String(), want) {
				t.Errorf("%s: the summary lacks %q:\n%s", c.name, want, text.String())
			}
		}
		for _, lack := range c.lack {
			if strings.Contains(text.String(), lack) {
				t.Errorf("%s: the summary says %q:\n%s", c.name, lack, text.String())
			}
		}
		if err := export.SummaryJSON(&object, p); err != nil {
			t.Fatal(err)
		}
		var got struct {
			Budget *struct {
				MaxOverhead float64 `json:"max_overhead"`
				Delayed     uint64  `json:"delayed_samples"`
				MaxHaltUs   float64 `json:"max_halt_us"`
				Shortened   uint64  `json:"shortened_stacks"`
				Longer      uint64  `json:"longer_halts"`
			} `json:"budget"`
		}
		if err := json.Unmarshal(object.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		b := c.budget
		switch limited := b.MaxOverhead > 0 || b.MaxHalt > 0; {
		case limited != (got.Budget != nil):
			t.Errorf("%s: JSON has a budget: %v", c.name, got.Budget != nil)
		case limited && (got.Budget.MaxOverhead != b.MaxOverhead || got.Budget.Delayed != b.Delayed || got.Budget.Shortened != b.Shortened ||
			got.Budget.MaxHaltUs != b.MaxHalt.Seconds()*1e6 || got.Budget.Longer != b.Longer):
			t.Errorf("%s: JSON says %+v", c.name, *got.Budget)
		}
	}
}
