package report

import (
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/mprof/mprof/export"
)

// table is rows of cells. The last column is text of any length, written as it is; the others are numbers, or text
// where left says so.
type table struct {
	head []string
	rows [][]string // nil: a line between what belongs together
	left []bool     // by column
}

func (t *table) row(cells ...string) { t.rows = append(t.rows, cells) }

// rule ends a group of rows.
func (t *table) rule() { t.rows = append(t.rows, nil) }

// text writes columns that stand below each other.
func (t *table) text(w io.Writer) error {
	width := make([]int, len(t.head))
	for _, row := range append([][]string{t.head}, t.rows...) {
		for i, cell := range row {
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	var out strings.Builder
	line := func(row []string) {
		var b strings.Builder
		for i, cell := range row {
			cell = export.Printable(cell)
			pad := strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell))
			switch {
			case i == len(row)-1:
				b.WriteString(cell)
			case t.left[i]:
				b.WriteString(cell + pad + "  ")
			default:
				b.WriteString(pad + cell + "  ")
			}
		}
		out.WriteString(strings.TrimRight(b.String(), " ") + "\n")
	}
	line(t.head)
	for _, row := range t.rows {
		if row == nil {
			out.WriteString(strings.Repeat("-", 64) + "\n")
		} else {
			line(row)
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// markdown writes a table of GitHub's. Groups are divided by an empty row.
func (t *table) markdown(w io.Writer) error {
	var out strings.Builder
	line := func(row []string) {
		for i := range t.head {
			cell := ""
			if i < len(row) {
				cell = row[i]
			}
			out.WriteString("| " + markdownCell(cell) + " ")
		}
		out.WriteString("|\n")
	}
	line(t.head)
	for i := range t.head {
		if out.WriteString("|---"); i < len(t.head)-1 && !t.left[i] {
			out.WriteString(":")
		}
	}
	out.WriteString("|\n")
	for i, row := range t.rows {
		if row != nil || i < len(t.rows)-1 {
			line(row)
		}
	}
	_, err := io.WriteString(w, out.String()+"\n")
	return err
}

// markdownText keeps names such as <exception: SysTick> and foo_bar(char *) from being taken for markup.
func markdownText(s string) string {
	return strings.NewReplacer(`\`, `\\`, "|", `\|`, "<", "&lt;", ">", "&gt;", "*", `\*`, "_", `\_`, "`", "\\`", "[", `\[`, "]", `\]`, "\n", " ").Replace(s)
}

// codeCell marks a cell whose spaces count.
const codeCell = "\x00"

func markdownCell(s string) string {
	code, ok := strings.CutPrefix(s, codeCell)
	code = export.Printable(expandTabs(code))
	switch {
	case !ok:
		return markdownText(export.Printable(strings.TrimSpace(s)))
	case strings.TrimSpace(code) == "":
		return ""
	}
	// A span of code begins with more backticks than any in it; a bar ends a cell even there.
	fence := "`"
	for strings.Contains(code, fence) {
		fence += "`"
	}
	return fence + " " + strings.ReplaceAll(strings.TrimRight(code, " "), "|", `\|`) + " " + fence
}

// cells are share and standard error, and the number of samples; of traced calls share and time. Nothing is a dot, as
// in pprof.
func (a Amount) cells() []string {
	switch {
	case a.none() && a.Traced:
		return []string{".", "."}
	case a.none():
		return []string{".", ".", "."}
	case a.Traced:
		return []string{export.Percent(a.Share.Value), export.Duration(a.Time)}
	}
	err := "?"
	if !math.IsNaN(a.Share.Error) {
		err = export.PercentPoints(a.Share.Error)
	}
	return []string{export.Percent(a.Share.Value), err, fmt.Sprint(a.Samples)}
}

// amountHead is the head above them.
func amountHead(traced bool, name string) []string {
	if traced {
		return []string{name, "time"}
	}
	return []string{name, "±", "samples"}
}
