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

// Graph is a call graph.
type Graph struct {
	Arcs  map[Arc]uint64     // how often each function called each other one, or itself
	Times map[string]float64 // of each function that is in no cycle, with what gprof gives it of its callees', s
}

// CallGraph runs gprof -q on a gmon.out.
func CallGraph(t testing.TB, elf, file string, flags ...string) Graph {
	t.Helper()
	g, err := parseGraph(run(t, Command, append(append([]string{"-b", "-q", "--no-demangle"}, flags...), elf, file)))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

var (
	// called is the last number of a row, its name, and the number of its entry.
	called  = regexp.MustCompile(`(\d+)(?:/\d+)?\s+(\S+?)(?: <cycle \d+>)? \[\d+\]$`)
	primary = regexp.MustCompile(`^\[\d+\]`)
	title   = regexp.MustCompile(`(\S+)(?: <cycle \d+(?: as a whole)?>)? \[\d+\]$`)
)

// parseGraph reads the rows below the one of each function itself: what it calls.
func parseGraph(text string) (Graph, error) {
	g := Graph{Arcs: map[Arc]uint64{}, Times: map[string]float64{}}
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
				return g, fmt.Errorf("no function in %q", line)
			}
			caller, whole = m[1], strings.Contains(line, " as a whole>")
			if err := g.time(caller, line); err != nil {
				return g, err
			}
		case caller != "" && !whole: // below a cycle as a whole are its members
			m := called.FindStringSubmatch(line)
			if m == nil {
				return g, fmt.Errorf("no call in %q", line)
			}
			n, err := strconv.ParseUint(m[1], 10, 64)
			if err != nil {
				return g, err
			}
			g.Arcs[Arc{caller, m[2]}] += n
		}
	}
	return g, nil
}

// time reads [index], % time, self and children of a function's own row.
func (g *Graph) time(name, line string) error {
	fields := strings.Fields(line)
	if strings.Contains(line, "<cycle ") || len(fields) < 5 {
		return nil
	}
	self, err := strconv.ParseFloat(fields[2], 64)
	if err != nil {
		return fmt.Errorf("%w in %q", err, line)
	}
	children, err := strconv.ParseFloat(fields[3], 64)
	if err != nil {
		return fmt.Errorf("%w in %q", err, line)
	}
	g.Times[name] = self + children
	return nil
}
