package page

import (
	"strings"
	"sync"

	"github.com/mprof/mprof/live"
)

// sources keeps files in lines: the hottest lines are asked for again and again.
type sources struct {
	mu    sync.Mutex
	elf   string // that they belong to
	lines map[string][]string
}

const mostFiles = 64

// lines are the hottest lines with the source around them.
func (p *page) lines(l live.Lines) []live.Line {
	if l.Context == 0 {
		l.Context = 3
	}
	lines := p.model().Lines(l)
	if lines == nil {
		lines = []live.Line{}
	}
	for i := range lines {
		at := &lines[i]
		if at.Source == nil {
			at.First, at.Source = p.around(at.File, at.Line, l.Context)
		}
	}
	return lines
}

// around is a line of a file and those before and after it, with the number of the first one; nil where
// the file cannot be read, or has no such line.
func (p *page) around(file string, line, context int) (first int, text []string) {
	all := p.file(file)
	if line < 1 || line > len(all) {
		return 0, []string{}
	}
	from, to := max(line-context, 1), min(line+context, len(all))
	return from, all[from-1 : to]
}

func (p *page) file(name string) []string {
	elf := p.control.State().ELF
	p.sources.mu.Lock()
	defer p.sources.mu.Unlock()
	if p.sources.elf != elf || len(p.sources.lines) >= mostFiles || p.sources.lines == nil {
		p.sources.elf, p.sources.lines = elf, map[string][]string{}
	}
	lines, ok := p.sources.lines[name]
	if !ok {
		if text, found := p.control.Source(name); found {
			lines = strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		}
		p.sources.lines[name] = lines
	}
	return lines
}
