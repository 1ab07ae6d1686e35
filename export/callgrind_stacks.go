package export

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mprof/mprof/profile"
)

// callgrindInput is a call graph that was read.
type callgrindInput struct {
	byName map[callgrindKey]*callgrindNode
	order  []*callgrindNode
	sum    sums
}

// callgrindKey is what makes a function.
type callgrindKey struct{ name, file string }

type callgrindNode struct {
	callgrindKey
	index   int
	at      []callgrindPiece
	pieces  map[callgrindPlace]int // where in at
	callers []callgrindCaller
	known   map[*callgrindNode]int // where in callers
}

// callgrindPiece is cost at one place.
type callgrindPiece struct {
	callgrindPlace
	callgrindCost
}

type callgrindCaller struct {
	*callgrindNode
	inside callgrindCost
}

func (g *callgrindInput) node(key callgrindKey) (*callgrindNode, error) {
	n := g.byName[key]
	if n == nil {
		if len(g.order) >= maxReadNames {
			return nil, fmt.Errorf("more than %d different functions", maxReadNames)
		}
		n = &callgrindNode{callgrindKey: key, index: len(g.order), pieces: map[callgrindPlace]int{}, known: map[*callgrindNode]int{}}
		g.byName[key] = n
		g.order = append(g.order, n)
	}
	return n, nil
}

// self adds cost of a function itself.
func (g *callgrindInput) self(n *callgrindNode, at callgrindPlace, v callgrindCost) error {
	if g.sum.add(v.samples, v.nanos); g.sum.err != nil {
		return g.sum.err
	}
	i, ok := n.pieces[at]
	if !ok {
		i = len(n.at)
		n.pieces[at] = i
		n.at = append(n.at, callgrindPiece{callgrindPlace: at})
	}
	n.at[i].callgrindCost = n.at[i].plus(v)
	return nil
}

// called adds calls by a function, which calls of itself are not: they share nothing out.
func (n *callgrindNode) called(by *callgrindNode, v callgrindCost) {
	if by == n {
		return
	}
	i, ok := n.known[by]
	if !ok {
		i = len(n.callers)
		n.known[by] = i
		n.callers = append(n.callers, callgrindCaller{callgrindNode: by})
	}
	n.callers[i].inside = n.callers[i].inside.plus(v)
}

// maxCallgrindSteps bounds the time that the search for callers takes, to about a second.
const maxCallgrindSteps = 50_000_000

// callgrindPaths are the ways that lead to a function.
type callgrindPaths struct {
	timed bool // shares are of time
	left  int  // how many more ways may be kept
	steps int  // how many more callers may be looked at
	cut   bool
	found []callgrindPath
	on    map[*callgrindNode]bool // the way that is being followed
}

// callgrindPath is callers, the nearest first, and their share of the function.
type callgrindPath struct {
	callers []*callgrindNode
	units   uint64
}

// climb follows the callers of the last function of a way.
func (c *callgrindPaths) climb(way []*callgrindNode, units uint64) {
	n := way[len(way)-1]
	var callers []callgrindCaller
	var shares []uint64
	c.steps -= len(n.callers)
	for _, caller := range n.callers {
		share := uint64(caller.inside.samples)
		if c.timed {
			share = uint64(caller.inside.nanos)
		}
		if share > 0 && !c.on[caller.callgrindNode] {
			callers, shares = append(callers, caller), append(shares, share)
		}
	}
	if c.left < len(callers) || c.steps < 0 || len(way) >= maxGmonDepth {
		c.cut = c.cut || len(callers) > 0
		callers = nil
	}
	if len(callers) == 0 {
		c.left--
		c.found = append(c.found, callgrindPath{slices.Clone(way[1:]), units})
		return
	}
	for i, part := range shareOut(units, shares) {
		caller := callers[i].callgrindNode
		switch {
		case part == 0:
		case caller.name == noCaller:
			c.left--
			c.found = append(c.found, callgrindPath{slices.Clone(way[1:]), part})
		default:
			c.on[caller] = true
			c.climb(append(way, caller), part)
			delete(c.on, caller)
		}
	}
}

// profile makes stacks. Where the numbers are time alone, each way is as much of it as its
// callers spent in the function; else that many samples. cut: there were more ways.
func (g *callgrindInput) profile(timed bool) (p *profile.Profile, cut bool, err error) {
	b := &callgrindBuilder{rows: profile.NewRows(), timed: timed}
	paths := callgrindPaths{timed: timed, left: maxGmonStacks, steps: maxCallgrindSteps}
	for _, n := range g.order {
		units := uint64(0)
		for _, piece := range n.at {
			units += piece.units(timed)
		}
		if units == 0 {
			continue
		}
		paths.found, paths.on = paths.found[:0], map[*callgrindNode]bool{n: true}
		paths.climb([]*callgrindNode{n}, units)
		b.add(n, paths.found)
		if err := checkTables(b.rows); err != nil {
			return nil, false, err
		}
	}
	p = b.rows.Finish()
	p.Threads = []profile.ThreadTrack{{Name: defaultTrack, Samples: b.samples}}
	p.Sums = &profile.Sums{}
	inOrder(p)
	return p, paths.cut, nil
}

func (p *callgrindPiece) units(timed bool) uint64 {
	if timed {
		return uint64(p.nanos)
	}
	return uint64(p.samples)
}

type callgrindBuilder struct {
	rows    *profile.Rows
	timed   bool
	samples []profile.Sample
}

// add shares the pieces of a function out to the ways that lead to it.
func (b *callgrindBuilder) add(n *callgrindNode, paths []callgrindPath) {
	at, left := 0, n.at[0].units(b.timed)
	taken := uint64(0) // of the piece
	for _, path := range paths {
		root, category := profile.StackIndex(profile.None), profile.Thread
		for _, caller := range slices.Backward(path.callers) {
			root, category = b.push(root, caller, callgrindPlace{file: caller.file}, category)
		}
		for path.units > 0 {
			if left == 0 {
				at++
				left, taken = n.at[at].units(b.timed), 0
				continue
			}
			part := min(path.units, left)
			piece := &n.at[at]
			stack, _ := b.push(root, n, piece.callgrindPlace, category)
			s := profile.Sample{Count: 1, Weight: time.Duration(part), Stack: stack}
			if !b.timed {
				all, nanos := int(piece.samples), time.Duration(piece.nanos)
				s.Count, s.Weight = int(part), perfPart(nanos, int(taken+part), all)-perfPart(nanos, int(taken), all)
			}
			taken += part
			b.samples = append(b.samples, s)
			path.units -= part
			left -= part
		}
	}
}

// push is a frame of a function on a stack.
func (b *callgrindBuilder) push(on profile.StackIndex, n *callgrindNode, at callgrindPlace, below profile.Category) (profile.StackIndex, profile.Category) {
	file := func(name string) string {
		if name == "???" {
			return ""
		}
		return name
	}
	f := profile.Function{Name: cmp.Or(n.name, "<no name>"), File: file(n.file)}
	f.Label = f.File == "" && isLabel(f.Name)
	category := follow(f, below)
	return b.rows.Stack(on, b.rows.Frame(profile.Frame{
		Function: b.rows.Function(f, 0), Symbol: profile.None, Addr: at.addr, File: file(at.file), Line: at.line, Category: category, Guessed: strings.HasSuffix(f.Name, guessedMark),
	})), category
}
