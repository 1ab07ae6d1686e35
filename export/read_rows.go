package export

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/snapshot"
)

// unrecorded makes p a profile of which only the samples are known.
func unrecorded(p *profile.Profile, remarks ...string) {
	old := p.Taken
	p.Taken = profile.Acquisition{
		Unrecorded: true, Measured: old.Measured, Asked: uint64(p.Samples()), Command: old.Command, Version: old.Version, Device: old.Device, Remarks: remarks,
	}
	for _, t := range p.Threads {
		for i := range t.Samples {
			if t.Samples[i].State&snapshot.Sleeping != 0 {
				p.Taken.Sleeping += uint64(t.Samples[i].Count)
			}
		}
	}
}

// isLabel tells labels from functions where a file does not: by the brackets that
// mprof puts around them, and around memory without a function.
func isLabel(name string) bool {
	within := func(open, closing string) bool {
		return strings.HasPrefix(name, open) && strings.HasSuffix(name, closing)
	}
	return within("<", ">") || within("[", "]") || strings.HasPrefix(name, "0x")
}

// follow is the category of a frame of that function above a frame of category below
// (towards the leaf is above), where a file does not say it.
func follow(f profile.Function, below profile.Category) profile.Category {
	switch {
	case f.Label && f.Exception() != "":
		return profile.Interrupt
	case f.Label:
		return profile.Unknown
	case below == profile.Interrupt:
		return profile.Interrupt
	}
	return profile.Thread
}

// sums adds up what must stay within 63 bits.
type sums struct {
	samples, weight int64
	err             error
}

func (s *sums) add(samples, weight int64) {
	switch {
	case s.err != nil:
	case samples < 0 || weight < 0:
		s.err = fmt.Errorf("a row counts %d samples and %d ns: a difference of two profiles is no profile", samples, weight)
	case s.samples > math.MaxInt64-samples || s.weight > math.MaxInt64-weight:
		s.err = errors.New("its samples add up to more than 63 bits hold")
	}
	s.samples += samples
	s.weight += weight
}

// inOrder puts the samples of each thread one after the other, each as wide as its
// weight: for a file that does not say when they were taken.
func inOrder(p *profile.Profile) {
	for _, t := range p.Threads {
		at := time.Duration(0)
		for i := range t.Samples {
			t.Samples[i].Time = at
			at += t.Samples[i].Weight
		}
		p.Duration = max(p.Duration, at)
	}
}

// byTime puts samples in the order of their times.
func byTime(samples []profile.Sample) []profile.Sample {
	slices.SortStableFunc(samples, func(a, b profile.Sample) int { return cmp.Compare(a.Time, b.Time) })
	return samples
}

// checkTables bounds what a file without tables of its own has made.
func checkTables(r *profile.Rows) error {
	if r.Functions() > maxReadNames {
		return fmt.Errorf("more than %d different functions", maxReadNames)
	}
	return checkRows(r.Stacks(), "different stacks")
}

// checkRows bounds a table.
func checkRows(n int, what string) error {
	if n > maxReadRows {
		return fmt.Errorf("more than %d %s", maxReadRows, what)
	}
	return nil
}

// note adds remarks that are not there yet.
func note(p *profile.Profile, remarks ...string) {
	for _, r := range remarks {
		if !slices.Contains(p.Taken.Remarks, r) {
			p.Taken.Remarks = append(p.Taken.Remarks, r)
		}
	}
}

// namedPaths makes stacks of functions that a file knows by their names.
type namedPaths struct {
	rows  *profile.Rows
	steps map[namedStep]namedPath
}

type namedStep struct {
	caller   profile.StackIndex
	function int // in the file's own way of counting
}

type namedPath struct {
	stack    profile.StackIndex
	category profile.Category
}

func newNamedPaths() namedPaths {
	return namedPaths{profile.NewRows(), map[namedStep]namedPath{}}
}

// noPath is what calls a root.
var noPath = namedPath{stack: profile.None, category: profile.Thread}

// step is a path that goes on with a function; f says what that is where the path is new.
func (n *namedPaths) step(caller namedPath, function int, f func() profile.Function) namedPath {
	key := namedStep{caller.stack, function}
	next, known := n.steps[key]
	if !known {
		of := f()
		if of.Name == "" {
			of.Name, of.Label = "<no name>", true
		}
		category := follow(of, caller.category)
		next = namedPath{n.rows.Stack(caller.stack, n.rows.Frame(profile.Frame{
			Function: n.rows.Function(of, 0), Symbol: profile.None, File: of.File, Line: of.Line, Category: category, Guessed: strings.HasSuffix(of.Name, guessedMark),
		})), category}
		n.steps[key] = next
	}
	return next
}
