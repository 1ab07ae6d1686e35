// Package report lists what a profile says beyond the flat table. In: a profile, and the program that it is of. Out: the
// call graph, tasks and interrupts, source and machine code with what fell to each line and instruction; as values, as
// text, markdown and JSON.
package report

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/symbol"
)

// Amount is how much of a profile falls to something.
type Amount struct {
	Samples int           // of traced calls: how many returned
	Time    time.Duration // that the samples stand for; of traced calls, time in functions themselves
	// Share is of all samples, with its standard error, which is no number where it is not known; of
	// traced calls it is of all traced time, and its error means nothing.
	Share  profile.Share
	Traced bool
}

// MarshalJSON writes the numbers of one kind. A standard error that is not known is null.
func (a Amount) MarshalJSON() ([]byte, error) {
	if a.Traced {
		return json.Marshal(struct {
			Ns    int64   `json:"ns"`
			Share float64 `json:"share"`
		}{a.Time.Nanoseconds(), a.Share.Value})
	}
	out := struct {
		Samples int      `json:"samples"`
		Seconds float64  `json:"seconds"`
		Share   float64  `json:"share"`
		Error   *float64 `json:"standard_error"`
	}{Samples: a.Samples, Seconds: a.Time.Seconds(), Share: a.Share.Value}
	if !math.IsNaN(a.Share.Error) {
		out.Error = &a.Share.Error
	}
	return json.Marshal(out)
}

// none tells whether nothing fell there.
func (a Amount) none() bool { return a.Samples == 0 && a.Time == 0 }

// Report is the views that were asked for.
type Report struct {
	Program  string        `json:"program"`
	BuildID  string        `json:"build_id,omitempty"`
	Kind     string        `json:"kind"` // "samples", or "calls" of a trace
	Graph    *Graph        `json:"graph,omitempty"`
	Contexts *ContextTable `json:"contexts,omitempty"`
	Sources  []Source      `json:"annotate,omitempty"`
	Code     []Listing     `json:"disasm,omitempty"`

	profile *profile.Profile
	program *symbol.Program
}

// New starts a report. program is nil where no ELF file is at hand: sources are those that the profile carries then, and
// there is no machine code.
func New(p *profile.Profile, program *symbol.Program) (*Report, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	r := &Report{Program: p.Mapping.Path, BuildID: fmt.Sprintf("%x", p.Mapping.BuildID), Kind: "samples", profile: p, program: program}
	if p.Trace != nil {
		r.Kind = "calls"
	}
	return r, nil
}

// amounts are those of n parts of the stacks, see profile.Parts. Of traced calls shares are of the time.
func amounts(p *profile.Profile, n int, in func(track int, at profile.StackIndex) []int32) []Amount {
	out := make([]Amount, n)
	var whole time.Duration
	if p.Trace != nil {
		for _, s := range p.ByStack() {
			whole += s.Weight
		}
	}
	for i, part := range p.Parts(n, in) {
		a := Amount{Samples: part.Samples, Time: part.Weight, Share: part.Share}
		if p.Trace != nil {
			a.Traced, a.Share = true, profile.Share{Error: math.NaN()}
			if whole > 0 {
				a.Share.Value = float64(part.Weight) / float64(whole)
			}
		}
		out[i] = a
	}
	return out
}

// NoFunctionError is a name that no function of a profile has.
type NoFunctionError struct{ Pattern string }

func (e *NoFunctionError) Error() string {
	return fmt.Sprintf("report: no function of the profile is named %q, and no name matches that", e.Pattern)
}

// match lists the functions of that name, or of that name without arguments, or whose names the pattern matches as a
// regular expression, by name. A name with brackets or asterisks, as in C++, is a name where a function has it. Labels
// such as <cut: stack memory not captured> are left out where the pattern matches functions, too: "ack" is in that one.
func match(p *profile.Profile, pattern string) (found []profile.FunctionIndex, err error) {
	pick := func(fits func(name string) bool) {
		for i := range p.Functions {
			if fits(p.Functions[i].Name) {
				found = append(found, profile.FunctionIndex(i))
			}
		}
	}
	if pick(func(name string) bool { return name == pattern }); len(found) > 0 {
		return found, nil
	}
	if pick(func(name string) bool {
		return strings.HasPrefix(name, pattern+" (") || strings.HasPrefix(name, pattern+"(")
	}); len(found) > 0 && pattern != "" {
		return found, nil // statics of several files, or C++
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("report: %q is neither the name of a function nor a regular expression: %w", pattern, err)
	}
	found = nil
	if pick(re.MatchString); len(found) == 0 {
		return nil, &NoFunctionError{pattern}
	}
	isLabel := func(f profile.FunctionIndex) bool { return p.Functions[f].Label }
	if pattern != "" && slices.ContainsFunc(found, func(f profile.FunctionIndex) bool { return !isLabel(f) }) {
		found = slices.DeleteFunc(found, isLabel)
	}
	slices.SortFunc(found, func(a, b profile.FunctionIndex) int {
		return strings.Compare(p.Functions[a].Name, p.Functions[b].Name)
	})
	return found, nil
}
