package diff

import (
	"slices"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/snapshot"
)

// Contexts of samples.
const (
	threadMode = "thread mode"
	asleep     = "asleep"
	unnamed    = "no interrupt named in the file" // of files one of which need not name them all
)

// contexts names the context of each sample.
type contexts struct {
	p       *profile.Profile
	unsaid  bool     // one of the two files does not say when the core slept, nor names every interrupt
	byStack []string // innermost exception, "": none
}

func contextsOf(p *profile.Profile, unsaid bool) contexts {
	c := contexts{p: p, unsaid: unsaid, byStack: make([]string, len(p.Stacks))}
	for i, s := range p.Stacks { // callers stand before callees
		if exc := p.Functions[p.Frames[s.Frame].Function].Exception(); exc != "" {
			c.byStack[i] = exc
		} else if s.Prefix != profile.None {
			c.byStack[i] = c.byStack[s.Prefix]
		}
	}
	return c
}

// name is sleep, or the interrupt that a sample found running; else, of several tracks, the
// track; else what the core did. Of a trace it is the track. They are those of mprof report --contexts, as far
// as both files say them.
func (c contexts) name(track string, s *profile.Sample) string {
	switch exc := c.byStack[s.Stack]; {
	case c.p.Trace != nil:
		return track
	case s.State&snapshot.Sleeping != 0 && len(c.p.Threads) == 1 && !c.unsaid:
		return asleep
	case exc != "":
		return exc
	case len(c.p.Threads) > 1:
		return track
	case c.unsaid || c.p.Taken.Unrecorded:
		return unnamed
	}
	return threadMode
}

func contextNames(sides ...*side) (names []string) {
	for _, s := range sides {
		for name := range s.byContext {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func checkContext(name string, was, is *side) error {
	if known := contextNames(was, is); name != "" && !slices.Contains(known, name) {
		return &ContextError{name, known}
	}
	return nil
}

// knowsSleep tells whether a profile says which samples found the core asleep.
func knowsSleep(p *profile.Profile) bool {
	if !p.Taken.Unrecorded {
		return true
	}
	for _, t := range p.Threads {
		for i := range t.Samples {
			if t.Samples[i].State&snapshot.Sleeping != 0 {
				return true
			}
		}
	}
	return false
}
