package export

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/mprof/mprof/profile"
)

// WriteSVGDiff writes the flame graph of the new profile, with the colour of each frame by how the
// share of the function itself, called that way, has changed: red is more, blue is less. What
// only the old profile has is listed below.
func WriteSVGDiff(w io.Writer, pair Pair) error {
	j, err := pair.join()
	if err != nil {
		return err
	}
	g := diffGraph{olds: map[*callNode]*callNode{}, oldAll: pair.OldWhole, newAll: pair.NewWhole}
	old, new := j.tree(j.Threads[:j.old]), j.tree(j.Threads[j.old:])
	new.prune(maxDrawn)
	g.pairUp(new, old)
	s := svgPicture{p: j.Profile, all: new.total, title: graphTitle(pair.New) + ", compared with " + graphTitle(pair.Old), paint: g.colour, describe: g.describe}
	s.given = append([][2]string{{"Width", "the new profile"}, {"Colour", fmt.Sprintf("red: the function itself has more of the whole, called that way; blue: less; full at %.2g percent points; what is chance is not left out: mprof diff says what is significant", 100*g.most)}}, g.gone()...)
	return s.draw(w, new)
}

// tree is the call tree of some of the threads.
func (j *joined) tree(threads []profile.ThreadTrack) *callNode {
	p := *j.Profile
	p.Threads = threads
	return newCallTree(&p)
}

// diffGraph knows of each node of the new tree the one of the old tree.
type diffGraph struct {
	olds           map[*callNode]*callNode
	oldAll, newAll float64
	most           float64 // the largest change of a node's own share
	left           []*callNode
}

// pairUp finds the old node of each new one, by the functions from the root on.
func (g *diffGraph) pairUp(new, old *callNode) {
	g.olds[new] = old
	g.most = max(g.most, math.Abs(g.own(new)))
	known := map[int]*callNode{}
	if old != nil {
		for _, c := range old.callees {
			known[c.function] = c
		}
	}
	for _, c := range new.callees {
		if c.function < 0 { // too small ones: what they were is not known
			continue
		}
		g.pairUp(c, known[c.function])
		delete(known, c.function)
	}
	for _, c := range known {
		g.left = append(g.left, c)
	}
}

// own is the change of the share of the node itself.
func (g *diffGraph) own(n *callNode) float64 {
	was := 0.
	if old := g.olds[n]; old != nil {
		was = float64(old.self) / g.oldAll
	}
	return float64(n.self)/g.newAll - was
}

// colour goes from white to red and to blue with the change.
func (g *diffGraph) colour(n *callNode) string {
	if _, known := g.olds[n]; !known || g.most == 0 {
		return "hsl(0,0%,88%)"
	}
	change := g.own(n) / g.most
	if math.Abs(change) < 0.005 {
		return "hsl(0,0%,94%)"
	}
	hue := 8
	if change < 0 {
		hue = 214
	}
	return fmt.Sprintf("hsl(%d,82%%,%.0f%%)", hue, 92-32*math.Pow(math.Abs(change), 0.7))
}

func (g *diffGraph) describe(n *callNode) string {
	old, known := g.olds[n]
	if !known {
		return n.name
	}
	if old == nil {
		old = &callNode{}
	}
	line := func(what string, was, is int64) string {
		before, now := float64(was)/g.oldAll, float64(is)/g.newAll
		return fmt.Sprintf("\n%s%s -> %s, %+.2f pp", what, percent(before), percent(now), 100*(now-before))
	}
	text := n.name + line("", old.total, n.total)
	if len(n.callees) > 0 {
		text += line("itself ", old.self, n.self)
	}
	return text
}

// gone are the largest of what only the old profile has.
func (g *diffGraph) gone() (facts [][2]string) {
	slices.SortFunc(g.left, func(a, b *callNode) int { return cmp.Or(cmp.Compare(b.total, a.total), cmp.Compare(a.name, b.name)) })
	const most = 10
	for i, n := range g.left {
		if i == most {
			facts = append(facts, [2]string{"Only in old", fmt.Sprintf("%d more ways of calls", len(g.left)-most)})
			break
		}
		facts = append(facts, [2]string{"Only in old", fmt.Sprintf("%s, called in a way that the new profile has not: %s", n.name, percent(float64(n.total)/g.oldAll))})
	}
	return facts
}
