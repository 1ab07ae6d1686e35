package report

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/mprof/mprof/export"
	"github.com/mprof/mprof/profile"
)

// Format is how a report is written.
type Format string

// The formats.
const (
	Text     Format = "text"
	JSON     Format = "json"
	Markdown Format = "markdown"
)

// Formats are all of them.
var Formats = []Format{Text, JSON, Markdown}

// Write writes the views that were added.
func (r *Report) Write(w io.Writer, f Format) error {
	if f == JSON {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(r)
	}
	d := document{w: w, markdown: f == Markdown}
	for _, s := range r.sections() {
		d.section(s)
	}
	return d.err
}

// section is a view, or a part of one.
type section struct {
	title string
	lines []string // sentences below it
	table *table
	notes []string // below the table
	code  bool     // the last column is text of a program
}

// sections are all views in the order of the command's flags.
func (r *Report) sections() (all []section) {
	if r.Graph != nil {
		all = append(all, r.graphSection())
	}
	if r.Contexts != nil {
		all = append(all, r.contextSections()...)
	}
	for i := range r.Sources {
		all = append(all, r.sourceSection(&r.Sources[i]))
	}
	for i := range r.Code {
		all = append(all, r.codeSection(&r.Code[i]))
	}
	return all
}

// document writes sections one below the other.
type document struct {
	w        io.Writer
	markdown bool
	started  bool
	err      error
}

func (d *document) printf(format string, args ...any) {
	if d.err == nil {
		_, d.err = fmt.Fprintf(d.w, format, args...)
	}
}

func (d *document) section(s section) {
	if d.started {
		d.printf("\n")
	}
	d.started = true
	write := s.table.text
	title, line, note := "%s\n", "  %s\n", "  %s\n"
	if d.markdown {
		write, title, line, note = s.table.markdown, "## %s\n\n", "%s\n\n", "%s\n\n"
	}
	say := func(format, text string) {
		text = export.Printable(text)
		if d.markdown {
			text = markdownText(text)
		}
		d.printf(format, text)
	}
	say(title, s.title)
	for _, l := range s.lines {
		say(line, l)
	}
	if !d.markdown {
		d.printf("\n")
	}
	if s.code && !d.markdown {
		for _, row := range s.table.rows {
			if n := len(row); n > 0 {
				row[n-1] = strings.TrimPrefix(row[n-1], codeCell)
			}
		}
	}
	if len(s.table.rows) == 0 {
		say(line, "nothing: the profile has no samples and no calls")
		return
	}
	if d.err == nil {
		d.err = write(d.w)
	}
	for _, n := range s.notes {
		say(note, n)
	}
}

// errorNote says what ± is.
func (r *Report) errorNote() []string {
	switch {
	case r.profile.Trace != nil:
		return []string{"shares are of the time in traced calls, which is measured and not sampled"}
	case r.profile.InBlocks() && r.profile.Sums != nil:
		return []string{"± is the standard error of a share, which the file has for functions only (the recording has it for all)"}
	case r.profile.InBlocks():
		return []string{"± is the standard error of a share, from how the parts of the run differ (PCs read in a row are not independent), in percent points"}
	}
	return []string{"± is the standard error of a share of all samples, sqrt(p(1-p)/n), in percent points"}
}

// definition is where a function stands, behind its name.
func definition(file string, line int) string {
	if file == "" {
		return ""
	}
	return "  " + export.Place(file, line)
}

// WriteFlat writes the flat profile as markdown: how it was taken, and the functions in an order ("": that of profile.Top, of a
// trace that of Trace.Functions); so many at most (0: all).
func WriteFlat(w io.Writer, p *profile.Profile, by export.Order, most int) error {
	if err := p.Check(); err != nil {
		return err
	}
	d := document{w: w, markdown: true}
	d.printf("# %s\n\n", markdownText(export.Program(p)))
	for _, g := range export.Facts(p) {
		d.printf("**%s**\n\n", markdownText(g.Title))
		for _, f := range g.Facts {
			d.printf("- %s: %s\n", markdownText(f.Label), markdownText(f.Text))
		}
		d.printf("\n")
	}
	d.started = false
	d.section(flatSection(p, by, most))
	return d.err
}
