package diff

import (
	"fmt"
	"strings"

	"github.com/mprof/mprof/profile"
)

func quoted(names []string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = fmt.Sprintf("%q", n)
	}
	return strings.Join(out, ", ")
}

// remarks are sentences on what in two runs differs beside the program, and what that
// makes of the numbers.
func remarks(d *Diff) (out []string) {
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	old, new := d.Old, d.New
	a, b := &old.Taken, &new.Taken
	switch {
	case sameBuild(old, new):
		say("both profiles are of one build")
	case len(old.Mapping.BuildID) == 0 || len(new.Mapping.BuildID) == 0:
		say("it is not known whether the two are of one build: a build id is missing")
	}
	if old.Mapping.RISCV != new.Mapping.RISCV {
		say("the profiles are of different processors")
	} else if a.Device != b.Device && a.Device != "" && b.Device != "" {
		say("the devices differ: %s, then %s", a.Device, b.Device)
	}
	if old.Mapping.HasLines != new.Mapping.HasLines || old.Mapping.HasFunction != new.Mapping.HasFunction {
		say("one program has debug information and the other does not, or less: without it, inlined functions count as part of what they were inlined into, and their changes are none of the program")
	}
	for i, p := range []*profile.Profile{old, new} {
		for _, text := range ofRun(p) {
			say("%s: %s", sides[i], text)
		}
	}
	if d.Traced {
		return out
	}
	if method(a) != method(b) {
		say("the methods differ, %s and %s: what one of them cannot see is no change of the program", method(a), method(b))
	}
	for i, p := range []*profile.Profile{old, new} {
		if other := []*profile.Profile{new, old}[i]; !knowsSleep(p) && other.Taken.Sleeping > 0 {
			say("%s: the file does not say when the core slept: contexts are compared without sleep", sides[i])
		}
	}
	if a.Flat() || b.Flat() {
		say("total: without call stacks it is that of what is inlined, no more; contexts are not known")
	}
	return out
}

func method(a *profile.Acquisition) string {
	switch {
	case a.Unrecorded:
		return "a method that the file does not say"
	case a.Method == "":
		return profile.MethodDWARF
	}
	return a.Method
}

// ofRun says what of one run limits the comparison.
func ofRun(p *profile.Profile) (out []string) {
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if p.Trace != nil {
		if n := p.Trace.LostCalls; n > 0 {
			say("%d calls or more were lost (of %d): they are missing in rates, and their time is in their callers", n, n+p.Trace.Calls)
		}
		if p.Sums != nil {
			say("the file has sums only: no error is known, and nothing can be significant; compare files for the Firefox Profiler (.json.gz) or recordings")
		} else if p.Trace.Kept < p.Trace.Calls {
			say("%d of %d calls are kept: intervals of times per call are by these (mprof trace --keep)", p.Trace.Kept, p.Trace.Calls)
		}
		return out
	}
	if p.Sums != nil && p.Sums.Errors == nil && p.Taken.Measured {
		say("the file has sums of measured times only: how much they vary from run to run is not known, and no change is called significant")
	} else if p.Sums != nil && p.Sums.Errors == nil {
		say("the file has sums only: intervals are those of independent samples, too narrow if neighbours are alike; files for the Firefox Profiler (.json.gz) and recordings say more")
	}
	if share := p.HaltedShare(); share > 0.02 {
		say("sampling took %.2g %% of the time from the core", 100*share)
	}
	if p.Taken.Resets > 0 {
		say("the target was reset %d times", p.Taken.Resets)
	}
	for _, away := range p.Taken.Away {
		if p.Duration > 0 && float64(away.Time) > 0.01*float64(p.Duration) {
			say("nothing is known of %.2g %% of the run: %s", 100*float64(away.Time)/float64(p.Duration), strings.ToLower(away.Name))
		}
	}
	return out
}
