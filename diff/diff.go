// Package diff compares two profiles of a program, before a change and after it. In: two
// profiles. Out: functions and contexts matched by name, the change of each share,
// time per call and rate of calls with its confidence interval, which of them are
// significant, rules that say which change is too much, and all that as text,
// markdown or JSON.
package diff

import (
	"errors"
	"fmt"

	"github.com/mprof/mprof/profile"
)

// Options say what is compared.
type Options struct {
	Awake   bool   // leave out samples of a core that slept: shares are of the time awake
	Context string // functions in this task or interrupt alone, "": in all; shares are of the whole run
}

// Level of confidence intervals, and 1 - Level the chance that anything at all is called
// significant where nothing has changed.
const Level = 0.95

// Diff is the comparison of two profiles.
type Diff struct {
	Old, New  *profile.Profile
	Traced    bool
	Options   Options
	Functions []Row // significant first, then by size
	Contexts  []Row // Total only, in the same order
	Remarks   []string
	Tests     int // hypotheses that significance allows for

	pairs  []profile.FunctionIndex // of OLD's functions, those of NEW
	wholes [2]float64              // what shares are of, in OLD and NEW
}

// Row is one function, or one context, in both runs.
type Row struct {
	Name           string // in NEW, or in OLD where NEW has it not
	OldName        string // where it differs
	File, OldFile  string // of the definition; OldFile where it has moved
	Line           int
	Label          bool // no function of the program
	InOld, InNew   bool // it occurs in samples or calls of that run
	Old, New       profile.FunctionIndex
	Self, Total    Change // share of samples; of traces, of the time observed
	Call, CallRate Change // of traces: ns per call, calls per second
}

// ErrKind is for profiles that cannot be compared.
var ErrKind = errors.New("samples and traced calls cannot be compared")

// SleepError is a file that does not say when the core slept, where sleep is to be left out.
type SleepError struct{ Side string } // OLD or NEW

func (e *SleepError) Error() string {
	return fmt.Sprintf("diff: %s does not say which samples found the core asleep, so they cannot be left out", e.Side)
}

// ContextError is a context that neither profile has.
type ContextError struct {
	Name  string
	Known []string
}

func (e *ContextError) Error() string {
	return fmt.Sprintf("diff: no context %q in either profile; there are %s", e.Name, quoted(e.Known))
}

// Compare compares two profiles, which it does not change.
func Compare(old, new *profile.Profile, o Options) (*Diff, error) {
	d := &Diff{Old: old, New: new, Traced: old.Trace != nil, Options: o}
	if err := d.check(); err != nil {
		return nil, fmt.Errorf("diff: %w", err)
	}
	unsaid := !d.Traced && (!knowsSleep(old) || !knowsSleep(new))
	var counted [2]*side
	for i, p := range []*profile.Profile{old, new} {
		s, err := tally(p, o, unsaid)
		if err != nil {
			return nil, fmt.Errorf("diff: %s: %w", sides[i], err)
		}
		counted[i], d.wholes[i] = s, s.whole.sum
	}
	was, is := counted[0], counted[1]
	if err := checkContext(o.Context, was, is); err != nil {
		return nil, err
	}
	d.functions(was, is)
	d.contexts(was, is)
	d.weigh()
	d.sort()
	d.Remarks = remarks(d)
	return d, nil
}

// check tests whether there is something to compare.
func (d *Diff) check() error {
	for i, p := range []*profile.Profile{d.Old, d.New} {
		if err := p.Check(); err != nil {
			return fmt.Errorf("%s: %w", sides[i], err)
		}
		if p.Trace == nil && p.Samples() == 0 {
			return fmt.Errorf("%s has no samples", sides[i])
		}
	}
	switch {
	case (d.Old.Trace == nil) != (d.New.Trace == nil):
		return fmt.Errorf("%w: OLD is of %s, NEW of %s", ErrKind, kind(d.Old), kind(d.New))
	case d.Options.Awake && d.Traced:
		return errors.New("traced calls do not say when the core slept: their shares are of the time observed")
	}
	for i, p := range []*profile.Profile{d.Old, d.New} {
		if d.Options.Awake && !knowsSleep(p) {
			return &SleepError{sides[i]}
		}
	}
	return nil
}

// sides are what the two profiles are called in sentences.
var sides = [...]string{"OLD", "NEW"}

func kind(p *profile.Profile) string {
	if p.Trace != nil {
		return "traced calls"
	}
	return "samples"
}

// functions makes a row for each function that occurs in either run.
func (d *Diff) functions(was, is *side) {
	d.pairs = match(d.Old, d.New)
	taken := make([]bool, len(d.New.Functions))
	for i := range d.Old.Functions {
		j := d.pairs[i]
		if j != profile.None {
			taken[j] = true
		}
		d.row(was, is, profile.FunctionIndex(i), j)
	}
	for j := range d.New.Functions {
		if !taken[j] {
			d.row(was, is, profile.None, profile.FunctionIndex(j))
		}
	}
}

func (d *Diff) row(was, is *side, i, j profile.FunctionIndex) {
	a, b := was.at(i), is.at(j)
	r := Row{Old: i, New: j, InOld: a.occurs, InNew: b.occurs}
	if !r.InOld && !r.InNew {
		return
	}
	if i != profile.None {
		r.describe(&d.Old.Functions[i])
	}
	if j != profile.None {
		before := r
		r.describe(&d.New.Functions[j])
		if before.Name != r.Name {
			r.OldName = before.Name
		}
		if !sameFile(before.File, r.File) {
			r.OldFile = before.File
		}
	}
	if !d.Traced {
		r.Self, r.Total = shareChange(was, is, &a.self, &b.self, a.known[0], b.known[0]), shareChange(was, is, &a.total, &b.total, a.known[1], b.known[1])
	} else {
		d.traced(&r, was, is, a, b)
	}
	d.Functions = append(d.Functions, r)
}

func (r *Row) describe(f *profile.Function) {
	r.Name, r.File, r.Line, r.Label = f.Name, f.File, f.Line, f.Label
}

// contexts makes a row for each task and interrupt.
func (d *Diff) contexts(was, is *side) {
	if d.flat() {
		return
	}
	for _, name := range contextNames(was, is) {
		a, b := was.context(name), is.context(name)
		r := Row{Name: name, Label: true, InOld: a.occurs, InNew: b.occurs, Old: profile.None, New: profile.None}
		if d.Traced {
			d.traced(&r, was, is, a, b)
			r.Self, r.Call = Change{}, Change{}
		} else {
			r.Total = shareChange(was, is, &a.total, &b.total, 0, 0)
		}
		d.Contexts = append(d.Contexts, r)
	}
}
