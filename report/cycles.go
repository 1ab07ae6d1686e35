package report

import (
	"fmt"

	"github.com/mprof/mprof/profile"
)

// cycles finds functions that call each other in a circle: the strongly connected components of more than one function
// (R. Tarjan, Depth-first search and linear graph algorithms, 1972), numbered from 1 on in the order of their first
// function. counts tells which calls make circles: an interrupt is no call of what it interrupts.
func cycles(functions int, calls []call, counts func(call) bool) (of []int, n int) {
	t := tarjan{callees: make([][]profile.FunctionIndex, functions), index: make([]int, functions), low: make([]int, functions),
		waiting: make([]bool, functions), of: make([]int, functions)}
	for _, c := range calls {
		if c.caller != c.callee && counts(c) {
			t.callees[c.caller] = append(t.callees[c.caller], c.callee)
		}
	}
	for f := range functions {
		if t.index[f] == 0 {
			t.visit(profile.FunctionIndex(f))
		}
	}
	return renumber(t.of)
}

// renumber counts components in the order of their first members.
func renumber(of []int) ([]int, int) {
	known := map[int]int{}
	for f, c := range of {
		if c == 0 {
			continue
		}
		if known[c] == 0 {
			known[c] = len(known) + 1
		}
		of[f] = known[c]
	}
	return of, len(known)
}

// tarjan walks the graph without recursion: a file can hold a path of a million functions.
type tarjan struct {
	callees    [][]profile.FunctionIndex
	index, low []int // from 1 on; 0: not visited
	visited    int
	stack      []profile.FunctionIndex
	waiting    []bool // on the stack
	of         []int
	found      int
	path       []step
}

// step is a function on the path, and how many of its callees are done.
type step struct {
	function profile.FunctionIndex
	done     int
}

func (t *tarjan) visit(root profile.FunctionIndex) {
	t.enter(root)
	for len(t.path) > 0 {
		s := &t.path[len(t.path)-1]
		f := s.function
		if s.done < len(t.callees[f]) {
			callee := t.callees[f][s.done]
			s.done++
			switch {
			case t.index[callee] == 0:
				t.enter(callee)
			case t.waiting[callee]:
				t.low[f] = min(t.low[f], t.index[callee])
			}
			continue
		}
		t.path = t.path[:len(t.path)-1]
		if n := len(t.path); n > 0 {
			caller := t.path[n-1].function
			t.low[caller] = min(t.low[caller], t.low[f])
		}
		if t.low[f] == t.index[f] {
			t.leave(f)
		}
	}
}

func (t *tarjan) enter(f profile.FunctionIndex) {
	t.visited++
	t.index[f], t.low[f] = t.visited, t.visited
	t.stack, t.waiting[f] = append(t.stack, f), true
	t.path = append(t.path, step{function: f})
}

// leave takes the component of f off the stack.
func (t *tarjan) leave(f profile.FunctionIndex) {
	at := len(t.stack) - 1
	for t.stack[at] != f {
		at--
	}
	members := t.stack[at:]
	t.stack = t.stack[:at]
	if len(members) > 1 {
		t.found++
	}
	for _, m := range members {
		t.waiting[m] = false
		if len(members) > 1 {
			t.of[m] = t.found
		}
	}
}

// cycleName is how gprof names one.
func cycleName(n int) string { return fmt.Sprintf("<cycle %d>", n) }
