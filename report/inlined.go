package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mprof/mprof/profile"
)

// inlining says where the lines of a function and its instructions count differently: a sample in inlined code is
// one of the inlined function's lines, and of the instructions of what it is inlined into.
type inlining struct {
	guests map[profile.SymbolIndex]int // samples that ended in what is inlined into the function's code, by its symbol
	away   int                         // samples that ended in the function where it is inlined
	hosts  []string                    // into those, the most samples first
}

// inliningOf counts for a function. Of traced calls there is none: what is inlined is not called.
func inliningOf(p *profile.Profile, f profile.FunctionIndex) inlining {
	in := inlining{guests: map[profile.SymbolIndex]int{}}
	if p.Trace != nil {
		return in
	}
	hosts := map[string]int{}
	for _, s := range p.ByStack() {
		leaf := &p.Frames[p.Stacks[s.Stack].Frame]
		host := hostOf(p, s.Stack)
		switch {
		case leaf.Function == host.Function:
		case host.Function == f:
			in.guests[host.Symbol] += s.Samples
		case leaf.Function == f:
			in.away += s.Samples
			hosts[p.Functions[host.Function].Name] += s.Samples
		}
	}
	for name := range hosts {
		in.hosts = append(in.hosts, name)
	}
	slices.SortFunc(in.hosts, func(a, b string) int { return cmp.Or(cmp.Compare(hosts[b], hosts[a]), strings.Compare(a, b)) })
	return in
}

// hostOf is the frame whose code a stack ends in: without what is inlined there.
func hostOf(p *profile.Profile, at profile.StackIndex) *profile.Frame {
	var host *profile.Frame
	for _, f := range p.Callers(at) {
		if host = f; f.Depth == 0 {
			break
		}
	}
	return host
}

// ofLines is what a reader of a function's lines must know.
func (in inlining) ofLines(name string) string {
	var out []string
	guests := 0
	for _, n := range in.guests {
		guests += n
	}
	if guests > 0 {
		out = append(out, fmt.Sprintf("%s more ended in what is inlined into %s: they count for those functions here, and for %s in --disasm", samples(guests), name, name))
	}
	if in.away > 0 {
		out = append(out, fmt.Sprintf("%s of self ended where %s is inlined into %s: there --disasm has them", samples(in.away), name, some(in.hosts)))
	}
	return strings.Join(out, "; ")
}

// ofCode is what a reader of the instructions of one symbol must know.
func (in inlining) ofCode(name string, s profile.SymbolIndex) string {
	var out []string
	if n := in.guests[s]; n > 0 {
		out = append(out, fmt.Sprintf("%s of self ended in what is inlined here: --annotate and the table of functions count them for those functions", samples(n)))
	}
	if in.away > 0 {
		out = append(out, fmt.Sprintf("%s of %s itself are not here: they ended where it is inlined into %s", samples(in.away), name, some(in.hosts)))
	}
	return strings.Join(out, "; ")
}

// joined is two remarks, or the one that there is.
func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}

func samples(n int) string {
	if n == 1 {
		return "1 sample"
	}
	return fmt.Sprintf("%d samples", n)
}

// some lists a few names.
func some(names []string) string {
	const most = 3
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return strings.Join(names, ", ")
}
