package export

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mprof/mprof/profile"
)

// foldedName keeps the separators of the format out of names: frames are
// separated by ";", the count follows the last blank, a line is a stack.
var foldedName = strings.NewReplacer(";", ":", "\n", " ", "\r", " ")

// WriteFolded writes one line per stack, root;...;leaf and the number of
// samples (of traced calls: nanoseconds in the leaf itself), as flamegraph.pl, inferno, speedscope and others read it. Lines are
// sorted; equal ones are added up.
func WriteFolded(w io.Writer, p *profile.Profile) error {
	if err := p.Check(); err != nil {
		return err
	}
	counts := map[string]int64{}
	var names []string
	for _, s := range p.ByStack() {
		names = names[:0]
		for _, f := range p.Callers(s.Stack) {
			names = append(names, foldedName.Replace(p.Functions[f.Function].Name))
		}
		slices.Reverse(names)
		n := int64(s.Samples)
		if p.Trace != nil {
			n = s.Weight.Nanoseconds()
		}
		if n > 0 {
			counts[strings.Join(names, ";")] += n
		}
	}
	lines := make([]string, 0, len(counts))
	for stack := range counts {
		lines = append(lines, stack)
	}
	slices.Sort(lines)
	b := bufio.NewWriter(w)
	for _, stack := range lines {
		fmt.Fprintf(b, "%s %d\n", stack, counts[stack])
	}
	return b.Flush()
}
