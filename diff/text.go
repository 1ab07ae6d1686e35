package diff

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/fatih/color"

	"github.com/mprof/mprof/export"
	"github.com/mprof/mprof/profile"
)

// Layout say how a comparison is printed.
type Layout struct {
	Colour    bool
	Functions int      // how many that are not significant are listed; below 0: all
	Old, New  string   // files, as the user named them
	Results   []Result // of rules
	Quiet     bool     // nothing but these
	Next      []string // commands to type
}

// quantities are the columns of a comparison.
func (d *Diff) quantities() []quantity {
	switch {
	case d.Traced:
		return []quantity{ofCall, ofCalls, ofTotal}
	case d.flat():
		return []quantity{ofSelf}
	}
	return []quantity{ofSelf, ofTotal}
}

type text struct {
	d                               *Diff
	o                               Layout
	out                             strings.Builder
	strong, faint, more, less, warn func(string) string
}

// Text prints the comparison for people: what is significant first.
func (d *Diff) Text(w io.Writer, o Layout) error {
	style := func(a ...color.Attribute) func(string) string {
		c := color.New(a...)
		c.DisableColor()
		if o.Colour {
			c.EnableColor()
		}
		return func(s string) string { return c.Sprint(s) }
	}
	t := &text{d: d, o: o, strong: style(color.Bold), faint: style(color.Faint), more: style(color.FgRed), less: style(color.FgGreen), warn: style(color.FgYellow)}
	if !o.Quiet {
		t.head()
		t.table("contexts", d.Contexts, []quantity{ofTotal}, len(d.Contexts))
		t.table("functions", d.Functions, d.quantities(), o.Functions)
		t.legend()
		for _, r := range d.Remarks {
			fmt.Fprintf(&t.out, "%s %s\n", t.warn("note:"), export.Printable(r))
		}
	}
	t.rules()
	if len(o.Next) > 0 && !o.Quiet {
		fmt.Fprintf(&t.out, "\nNext:\n")
		for _, command := range o.Next {
			fmt.Fprintf(&t.out, "  %s\n", t.strong(command))
		}
	}
	_, err := io.WriteString(w, t.out.String())
	return err
}

func (t *text) head() {
	for i, p := range []*profile.Profile{t.d.Old, t.d.New} {
		fmt.Fprintf(&t.out, "%s  %s: %s\n", t.strong([...]string{"old", "new"}[i]), [...]string{t.o.Old, t.o.New}[i], ofProfile(p))
	}
	n := 0
	for i := range t.d.Functions {
		if t.d.Functions[i].Significant() {
			n++
		}
	}
	verdict := "no function has changed significantly"
	if n == 1 {
		verdict = "1 function has changed significantly"
	} else if n > 1 {
		verdict = fmt.Sprintf("%d functions have changed significantly", n)
	}
	tested := fmt.Sprintf("%d numbers tested", t.d.Tests)
	if few := t.known() - t.d.Tests; few > 0 {
		tested += fmt.Sprintf("; %d more have too few samples to tell", few)
	}
	fmt.Fprintf(&t.out, "%s (%s)\n", t.strong(verdict), tested)
}

// known counts the changes whose errors are known.
func (t *text) known() (n int) {
	for _, rows := range [][]Row{t.d.Functions, t.d.Contexts} {
		for i := range rows {
			for _, c := range rows[i].changes() {
				if c.Known {
					n++
				}
			}
		}
	}
	return n
}

// counted is a number of things.
func counted[N int | uint64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// ofProfile says what a run was.
func ofProfile(p *profile.Profile) string {
	var parts []string
	if p.Trace != nil {
		parts = append(parts, counted(p.Trace.Calls, "call"))
	} else {
		parts = append(parts, counted(p.Samples(), "sample"))
		if idle := p.IdleShare(); p.Taken.Sleeping > 0 {
			parts = append(parts, fmt.Sprintf("%s asleep", ofTotal.value(idle.Value)))
		}
	}
	if p.Duration > 0 {
		parts = append(parts, export.Length(p.Duration))
	}
	if p.Trace == nil {
		parts = append(parts, method(&p.Taken))
	}
	if p.Mapping.Name != "" {
		name := p.Mapping.Name
		if id := p.Mapping.BuildID; len(id) > 3 {
			name += fmt.Sprintf(" (build %x)", id[:4])
		}
		parts = append(parts, name)
	}
	return strings.Join(parts, ", ")
}

// table prints rows: all that are significant, and so many others.
func (t *text) table(title string, rows []Row, columns []quantity, others int) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(&t.out, "\n")
	w := tabwriter.NewWriter(&t.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, q := range columns {
		fmt.Fprintf(w, "%s\tnew\tchange\t%.0f %%\t\t", q.heading(), Level*100)
	}
	fmt.Fprintf(w, "  %s\n", title)
	left := 0
	for i := range rows {
		r := &rows[i]
		if !r.Significant() {
			if others == 0 {
				left++
				continue
			}
			others--
		}
		for _, q := range columns {
			for _, cell := range q.cells(r.change(q)) {
				fmt.Fprintf(w, "%s\t", cell)
			}
		}
		fmt.Fprintf(w, "  %s\n", t.describe(r))
	}
	_ = w.Flush()
	if left > 0 {
		fmt.Fprintf(&t.out, "  and %d more, not significant (--top 0 lists all)\n", left)
	}
}

func (q quantity) heading() string {
	switch q {
	case ofCall:
		return "per call: old"
	case ofCalls:
		return "calls: old"
	}
	return string(q) + ": old"
}

// cells are the columns of a change: old, new, change, interval, and a star where it is
// significant.
func (q quantity) cells(c *Change) []string {
	if !c.compared {
		return []string{q.value(c.Old.Value), q.value(c.New.Value), "", "", ""}
	}
	star := ""
	if c.Significant {
		star = "*"
	}
	return []string{q.value(c.Old.Value), q.value(c.New.Value), q.delta(c.Value), q.interval(c), star}
}

// maxName bounds the width of a function's name, in runes.
const maxName = 72

// describe names a row, and says what else became of it.
func (t *text) describe(r *Row) string {
	name := export.Printable(r.Name)
	if utf8.RuneCountInString(name) > maxName {
		name = string([]rune(name)[:maxName-1]) + "…"
	}
	switch {
	case !r.Significant():
	case r.growth() > 0:
		name = t.more(name)
	case r.growth() < 0:
		name = t.less(name)
	}
	if r.File != "" {
		name += "  " + t.faint(export.Place(r.File, r.Line))
	}
	for _, what := range r.fate() {
		name += "  " + t.warn(export.Printable(what))
	}
	return name
}

func (t *text) legend() {
	lines := []string{fmt.Sprintf("*: significant: where nothing has changed, nothing at all has a star in %.0f of 100 comparisons (Holm)", Level*100)}
	shares := "shares are of all samples, so what grows makes others shrink"
	switch {
	case t.d.Traced:
		shares = "shares are of the time observed; times per call without interrupts and other contexts"
	case t.d.Options.Awake:
		shares = "shares are of the samples of a core that was awake, so what grows makes others shrink"
	}
	lines = append(lines, fmt.Sprintf("pp: percent points; %s; %.0f %%: where the true change is with that probability, each by itself", shares, Level*100))
	if c := t.d.Options.Context; c != "" {
		lines = append(lines, "functions: in "+c+" alone")
	}
	for _, l := range lines {
		fmt.Fprintf(&t.out, "  %s\n", t.faint(l))
	}
}
