package fit

import (
	"cmp"
	"errors"
	"slices"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/snapshot"
)

// count attributes the samples to the units. What is inlined counts for the
// function whose code it is in: that is what moves.
func (a *analysis) count() error {
	c := &a.report.Counts
	c.Traced = a.profile.Trace != nil
	a.samples = map[uint32]int64{}
	for _, t := range a.profile.Threads {
		for _, s := range t.Samples {
			n := int64(s.Count)
			if c.Traced {
				n = int64(s.Weight)
			}
			frame := &a.profile.Frames[a.profile.Stacks[s.Stack].Frame]
			if a.asleep(&s) {
				c.Asleep += n
				continue
			}
			c.Total += n
			if i := a.unitOf(s.Stack); i >= 0 {
				a.report.Units[i].Samples += n
				if frame.Addr != 0 {
					a.samples[frame.Addr&^1] += n
				}
			} else {
				c.Elsewhere += n
			}
		}
	}
	if c.Total == 0 {
		return errors.New("fit: the profile has no samples of a core awake")
	}
	if c.Elsewhere == c.Total {
		return errors.New("fit: no sample of the profile lies in a function of the ELF file: is it the file that was sampled?")
	}
	slices.SortStableFunc(a.report.Units, func(x, y Unit) int {
		return cmp.Or(cmp.Compare(y.Samples, x.Samples), cmp.Compare(x.Parts[0].Low, y.Parts[0].Low))
	})
	a.index()
	a.units = make([]int, len(a.profile.Stacks))
	for stack := range a.units {
		a.units[stack] = a.unitOf(profile.StackIndex(stack))
	}
	for i := range a.report.Units {
		u := &a.report.Units[i]
		a.nameByMost(u)
		switch u.State {
		case InRAM:
			c.Resident += u.Samples
		case Startup, Unnamed:
			c.Immovable += u.Samples
		}
	}
	return nil
}

// asleep tells whether a sample is of a core in WFI or WFE.
func (a *analysis) asleep(s *profile.Sample) bool {
	return s.State&snapshot.Sleeping != 0 || a.profile.Frames[a.profile.Stacks[s.Stack].Frame].Category == profile.Idle
}

// unitOf is the unit whose code a stack ends in: by the address, or, where the
// profile has none, by the name of the innermost function that has code.
func (a *analysis) unitOf(stack profile.StackIndex) int {
	for _, frame := range a.profile.Callers(stack) {
		f := &a.profile.Functions[frame.Function]
		switch {
		case frame.Addr != 0:
			return a.at.at(frame.Addr &^ 1)
		case f.Label:
			return -1
		}
		for _, name := range []string{f.Linkage, f.Name} {
			if i, ok := a.byName[name]; ok && name != "" {
				return i
			}
		}
	}
	return -1
}

// nameByMost names a unit of several functions by the one with most samples.
func (a *analysis) nameByMost(u *Unit) {
	if len(u.Parts) < 2 || u.Samples == 0 {
		return
	}
	most := int64(0)
	for _, p := range u.Parts {
		n := int64(0)
		for addr, samples := range a.samples {
			if p.Contains(addr) {
				n += samples
			}
		}
		if n <= most {
			continue
		}
		most = n
		if f, ok := a.image.Function(p.Low); ok {
			u.Name, u.Linkage, u.File, u.Line = f.Name, baseName(p.Names[0]), f.File, f.Line
		}
	}
}
