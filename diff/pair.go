package diff

import (
	"github.com/mprof/mprof/export"
	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/snapshot"
)

// Pair is the comparison as package export writes it: without the samples that were left out
// because the core slept, and scaled such that shares compare.
func (d *Diff) Pair() export.Pair {
	old, new := d.Old, d.New
	if d.Options.Awake {
		old, new = awake(old), awake(new)
	}
	return export.Pair{Old: old, New: new, Same: d.pairs, OldWhole: d.wholes[0], NewWhole: d.wholes[1]}
}

// awake is a profile without samples of a core that slept.
func awake(p *profile.Profile) *profile.Profile {
	out := *p
	out.Threads = nil
	for _, t := range p.Threads {
		var kept []profile.Sample
		for i := range t.Samples {
			if t.Samples[i].State&snapshot.Sleeping == 0 {
				kept = append(kept, t.Samples[i])
			}
		}
		t.Samples = kept
		out.Threads = append(out.Threads, t)
	}
	return &out
}
