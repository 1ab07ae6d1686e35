package gproftest

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Arc is a row of the call graph: who called whom, by name.
type Arc struct{ Caller, Callee string }

// CallGraph runs gprof -q on a gmon.out, and returns how often each function called each other one, or itself.
func CallGraph(t testing.TB, elf, file string, flags ...string) map[Arc]uint64 {
	t.Helper()
	arcs, err := parseGraph(run(t, append(append([]string{"-b", "-q", "--no-demangle"}, flags...), elf, file)))
	if err != nil {
		t.Fatal(err)
	}
	return arcs
}

var (
	// called is the last number of a row, its name, and the number of its entry.
	called  = regexp.MustCompile(`(\d+)(?:/\d+)?\s+(\S+?)(?: <cycle \d+>)? \[\d+\]$`)
	primary = regexp.MustCompile(`^\[\d+\]`)
	title   = regexp.MustCompile(`(\S+)(?: <cycle \d+(?: as a whole)?>)? \[\d+\]$`)
)

// parseGraph reads the rows below the one of each function itself: what it calls.
func parseGraph(text string) (map[Arc]uint64, error) {
	arcs := map[Arc]uint64{}
	caller, inTable, whole := "", false, false
	for _, line := range strings.Split(text, "\n") {
		switch {
		case strings.HasPrefix(line, "index % time"):
			inTable = true
		case strings.HasPrefix(line, "Index by function name"):
			inTable = false
		case !inTable || strings.TrimSpace(line) == "":
		case strings.HasPrefix(line, "---"):
			caller = ""
		case primary.MatchString(line):
			m := title.FindStringSubmatch(line)
			if m == nil {
				return nil, fmt.Errorf("no function in %q", line)
			}
			caller, whole = m[1], strings.Contains(line, " as a whole>")
		case caller != "" && !whole: // below a cycle as a whole are its members
			m := called.FindStringSubmatch(line)
			if m == nil {
				return nil, fmt.Errorf("no call in %q", line)
			}
			n, err := strconv.ParseUint(m[1], 10, 64)
			if err != nil {
				return nil, err
			}
			arcs[Arc{caller, m[2]}] += n
		}
	}
	return arcs, nil
}
