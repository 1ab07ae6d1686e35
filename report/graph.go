package report

import (
	"slices"

	"github.com/mprof/mprof/profile"
)

// Graph is the call graph: each function between those that call it and those that it calls, as gprof prints it. What
// gprof shares out by numbers of calls is measured here: an Edge has what the stacks with that call in them have.
type Graph struct {
	Traced bool   `json:"-"`
	Nodes  []Node `json:"nodes"` // by total, the largest first; a cycle as a whole before its members
}

// Node is a function, or a cycle as a whole.
type Node struct {
	Number  int    `json:"number"` // from 1 on
	Name    string `json:"name"`
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Cycle   int    `json:"cycle,omitempty"`   // of functions that call each other in a circle; 0: in none
	Members []int  `json:"members,omitempty"` // of a cycle as a whole: numbers of its functions
	Self    Amount `json:"self"`
	Total   Amount `json:"total"` // once per stack, however deep it recurses
	// Calls returned, of a trace; Recursive are those of them that the function made itself, or the functions of the cycle
	// among each other.
	Calls     uint64 `json:"calls,omitempty"`
	Recursive uint64 `json:"recursive_calls,omitempty"`
	Callers   []Edge `json:"callers"` // the largest last
	Callees   []Edge `json:"callees"` // the largest first

	function profile.FunctionIndex // of a cycle below None, see cycleIndex
}

// Edge is a caller or a callee. Its amounts are those of the callee where it was called by the caller: stacks in which
// the two stand one on the other, each counted once.
type Edge struct {
	Number int    `json:"number,omitempty"` // of the node; 0: none called it
	Name   string `json:"name"`
	Cycle  int    `json:"cycle,omitempty"`
	Self   Amount `json:"self"`
	Total  Amount `json:"total"`
	Calls  uint64 `json:"calls,omitempty"`    // of a trace: that returned
	Of     uint64 `json:"of_calls,omitempty"` // that the callee made in all, whoever called it
}

// Spontaneous is what gprof calls the caller of functions that no other one is known to call.
const Spontaneous = "<spontaneous>"

// AddGraph adds the call graph: of all functions, or with a pattern of those that it matches, and how many at most (0:
// all). Every function has its number in either case.
func (r *Report) AddGraph(pattern string, most int) error {
	b := newGraphBuilder(r.profile)
	nodes := b.nodes()
	if pattern != "" {
		found, err := match(r.profile, pattern)
		if err != nil {
			return err
		}
		nodes = slices.DeleteFunc(nodes, func(n Node) bool {
			return !slices.Contains(found, n.function)
		})
	}
	if most > 0 {
		nodes = nodes[:min(most, len(nodes))]
	}
	r.Graph = &Graph{Traced: r.profile.Trace != nil, Nodes: nodes}
	return nil
}

// call is one function on another. The caller is None at a root.
type call struct{ caller, callee profile.FunctionIndex }
