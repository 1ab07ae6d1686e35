package top

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// table is what is shown of entries: cells with the widths of their columns.
type table struct {
	columns []column
	widths  []int
	cells   [][]string // of rows, without the name
	rows    []entry
}

const (
	gap      = 2  // between columns
	leastFor = 20 // cells that names have at least
)

// layout fits rows into a width: columns go until the names have room.
func layout(columns []column, rows []entry, width int) table {
	t := table{columns: slices.Clone(columns), rows: rows}
	for _, c := range columns {
		t.widths = append(t.widths, ansi.StringWidth(c.name)+1) // with the mark of the order
	}
	for i := range rows {
		var cells []string
		for c := range columns {
			cell := columns[c].cell(&rows[i])
			t.widths[c] = max(t.widths[c], ansi.StringWidth(cell))
			cells = append(cells, cell)
		}
		t.cells = append(t.cells, cells)
	}
	for len(t.columns) > 1 && t.numbers()+leastFor > width {
		least := 0
		for c := range t.columns {
			if t.columns[c].keep < t.columns[least].keep {
				least = c
			}
		}
		t.columns, t.widths = slices.Delete(t.columns, least, least+1), slices.Delete(t.widths, least, least+1)
		for i := range t.cells {
			t.cells[i] = slices.Delete(t.cells[i], least, least+1)
		}
	}
	return t
}

// numbers is the width before the names.
func (t *table) numbers() (width int) {
	for _, w := range t.widths {
		width += w + gap
	}
	return width
}

// header is the first line; the column of the order has a mark.
func (t *table) header(key string, reverse bool, style styles) string {
	var line strings.Builder
	mark := "▾"
	if reverse != (key == nameColumn.key) { // names begin with the smallest
		mark = "▴"
	}
	for i, c := range t.columns {
		name := c.name
		if c.key == key {
			name += mark
		}
		line.WriteString(pad(name, t.widths[i]))
		line.WriteString(strings.Repeat(" ", gap))
	}
	name := nameColumn.name
	if key == nameColumn.key {
		name += mark
	}
	return style.header(line.String() + name)
}

// line is a row.
func (t *table) line(i int, style styles) string {
	var line strings.Builder
	for c, cell := range t.cells[i] {
		line.WriteString(pad(cell, t.widths[c]))
		line.WriteString(strings.Repeat(" ", gap))
	}
	line.WriteString(t.rows[i].name)
	if w := t.rows[i].where; w != "" {
		line.WriteString("  " + style.faint(w))
	}
	return line.String()
}

// pad aligns to the right.
func pad(text string, width int) string {
	return strings.Repeat(" ", max(0, width-ansi.StringWidth(text))) + text
}

// wrap puts parts into lines of a width.
func wrap(parts []string, width int) (lines []string) {
	const between = "   "
	line := ""
	for _, part := range parts {
		switch {
		case line == "":
			line = part
		case ansi.StringWidth(line)+len(between)+ansi.StringWidth(part) <= width:
			line += between + part
		default:
			lines, line = append(lines, line), part
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
