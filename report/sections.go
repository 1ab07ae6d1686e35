package report

import (
	"fmt"
	"strings"

	"github.com/mprof/mprof/export"
	"github.com/mprof/mprof/profile"
)

// lefts has columns of numbers, the last one text.
func lefts(columns int, text ...int) []bool {
	out := make([]bool, columns)
	out[columns-1] = true
	for _, i := range text {
		out[i] = true
	}
	return out
}

// graphSection prints entries as gprof does: the callers of a function, the function with its number, what it calls.
func (r *Report) graphSection() section {
	traced := r.Graph.Traced
	t := &table{head: append([]string{"index"}, amountHead(traced, "total")...)}
	t.head = append(t.head, "self")
	if traced {
		t.head = append(t.head, "calls")
	}
	t.head = append(t.head, "function")
	t.left = lefts(len(t.head), 0)
	for i := range r.Graph.Nodes {
		n := &r.Graph.Nodes[i]
		for _, e := range n.Callers {
			t.row(graphRow(traced, "", e.Total, e.Self, callsOf(e), "    "+edgeName(e))...)
		}
		calls := fmt.Sprint(n.Calls - n.Recursive)
		if n.Recursive > 0 {
			calls += fmt.Sprintf("+%d", n.Recursive)
		}
		t.row(graphRow(traced, fmt.Sprintf("[%d]", n.Number), n.Total, n.Self, calls, nodeName(n)+definition(n.File, n.Line))...)
		for _, e := range n.Callees {
			name := edgeName(e)
			if e.Number == n.Number {
				name += " (recursion)"
			}
			t.row(graphRow(traced, "", e.Total, e.Self, callsOf(e), "    "+name)...)
		}
		t.rule()
	}
	notes := r.errorNote()
	notes = append(notes, "above a function its callers, below what it calls; in these rows total and self are those of the callee where it was called that way, each stack once")
	if traced {
		notes = append(notes, "calls: by this caller, of all of the callee; n+m: m more by the function itself")
	}
	return section{title: "Call graph", table: t, notes: notes}
}

func graphRow(traced bool, index string, total, self Amount, calls, name string) []string {
	row := append([]string{index}, total.cells()...)
	if traced {
		if calls == "0" || calls == "0/0" {
			calls = "."
		}
		return append(row, self.cells()[1], calls, name)
	}
	return append(row, self.cells()[2], name)
}

// callsOf is how often the callee was called that way, of all.
func callsOf(e Edge) string { return fmt.Sprintf("%d/%d", e.Calls, e.Of) }

func nodeName(n *Node) string {
	if n.Cycle > 0 && n.Members == nil {
		return n.Name + " " + cycleName(n.Cycle)
	}
	return n.Name
}

func edgeName(e Edge) string {
	name := e.Name
	if e.Cycle > 0 && !strings.HasPrefix(name, "<cycle ") {
		name += " " + cycleName(e.Cycle)
	}
	if e.Number > 0 {
		name += fmt.Sprintf(" [%d]", e.Number)
	}
	return name
}

// contextSections prints the table of contexts, and one for what each ran.
func (r *Report) contextSections() (all []section) {
	c := r.Contexts
	t := &table{head: append(amountHead(c.Traced, "self"), amountHead(c.Traced, "total")...)}
	if c.Traced {
		t.head = []string{"self", "time", "of the run", "calls"}
	}
	t.head = append(t.head, "context")
	t.left = lefts(len(t.head))
	for i := range c.Contexts {
		x := &c.Contexts[i]
		row := x.Self.cells()
		if c.Traced {
			run := "?"
			if x.RunShare != nil {
				run = export.Percent(*x.RunShare)
			}
			row = append(row, run, fmt.Sprint(x.Calls))
		} else {
			row = append(row, x.Total.cells()...)
		}
		t.row(append(row, contextName(x))...)
	}
	notes := r.errorNote()
	if !c.Traced {
		notes = append(notes, "self: the core ran in this context; total: with the interrupts that came in between")
	}
	all = append(all, section{title: "Contexts", table: t, notes: notes})
	for i := range c.Contexts {
		if x := &c.Contexts[i]; len(x.Functions) > 0 {
			all = append(all, contextSection(c.Traced, x))
		}
	}
	return all
}

func contextName(x *Context) string {
	name := x.Name
	if x.Kind == kindInterrupt {
		name += " (interrupt)"
	}
	if x.Track != "" {
		name = x.Track + ": " + name
	}
	return name
}

func contextSection(traced bool, x *Context) section {
	t := &table{head: append(amountHead(traced, "self"), amountHead(traced, "total")...)}
	if traced {
		t.head = append(t.head, "calls")
	}
	t.head = append(t.head, "function")
	t.left = lefts(len(t.head))
	for _, f := range x.Functions {
		row := append(f.Self.cells(), f.Total.cells()...)
		if traced {
			row = append(row, fmt.Sprint(f.Calls))
		}
		t.row(append(row, f.Name)...)
	}
	s := section{title: contextName(x), table: t}
	s.notes = more(x.More)
	return s
}

// flatSection is the table of the summary.
func flatSection(p *profile.Profile, by export.Order, most int) section {
	t, left := &table{}, 0
	if p.Trace != nil {
		t.head = []string{"calls", "total", "self", "min", "mean", "p50", "p99", "max", "function"}
		for _, f := range by.Sorted(p) {
			if f.Calls == 0 {
				continue
			}
			if most > 0 && len(t.rows) == most {
				left++
				continue
			}
			least := ""
			if f.AtLeast {
				least = ">"
			}
			d := export.Duration
			t.row(fmt.Sprint(f.Calls), least+d(f.Total), d(f.Self), d(f.Min), least+d(f.Mean), d(f.P50), d(f.P99), least+d(f.Max), p.Functions[f.Function].Name)
		}
		t.left = lefts(len(t.head))
		return section{title: "Functions", table: t, notes: append(more(left), "min to max, total and self: without interrupts and other contexts; p50 and p99 within 1 %")}
	}
	t.head = append(append(amountHead(false, "self"), amountHead(false, "total")...), "function")
	t.left = lefts(len(t.head))
	for _, e := range by.Top(p) {
		if most > 0 && len(t.rows) == most {
			left++
			continue
		}
		self := Amount{Samples: e.Self, Time: e.SelfTime, Share: e.SelfShare}
		total := Amount{Samples: e.Total, Time: e.TotalTime, Share: e.TotalShare}
		t.row(append(append(self.cells(), total.cells()...), e.Name)...)
	}
	r := Report{profile: p}
	return section{title: "Functions", table: t, notes: append(more(left), r.errorNote()...)}
}

// more says how many rows are not listed.
func more(left int) []string {
	if left == 0 {
		return nil
	}
	return []string{fmt.Sprintf("and %d more (--top 0 lists all)", left)}
}
