package diff

import (
	"fmt"
	"io"
	"strings"

	"github.com/mprof/mprof/export"

	"github.com/mprof/mprof/profile"
)

// cellText keeps a name within its cell: of what Markdown gives a meaning, a bar would end it.
var cellText = cellReplacer{strings.NewReplacer("|", `\|`, "`", "'", "\n", " ", "\r", " ")}

type cellReplacer struct{ *strings.Replacer }

// Replace is that of the replacer, and leaves nothing that a terminal would obey.
func (r cellReplacer) Replace(s string) string { return export.Printable(r.Replacer.Replace(s)) }

// Markdown writes the comparison as tables, for the summary of a CI job or the comment on a
// change: what is significant, and as many others as are asked for.
func (d *Diff) Markdown(w io.Writer, o Layout) error {
	var out strings.Builder
	for i, p := range []*profile.Profile{d.Old, d.New} {
		fmt.Fprintf(&out, "%s: `%s`, %s  \n", [...]string{"Old", "New"}[i], cellText.Replace([...]string{o.Old, o.New}[i]), cellText.Replace(ofProfile(p)))
	}
	if len(o.Results) > 0 {
		out.WriteString("\n| | rule | found |\n|---|---|---|\n")
		for _, line := range o.lines() {
			verdict := "ok"
			if line.failed {
				verdict = "**failed**"
			}
			fmt.Fprintf(&out, "| %s | `%s` | %s |\n", verdict, cellText.Replace(line.rule), cellText.Replace(line.found))
		}
	}
	d.markdownTable(&out, "context", d.Contexts, []quantity{ofTotal}, len(d.Contexts))
	d.markdownTable(&out, "function", d.Functions, d.quantities(), o.Functions)
	fmt.Fprintf(&out, "\nBold: significant (Holm, %d tests, %.0f %%). pp: percent points.\n", d.Tests, 100*(1-Level))
	for _, r := range d.Remarks {
		fmt.Fprintf(&out, "\nNote: %s.\n", cellText.Replace(r))
	}
	_, err := io.WriteString(w, out.String())
	return err
}

func (d *Diff) markdownTable(out *strings.Builder, title string, rows []Row, columns []quantity, others int) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(out, "\n| %s |", title)
	for _, q := range columns {
		fmt.Fprintf(out, " %s | new | change | %.0f %% |", q.heading(), Level*100)
	}
	out.WriteString("\n|---|" + strings.Repeat("---:|", 4*len(columns)) + "\n")
	left := 0
	for i := range rows {
		r := &rows[i]
		if !r.Significant() {
			if others == 0 {
				left++
				continue
			}
			others--
		}
		name := "`" + cellText.Replace(r.Name) + "`"
		if fate := r.fate(); len(fate) > 0 {
			name += " " + cellText.Replace(strings.Join(fate, ", "))
		}
		fmt.Fprintf(out, "| %s |", name)
		for _, q := range columns {
			cells := q.cells(r.change(q))
			if cells[4] != "" {
				cells[2] = "**" + cells[2] + "**"
			}
			fmt.Fprintf(out, " %s |", strings.Join(cells[:4], " | "))
		}
		out.WriteString("\n")
	}
	if left > 0 {
		fmt.Fprintf(out, "\n%d more, not significant.\n", left)
	}
}
