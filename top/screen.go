package top

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/mprof/mprof/live"
)

// styles draw what stands out; without colours by bold and faint.
type styles struct{ title, header, faint, warn func(string) string }

func sgr(codes string) func(string) string {
	return func(text string) string { return "\x1b[" + codes + "m" + text + "\x1b[m" }
}

// terminalStyles are those of ECMA-48, 8.3.117.
var terminalStyles = styles{title: sgr("1"), header: sgr("7"), faint: sgr("2"), warn: sgr("33")}

func same(text string) string { return text }

var plainStyles = styles{same, same, same, same}

// screen is what the user chose to see.
type screen struct {
	width, height int
	title         string
	kind          live.Kind // that the keys of the order are of
	sort          string
	reverse       bool
	filter        string
	typing        bool // the filter
	paused        bool
	help          bool
	context       string // its name; "" is everything
	scroll        int
}

// rows are the entries to show, in order.
func (v *screen) rows(s *seen, c part) []entry {
	all := s.entries(c)
	if v.filter != "" {
		kept := all[:0]
		for _, e := range all {
			if matches(&e, v.filter) {
				kept = append(kept, e)
			}
		}
		all = kept
	}
	sorted(all, s.kind, v.sort, v.reverse)
	return all
}

// matches tells whether a function or its file has the text in its name, whatever the case.
func matches(e *entry, text string) bool {
	text = strings.ToLower(text)
	return strings.Contains(strings.ToLower(e.name), text) || strings.Contains(strings.ToLower(e.file), text)
}

// chosen is the context that is shown: everything where the one that was chosen is not there.
func (v *screen) chosen(s *seen) part {
	all := s.contexts()
	for _, c := range all {
		if c.name == v.context {
			return c
		}
	}
	return all[0]
}

// columns are those of a context.
func (v *screen) columns(s *seen, c part) []column {
	if c.holds == nil {
		return columnsOf(s.kind)
	}
	return contextColumns(s.kind)
}

// draw is the whole screen: the title, how the run goes, the table, the keys.
func (v *screen) draw(s *seen) string {
	lines := v.head(s)
	foot := v.foot()
	if v.help {
		lines = append(lines, helpLines...)
	} else {
		lines = append(lines, v.table(s, v.height-len(lines)-1)...)
	}
	for len(lines) < v.height-1 {
		lines = append(lines, "")
	}
	lines = append(lines[:max(0, v.height-1)], foot)
	for i := range lines {
		lines[i] = ansi.Truncate(lines[i], v.width, "…")
	}
	return strings.Join(lines, "\n")
}

func (v *screen) head(s *seen) []string {
	style := terminalStyles
	lines := []string{style.title(v.title)}
	if v.paused {
		lines[0] += "   " + style.warn("paused")
	}
	facts := factTexts(s.facts(), style)
	if facts == nil {
		facts = []string{"connecting ..."}
	}
	facts = wrap(facts, v.width)
	lines = append(lines, facts[:min(len(facts), max(1, v.height/5))]...)
	if busy := s.busy(); busy != "" && v.height >= 12 {
		lines = append(lines, busy)
	}
	if v.height >= 16 {
		for _, text := range s.warnings() {
			lines = append(lines, style.warn(text))
		}
	}
	return append(lines, "")
}

// table is the header and as many rows as there is room for.
func (v *screen) table(s *seen, height int) []string {
	if s.kind == "" || height < 2 {
		return nil
	}
	c := v.chosen(s)
	rows := v.rows(s, c)
	room := height - 1
	v.scroll = max(0, min(v.scroll, len(rows)-room))
	shown := rows[v.scroll:min(len(rows), v.scroll+room)]
	t := layout(v.columns(s, c), shown, v.width)
	header := t.header(v.sort, v.reverse, plainStyles)
	if c.holds != nil {
		header += "  in " + c.name
	}
	lines := []string{terminalStyles.header(header + strings.Repeat(" ", max(0, v.width-ansi.StringWidth(header))))}
	for i := range shown {
		lines = append(lines, t.line(i, terminalStyles))
	}
	if len(shown) == 0 && v.filter != "" {
		lines = append(lines, fmt.Sprintf("no function or file has %q in its name", v.filter))
	}
	return lines
}

func (v *screen) foot() string {
	if v.typing {
		return "filter: " + v.filter + "▏"
	}
	text := "q quit  s sort  r reverse  / filter  tab context  space pause  ? help"
	if v.filter != "" {
		text = fmt.Sprintf("filter: %s (esc ends it)  ", v.filter) + text
	}
	return terminalStyles.faint(text)
}

var helpLines = []string{
	"s, →       sort by the next column",
	"S, ←       sort by the column before",
	"r          reverse the order",
	"/          show functions with this in their name, or in that of their file",
	"esc        show all again",
	"tab        the next task or interrupt; shift+tab the one before",
	"↓ ↑ j k    scroll by a line; pgdn pgup by a page; home to the top",
	"space, p   pause; the run goes on",
	"q, ctrl+c  end the run",
	"",
	"±  is the standard error of a share, in percent points.",
	"Shares in a context are of the whole run. Times of calls are without interrupts and other contexts.",
}
