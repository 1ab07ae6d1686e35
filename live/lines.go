package live

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/mprof/mprof/profile"
)

const (
	usualLines, mostLines     = 20, 1000
	usualContext, mostContext = 3, 50
)

// place is a line of a function.
type place struct {
	function int32
	file     string
	line     int
}

// Lines lists the lines of source in which most samples were; of a trace those where functions
// begin, with their calls (Self) and the share of the time that they took themselves.
func (m *Model) Lines(l Lines) []Line {
	lines := m.hottest(l)
	context := l.Context
	if context <= 0 {
		context = usualContext
	}
	for i := range lines {
		lines[i].First, lines[i].Source = m.files.around(lines[i].File, lines[i].Line, min(context, mostContext))
	}
	return lines
}

// hottest adds frames up by their lines.
func (m *Model) hottest(l Lines) []Line {
	most := l.Most
	if most <= 0 {
		most = usualLines
	}
	m.reading.Lock()
	defer m.reading.Unlock()
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.current()
	if r.kind == Calls {
		return r.hottestCalls(l.Function, min(most, mostLines))
	}
	sums, n := map[place]uint64{}, uint64(0)
	for i, self := range r.selfs {
		n += self
		f := &r.lines[i]
		if self > 0 && f.Line > 0 && (l.Function < 0 || int(f.Function) == l.Function) {
			sums[place{int32(f.Function), f.File, f.Line}] += self
		}
	}
	lines := make([]Line, 0, len(sums))
	for at, self := range sums {
		share := profile.Proportion(self, n)
		lines = append(lines, Line{File: at.file, Line: at.line, Name: r.functions.name[at.function], Self: self, Share: share.Value,
			Error: share.Error * r.table.inflation(int(at.function), n), Source: []string{}})
	}
	return top(lines, min(most, mostLines))
}

// inflation is how much larger the standard error of a function's own share is than that of independent
// samples: those of its lines are taken for as much larger.
func (t *table) inflation(function int, n uint64) float64 {
	if function >= len(t.rows) {
		return 1
	}
	row := &t.rows[function]
	if independent := profile.Proportion(row.Self, n).Error; independent > 0 {
		return max(1, row.SelfError/independent)
	}
	return 1
}

// hottestCalls lists the first lines of functions.
func (r *run) hottestCalls(function, most int) []Line {
	lines := []Line{}
	whole := 0.0
	for _, row := range r.table.rows {
		whole += row.SelfTime
	}
	for f, row := range r.table.rows {
		at := &r.functions.rows[f]
		if row.Calls > 0 && at.Line > 0 && whole > 0 && (function < 0 || f == function) {
			lines = append(lines, Line{File: at.File, Line: at.Line, Name: r.functions.name[f], Self: row.Calls, Share: row.SelfTime / whole, Source: []string{}})
		}
	}
	return top(lines, most)
}

func top(lines []Line, most int) []Line {
	slices.SortFunc(lines, func(a, b Line) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Name, b.Name))
	})
	return lines[:min(most, len(lines))]
}

// Names tells whether a source file is one that debug information names of a function that was
// met.
func (m *Model) Names(file string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.current()
	return slices.ContainsFunc(r.functions.rows, func(f profile.Function) bool { return f.File == file }) ||
		slices.ContainsFunc(r.lines, func(f profile.Frame) bool { return f.File == file })
}

// files keeps the sources that were shown.
type files struct {
	mu    sync.Mutex
	read  func(file string) (string, bool)
	lines map[string][]string
	bytes int
}

const mostSource = 32 << 20 // bytes

func (f *files) reset(read func(file string) (string, bool)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.read, f.lines, f.bytes = read, map[string][]string{}, 0
}

// around is a line of a file with those around it, and the number of the first.
func (f *files) around(file string, line, context int) (first int, source []string) {
	all := f.of(file)
	if line < 1 || line > len(all) {
		return 0, []string{}
	}
	first = max(1, line-context)
	return first, slices.Clone(all[first-1 : min(len(all), line+context)])
}

func (f *files) of(file string) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if lines, ok := f.lines[file]; ok || f.read == nil {
		return lines
	}
	text, ok := f.read(file)
	if f.bytes += len(text); f.bytes > mostSource {
		f.lines, f.bytes = map[string][]string{}, len(text)
	}
	var lines []string
	if ok {
		lines = strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	}
	f.lines[file] = lines
	return lines
}
