package export

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/mprof/mprof/profile"
)

// WriteFoldedDiff writes one line per stack, root;...;leaf OLD NEW, as difffolded.pl does and
// flamegraph.pl reads: numbers of samples (of traced calls: nanoseconds), those of
// the old profile scaled to the same total.
func WriteFoldedDiff(w io.Writer, pair Pair) error {
	j, err := pair.join()
	if err != nil {
		return err
	}
	lines := map[string]*[2]int64{}
	for i, side := range [][]profile.ThreadTrack{j.Threads[:j.old], j.Threads[j.old:]} {
		for stack, n := range byStack(side, len(j.Stacks)) {
			size := n.count
			if j.Trace != nil {
				size = int64(n.time)
			}
			if size == 0 {
				continue
			}
			name := j.folded(profile.StackIndex(stack))
			if lines[name] == nil {
				lines[name] = &[2]int64{}
			}
			lines[name][i] += size
		}
	}
	b := bufio.NewWriter(w)
	old := scaled{by: pair.scale()}
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		n := lines[name]
		if was := old.next(n[0]); was != 0 || n[1] != 0 {
			fmt.Fprintf(b, "%s %d %d\n", name, was, n[1])
		}
	}
	return b.Flush()
}

// folded is a stack as a line has it.
func (j *joined) folded(stack profile.StackIndex) string {
	var names []string
	for _, f := range j.Callers(stack) {
		names = append(names, foldedName.Replace(j.Functions[f.Function].Name))
	}
	slices.Reverse(names)
	return strings.Join(names, ";")
}
