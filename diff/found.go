package diff

import (
	"fmt"

	"github.com/mprof/mprof/export"
)

// rules prints what they found: all that failed, and of each rule that did not, what came nearest.
func (t *text) rules() {
	if len(t.o.Results) > 0 && !t.o.Quiet {
		fmt.Fprintf(&t.out, "\n")
	}
	for _, line := range t.o.lines() {
		label := t.less("ok    ")
		if line.failed {
			label = t.more("FAILED")
		}
		fmt.Fprintf(&t.out, "%s  %s: %s\n", label, line.rule, line.found)
	}
}

type ruleLine struct {
	failed      bool
	rule, found string
}

// lines are what is said of rules: one for each change that failed, and one for a rule that none did.
func (o *Layout) lines() (lines []ruleLine) {
	for i := 0; i < len(o.Results); {
		rule, nearest, failed, n := o.Results[i].Rule, i, false, 0
		for ; i < len(o.Results) && o.Results[i].Rule == rule; i++ {
			x := &o.Results[i]
			if n++; x.Violated {
				failed = true
				lines = append(lines, ruleLine{true, export.Printable(rule.Text), export.Printable(x.Sentence())})
			}
			if rule.size(x.Change) > rule.size(o.Results[nearest].Change) {
				nearest = i
			}
		}
		if failed {
			continue
		}
		found := o.Results[nearest].Sentence()
		if n > 1 {
			found = fmt.Sprintf("none of %d; the most: %s", n, found)
		}
		lines = append(lines, ruleLine{false, export.Printable(rule.Text), export.Printable(found)})
	}
	return lines
}

// size is how far a change goes in the direction of the rule.
func (r *Rule) size(c *Change) float64 {
	v := c.Value
	if r.relative {
		v = c.Relative()
	}
	if !r.above {
		v = -v
	}
	return v
}

// Sentence says what was found.
func (x *Result) Sentence() string {
	q, c := quantity(x.Quantity), x.Change
	text := fmt.Sprintf("%s %s %s -> %s, %s (%s)", x.Row.Name, q, q.value(c.Old.Value), q.value(c.New.Value), q.delta(c.Value), relative(c))
	switch {
	case !c.Known:
		return text + ", its error not known"
	case x.Significant:
		return text + fmt.Sprintf(", significant (p %s)", probability(x.Adjusted))
	case c.Few:
		return text + ", too few samples to tell"
	}
	return text + fmt.Sprintf(", not significant (p %s)", probability(x.Adjusted))
}
