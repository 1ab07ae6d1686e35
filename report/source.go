package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mprof/mprof/profile"
)

// Source is the lines of a function in one file, with what fell to each.
type Source struct {
	Function string `json:"function"`
	File     string `json:"file"` // "" where it is not known
	Self     Amount `json:"self"` // of the function
	Total    Amount `json:"total"`
	// Lines are those from the function's first to its last, or without a text those alone that have something.
	Lines []Line `json:"lines"`
	// NoLine is what fell to code of the function whose line is not known.
	NoLine *Amount `json:"no_line,omitempty"`
	Remark string  `json:"remark,omitempty"` // why there is no text, or what the numbers cannot say
}

// Line is a line of source. Self is what ended in it, Total what ended in it or in something that it
// called, and in code that was inlined there.
type Line struct {
	Number int     `json:"line"`
	Text   *string `json:"text"` // null: no source at hand
	Self   Amount  `json:"self"`
	Total  Amount  `json:"total"`
}

// AddSource adds the annotated source of the functions that the pattern matches. Those without samples are
// left out where others have some.
func (r *Report) AddSource(pattern string) error {
	found, err := r.sampled(pattern)
	if err != nil {
		return err
	}
	for _, f := range found {
		r.Sources = append(r.Sources, r.source(f)...)
	}
	return nil
}

// sampled lists the functions of match that something fell to.
func (r *Report) sampled(pattern string) ([]profile.FunctionIndex, error) {
	found, err := match(r.profile, pattern)
	if err != nil {
		return nil, err
	}
	in := make([]bool, len(r.profile.Functions))
	for _, e := range r.profile.Top() {
		in[e.Function] = true
	}
	found = slices.DeleteFunc(found, func(f profile.FunctionIndex) bool { return !in[f] })
	if len(found) == 0 {
		return nil, &NoFunctionError{pattern}
	}
	return found, nil
}

// place is a line of a file.
type place struct {
	file string
	line int
}

// source lists the lines of a function, file by file, that of its definition first. What fell to lines that are not
// known is with the first.
func (r *Report) source(f profile.FunctionIndex) []Source {
	b := newLineBuilder(r.profile, f)
	fn := &r.profile.Functions[f]
	files := []string{}
	for _, at := range b.places {
		if at.line > 0 && !slices.Contains(files, at.file) {
			files = append(files, at.file)
		}
	}
	slices.SortStableFunc(files, func(x, y string) int {
		return cmp.Or(-compareBool(x == fn.File, y == fn.File), strings.Compare(x, y))
	})
	if len(files) == 0 {
		files = append(files, fn.File)
	}
	var out []Source
	for i, file := range files {
		s := Source{Function: fn.Name, File: file, Self: b.amounts[0], Total: b.amounts[1], Lines: []Line{}}
		if a := b.unknown(); i == 0 && !a.none() {
			s.NoLine = &a
		}
		r.addLines(&s, b, fn)
		if i == 0 {
			s.Remark = joined(s.Remark, inliningOf(r.profile, f).ofLines(fn.Name))
		}
		out = append(out, s)
	}
	return out
}

// addLines fills in the lines of a file.
func (r *Report) addLines(s *Source, b *lineBuilder, fn *profile.Function) {
	own := map[int]Line{}
	first, last := 0, 0
	widen := func(n int) {
		if n > 0 {
			first, last = min(cmp.Or(first, n), n), max(last, n)
		}
	}
	for i, at := range b.places {
		if at.file == s.File && at.line > 0 {
			own[at.line] = Line{Number: at.line, Self: b.amounts[2+2*i], Total: b.amounts[3+2*i]}
			widen(at.line)
		}
	}
	text, known := r.text(b, s.File)
	s.Remark = r.sourceRemark(s.File, known, len(own) > 0)
	if !known {
		for _, l := range own {
			s.Lines = append(s.Lines, l)
		}
		slices.SortFunc(s.Lines, func(x, y Line) int { return cmp.Compare(x.Number, y.Number) })
		return
	}
	if s.File == fn.File {
		widen(fn.Line)
	}
	for _, n := range r.codeLines(b, s.File) {
		widen(n)
	}
	lines := splitLines(text)
	for n := first; n > 0 && n <= last; n++ {
		l, ok := own[n]
		if !ok {
			l = Line{Number: n, Self: Amount{Traced: b.traced}, Total: Amount{Traced: b.traced}}
		}
		if n <= len(lines) {
			l.Text = &lines[n-1]
		} else if !ok {
			break
		}
		s.Lines = append(s.Lines, l)
	}
}

// splitLines cuts a text, whatever ends its lines.
func splitLines(text string) []string {
	return strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
}

// sourceRemark says what a reader of the numbers must know.
func (r *Report) sourceRemark(file string, text, lines bool) string {
	switch {
	case r.profile.Trace != nil && text:
		return "a trace knows when a function begins and returns, not its lines: everything is at its first one"
	case !lines:
		return "no line is known: is the program compiled with -g?"
	case !text:
		return fmt.Sprintf("%s is not at hand: the profile does not carry it, and it is not where the debug information says", cmp.Or(file, "the source"))
	}
	return ""
}

// text is a source file: of the profile, or where the program's debug information says.
func (r *Report) text(b *lineBuilder, file string) (string, bool) {
	if s, ok := r.profile.Sources[file]; ok {
		return s, true
	}
	if r.program == nil {
		return "", false
	}
	for _, addr := range b.addrs[file] {
		if s, ok := r.program.SourceAt(addr, file); ok {
			return s, true
		}
	}
	return "", false
}

// maxCode bounds the code of one function that is looked at, bytes.
const maxCode = 1 << 20

// codeLines are the lines of a file that the code of a function came from, by the program.
func (r *Report) codeLines(b *lineBuilder, file string) (lines []int) {
	if r.program == nil {
		return nil
	}
	name := r.profile.Functions[b.function].Name
	for _, s := range b.symbols {
		sym := r.profile.Symbols[s]
		for addr := sym.Low; addr < sym.High && addr-sym.Low < maxCode; addr += 2 {
			for _, l := range r.program.Lookup(addr) {
				if l.Name == name && l.CallFile == file {
					lines = append(lines, l.CallLine)
				}
			}
		}
	}
	return lines
}
