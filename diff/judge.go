package diff

import (
	"fmt"
	"strings"
)

// Result is what a rule says of one row.
type Result struct {
	Rule     *Rule
	Row      *Row
	Quantity string // self, total, call, calls
	Change   *Change
	Violated bool
	// Adjusted is Change.P with all that the rules look at in mind, and no more;
	// Significant says whether that is small enough.
	Adjusted    float64
	Significant bool
}

// NameError is a rule for what is in neither profile.
type NameError struct {
	Rule *Rule
	Near []string
}

func (e *NameError) Error() string {
	text := fmt.Sprintf("diff: rule %q: %q is no function and no context of either profile", e.Rule.Text, e.Rule.subject)
	if e.Rule.context {
		text = fmt.Sprintf("diff: rule %q: %q is no context of either profile", e.Rule.Text, e.Rule.subject)
	}
	if len(e.Near) > 0 {
		text += "; there is " + quoted(e.Near)
	}
	return text
}

// UntoldError is a rule that the profiles cannot answer.
type UntoldError struct {
	Rule *Rule
	Row  *Row
	Why  string
}

func (e *UntoldError) Error() string {
	return fmt.Sprintf("diff: rule %q: %s: %s", e.Rule.Text, e.Row.Name, e.Why)
}

// Judge looks at rules together. A change violates its rule where it is beyond the
// amount and significant; anyhow: also where it is not, or not known to be. A rule
// that names nothing, or that nothing can answer, is an error.
func (d *Diff) Judge(rules []*Rule, anyhow bool) ([]Result, error) {
	var results []Result
	for _, r := range rules {
		of, err := d.subjects(r)
		if err != nil {
			return nil, err
		}
		some, err := d.apply(r, of, anyhow)
		if err != nil {
			return nil, err
		}
		results = append(results, some...)
	}
	together(results)
	for i := range results {
		x := &results[i]
		x.Violated = x.Rule.beyond(x.Change) && (anyhow || x.Significant)
	}
	return results, nil
}

// together adjusts P for what the rules look at.
func together(results []Result) {
	copies := map[*Change]*Change{}
	var all []*Change
	for _, x := range results {
		if copies[x.Change] == nil {
			c := *x.Change
			copies[x.Change] = &c
			all = append(all, &c)
		}
	}
	weigh(all)
	for i := range results {
		c := copies[results[i].Change]
		results[i].Adjusted, results[i].Significant = c.Adjusted, c.Significant
	}
}

// apply asks a rule of rows. Of several, those that cannot answer are left out as long
// as one can.
func (d *Diff) apply(r *Rule, rows []*Row, anyhow bool) (results []Result, err error) {
	var refused error
	for _, row := range rows {
		q := d.quantityOf(r, row)
		c := row.change(q)
		why := d.unanswered(q, row, c, anyhow)
		if why != "" {
			refused = &UntoldError{r, row, why}
			continue
		}
		results = append(results, Result{Rule: r, Row: row, Quantity: string(q), Change: c})
	}
	if len(results) == 0 {
		return nil, refused
	}
	return results, nil
}

// quantityOf is what a rule looks at where it does not say: the share, and of a traced function
// the time per call.
func (d *Diff) quantityOf(r *Rule, row *Row) quantity {
	switch {
	case r.quantity != "":
		return r.quantity
	case d.Traced && row.isFunction():
		return ofCall
	case d.flat():
		return ofSelf
	}
	return ofTotal
}

func (d *Diff) flat() bool { return d.Old.Taken.Flat() || d.New.Taken.Flat() }

func (r *Row) isFunction() bool { return r.Old >= 0 || r.New >= 0 }

// unanswered is why a change is not known; "" where it is.
func (d *Diff) unanswered(q quantity, row *Row, c *Change, anyhow bool) string {
	switch {
	case !d.Traced && (q == ofCall || q == ofCalls):
		return fmt.Sprintf("samples do not know %q, traced calls do", q)
	case d.flat() && q == ofTotal:
		return "samples without call stacks have no total; use self"
	case !row.isFunction() && (q == ofSelf || q == ofCall):
		return fmt.Sprintf("a context has no %q; use total", q)
	case !c.compared && !row.InOld:
		return "it has no call in OLD to compare with; use total"
	case !c.compared:
		return "it has no call in one of the runs that returned; use total"
	case !c.Known && !anyhow:
		return "its error is not known, so nothing tells whether the change is significant; --no-significance judges without"
	}
	return ""
}

// subjects are the rows that a rule means.
func (d *Diff) subjects(r *Rule) (rows []*Row, err error) {
	if !r.context {
		rows = named(d.Functions, r.subject)
	}
	if len(rows) == 0 && r.subject != "any" || r.context {
		rows = named(d.Contexts, r.subject)
	}
	if len(rows) == 0 {
		return nil, &NameError{r, d.near(r.subject)}
	}
	return rows, nil
}

func named(all []Row, subject string) (rows []*Row) {
	pattern := strings.ContainsAny(subject, "*?")
	for i := range all {
		if r := &all[i]; !pattern && r.called(subject) {
			rows = append(rows, r)
		}
	}
	if len(rows) > 0 {
		return rows
	}
	for i := range all {
		r := &all[i]
		switch {
		case subject == "any":
			if !r.Label || !r.isFunction() {
				rows = append(rows, r)
			}
		case wildcard(subject, r.Name), wildcard(subject, r.OldName): // operator* is a name, too
			rows = append(rows, r)
		}
	}
	return rows
}

// called tells whether a row has a name: its own, that in OLD, or either without the
// file that tells it apart.
func (r *Row) called(name string) bool {
	for _, own := range []string{r.Name, r.OldName} {
		if own == name || !r.Label && strings.HasPrefix(own, name+" (") {
			return true
		}
	}
	return false
}

// near are names that look like one that is not there.
func (d *Diff) near(name string) (near []string) {
	lower := strings.ToLower(strings.Trim(name, "*?"))
	for _, rows := range [][]Row{d.Functions, d.Contexts} {
		for i := range rows {
			own := strings.ToLower(rows[i].Name)
			if lower != "" && (strings.Contains(own, lower) || strings.Contains(lower, own)) && len(near) < 3 {
				near = append(near, rows[i].Name)
			}
		}
	}
	return near
}

// beyond tells whether a change is more than a rule allows.
func (r *Rule) beyond(c *Change) bool {
	v := c.Value
	if r.relative {
		v = c.Relative()
	}
	switch {
	case c.Value == 0:
		return false
	case r.equal && v == r.amount:
		return true
	case r.above:
		return v > r.amount
	}
	return v < r.amount
}
