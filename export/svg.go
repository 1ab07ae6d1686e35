package export

import (
	"bufio"
	_ "embed" // the script
	"encoding/xml"
	"fmt"
	"hash/fnv"
	"io"
	"strconv"
	"strings"

	"github.com/mprof/mprof/profile"
)

// svgScript zooms and searches. Without it the picture can be read all the same.
//
//go:embed svg.js
var svgScript string

// Sizes of the picture in pixels. A frame that is narrower than svgNarrow is not drawn.
const (
	svgWidth  = 1200
	svgMargin = 10
	svgInside = svgWidth - 2*svgMargin
	svgHead   = 52
	svgRow    = 17
	svgLine   = 15 // of the facts
	svgLetter = 6.7
	svgNarrow = 0.02

	svgLetters = 176 // in a line of facts
)

// WriteSVG writes a flame graph as one picture: the root at the top, so that it is
// seen on opening however deep the stacks are, each function below its caller and as wide as what
// was counted in it and in what it called, with the numbers as its title. Data of a frame
// are attributes: data-n what it counts, data-self what of it is its own.
func WriteSVG(w io.Writer, p *profile.Profile) error {
	if err := p.Check(); err != nil {
		return err
	}
	tree := newCallTree(p)
	tree.prune(maxDrawn)
	s := svgPicture{p: p, all: tree.total, spread: spread(p), title: graphTitle(p), given: graphFacts(p), paint: colour}
	s.describe = s.describeNode
	return s.draw(w, tree)
}

// draw writes the picture of a tree.
func (s *svgPicture) draw(w io.Writer, tree *callNode) error {
	s.out = bufio.NewWriterSize(w, 1<<16)
	s.measure(tree)
	s.head()
	s.frame(tree, 0, 0)
	s.facts()
	fmt.Fprintf(s.out, "</svg>\n")
	return s.out.Flush()
}

type svgPicture struct {
	p      *profile.Profile
	out    *bufio.Writer
	all    int64
	spread float64
	title  string
	given  [][2]string // facts
	// paint is the colour of a frame, describe its title, which begins with the name.
	paint, describe func(n *callNode) string

	depth  int // rows
	narrow int // frames that are not drawn
	notes  []string
}

// width is that of so much, in pixels.
func (s *svgPicture) width(n int64) float64 {
	if s.all == 0 {
		return 0
	}
	return svgInside * float64(n) / float64(s.all)
}

// measure counts the rows, and what is too narrow for them.
func (s *svgPicture) measure(n *callNode) {
	type at struct {
		n     *callNode
		depth int
	}
	for pending := []at{{n, 1}}; len(pending) > 0; {
		last := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		s.depth = max(s.depth, last.depth)
		for _, c := range last.n.callees {
			if s.width(c.total) < svgNarrow {
				c.each(func(*callNode) { s.narrow++ })
			} else {
				pending = append(pending, at{c, last.depth + 1})
			}
		}
	}
	for _, f := range s.given {
		s.notes = append(s.notes, wrap(f[0]+": "+f[1], svgLetters)...)
	}
	if s.narrow > 0 {
		s.notes = append(s.notes, fmt.Sprintf("%s narrower than %v px: not drawn", counted(uint64(s.narrow), "frame"), svgNarrow))
	}
}

func (s *svgPicture) height() int { return svgHead + s.depth*svgRow + 24 + len(s.notes)*svgLine }

const svgStyle = `svg{background:#fff;color-scheme:light dark}text{font:11px ui-monospace,Menlo,Consolas,monospace;fill:#1b1b1f;pointer-events:none}
.title{font:600 15px system-ui,sans-serif}.fact{fill:#55555e}.control{fill:#2457a6;cursor:pointer;pointer-events:auto}.f{cursor:pointer}.f:hover rect{stroke:#1b1b1f;stroke-width:1}
.f rect{stroke:#fff;stroke-width:.4;rx:1px}.f.off{display:none}.f.above{opacity:.55}.f.found rect{fill:#e58bf0}
@media (prefers-color-scheme:dark){svg{background:#17181c}.title,.fact{fill:#c9cad2}.control{fill:#8fb8ff}.f rect{stroke:#17181c}.f:hover rect{stroke:#fff}}`

func (s *svgPicture) head() {
	title := s.title
	fmt.Fprintf(s.out, `<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img" aria-labelledby="title">
<title id="title">%s</title>
<style>%s</style>
<script><![CDATA[
%s]]></script>
<text class="title" x="%d" y="22">%s</text>
<text class="control" id="reset" x="%d" y="42" visibility="hidden">Reset zoom</text>
<text class="control" id="search" x="%d" y="42" text-anchor="end">Search (/)</text>
<text class="fact" id="matched" x="%d" y="42" text-anchor="middle"></text>
`, svgWidth, s.height(), svgWidth, s.height(), escapeXML(title), svgStyle, svgScript, svgMargin, escapeXML(title), svgMargin, svgWidth-svgMargin, svgWidth/2)
}

// frame draws a function and what it calls, which begins so far from the left.
func (s *svgPicture) frame(n *callNode, left int64, depth int) {
	x, y, width := svgMargin+s.width(left), svgHead+depth*svgRow, s.width(n.total)
	text := ""
	if room := int((width - 6) / svgLetter); room >= 3 {
		text = shorten(n.name, room)
	}
	fmt.Fprintf(s.out, `<g class="f" data-d="%d" data-n="%d" data-self="%d" data-x="%s" data-w="%s"><title>%s</title><rect x="%s" y="%d" width="%s" height="%d" fill="%s"/><text x="%s" y="%d">%s</text></g>
`, depth, n.total, n.self, decimal(s.width(left)/svgInside, 9), decimal(width/svgInside, 9), escapeXML(s.describe(n)),
		decimal(x, 4), y, decimal(width, 4), svgRow-1, s.paint(n), decimal(x+3, 2), y+12, escapeXML(text))
	for _, c := range n.callees {
		if s.width(c.total) >= svgNarrow {
			s.frame(c, left, depth+1)
		}
		left += c.total
	}
}

// describeNode is what describe is of one profile.
func (s *svgPicture) describeNode(n *callNode) string {
	text := n.name + "\n" + nodeText(s.p, n.total, s.all, s.spread)
	if n.self > 0 && len(n.callees) > 0 {
		text += "\nitself " + nodeText(s.p, n.self, s.all, s.spread)
	}
	if n.function >= 0 {
		if f := s.p.Functions[n.function]; f.File != "" {
			text += "\n" + f.File
			if f.Line > 0 {
				text += fmt.Sprintf(":%d", f.Line)
			}
		}
		if n.inlined {
			text += "\ninlined"
		}
	}
	return text
}

func (s *svgPicture) facts() {
	y := svgHead + s.depth*svgRow + 20
	for i, note := range s.notes {
		fmt.Fprintf(s.out, "<text class=\"fact\" x=\"%d\" y=\"%d\">%s</text>\n", svgMargin, y+i*svgLine, escapeXML(note))
	}
}

// colour of a frame: blue is thread mode, orange interrupts, pale idle time, grey what is not
// known. Functions of one category differ a little, each always in the same way.
func colour(n *callNode) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(n.name))
	a, b := float64(h.Sum32()&0xff)/255, float64(h.Sum32()>>8&0xff)/255
	switch n.category {
	case profile.Thread:
		return fmt.Sprintf("hsl(%.0f,%.0f%%,%.0f%%)", 200+28*a, 62+20*b, 74+9*b)
	case profile.Interrupt:
		return fmt.Sprintf("hsl(%.0f,%.0f%%,%.0f%%)", 22+18*a, 84+12*b, 70+8*b)
	case profile.Idle:
		return fmt.Sprintf("hsl(220,14%%,%.0f%%)", 89+3*b)
	}
	return fmt.Sprintf("hsl(260,6%%,%.0f%%)", 76+5*b)
}

// decimal prints a number without an exponent and without zeros at its end.
func decimal(v float64, digits int) string {
	text := strconv.FormatFloat(v, 'f', digits, 64)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// shorten cuts a name to so many letters.
func shorten(name string, most int) string {
	if runes := []rune(name); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return name
}

// wrap breaks a text into lines of so many letters, at blanks where there are some.
func wrap(text string, most int) (lines []string) {
	for runes := []rune(text); len(runes) > 0; {
		n := min(most, len(runes))
		if n < len(runes) {
			if at := strings.LastIndexByte(string(runes[:n]), ' '); at > 0 {
				n = len([]rune(string(runes[:n])[:at]))
			}
		}
		lines = append(lines, string(runes[:n]))
		runes = []rune(strings.TrimLeft(string(runes[n:]), " "))
	}
	return lines
}

func escapeXML(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text))
	return b.String()
}
