package report

import (
	"fmt"
	"slices"
	"strings"
)

// sourceSection prints a file's lines.
func (r *Report) sourceSection(x *Source) section {
	traced := r.profile.Trace != nil
	t := &table{head: append(amountHead(traced, "self"), amountHead(traced, "total")...)}
	t.head = append(t.head, "line", "source")
	t.left = lefts(len(t.head))
	if x.NoLine != nil {
		row := append(Amount{Traced: traced}.cells(), x.NoLine.cells()...)
		t.row(append(row, "?", "(line not known)")...)
	}
	for _, l := range x.Lines {
		text := "(no source)"
		if l.Text != nil {
			text = codeCell + expandTabs(*l.Text)
		}
		row := append(l.Self.cells(), l.Total.cells()...)
		t.row(append(row, fmt.Sprint(l.Number), text)...)
	}
	s := section{title: fmt.Sprintf("%s in %s", x.Function, orUnknown(x.File)), table: t, code: true, notes: r.errorNote()}
	s.lines = append(s.lines, fmt.Sprintf("self %s, total %s", amountWords(x.Self), amountWords(x.Total)))
	if x.Remark != "" {
		s.lines = append(s.lines, x.Remark)
	}
	return s
}

// codeSection prints a function's instructions, below each line of source that they come from.
func (r *Report) codeSection(x *Listing) section {
	traced := r.profile.Trace != nil
	t := &table{head: append(amountHead(traced, "self"), amountHead(traced, "total")...)}
	t.head = append(t.head, "address", "bytes", "instruction")
	t.left = lefts(len(t.head), len(t.head)-2)
	empty := make([]string, len(t.head)-1)
	where := ""
	for i := range x.Instructions {
		c := &x.Instructions[i]
		if at := sourceOf(c); at != where && at != "" {
			where = at
			t.row(append(slices.Clone(empty), codeCell+at)...)
		}
		row := append(c.Self.cells(), c.Total.cells()...)
		t.row(append(row, fmt.Sprintf("%x", c.Addr), c.Raw, codeCell+"  "+expandTabs(c.Text))...)
	}
	s := section{title: codeTitle(x), table: t, code: true, notes: r.errorNote()}
	s.lines = append(s.lines, fmt.Sprintf("self %s, total %s", amountWords(x.Self), amountWords(x.Total)))
	if x.Remark != "" {
		s.lines = append(s.lines, x.Remark)
	}
	return s
}

// codeTitle names the function as the other views do, and its symbol where that is another name.
func codeTitle(x *Listing) string {
	if x.Symbol == x.Function {
		return fmt.Sprintf("%s at 0x%08x", x.Function, x.Low)
	}
	return fmt.Sprintf("%s at 0x%08x, symbol %s", x.Function, x.Low, x.Symbol)
}

// sourceOf is the line that an instruction comes from: "sort.c:14  uint32_t *x = a; (swap)".
func sourceOf(c *Instruction) string {
	at := strings.TrimSpace(definition(c.File, c.Line))
	if at == "" {
		return ""
	}
	if c.Source != nil {
		at += "  " + strings.TrimSpace(expandTabs(*c.Source))
	}
	if c.Inlined != "" {
		at += "  (" + c.Inlined + ")"
	}
	return at
}

// expandTabs moves what stands behind tabs to columns of 8.
func expandTabs(s string) string {
	var out strings.Builder
	column := 0
	for _, c := range s {
		if c != '\t' {
			out.WriteRune(c)
			column++
			continue
		}
		n := 8 - column%8
		out.WriteString(strings.Repeat(" ", n))
		column += n
	}
	return out.String()
}

func orUnknown(file string) string {
	if file == "" {
		return "a file that is not known"
	}
	return file
}

// amountWords says an amount in a sentence.
func amountWords(a Amount) string {
	c := a.cells()
	switch {
	case a.none():
		return "nothing"
	case a.Traced:
		return fmt.Sprintf("%s (%s)", c[1], c[0])
	}
	return fmt.Sprintf("%s ±%s (%s)", c[0], c[1], samples(a.Samples))
}
