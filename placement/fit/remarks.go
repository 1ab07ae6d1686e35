package fit

import (
	"fmt"
	"strings"
)

// remark says what the reader could take for granted and should not.
func (a *analysis) remark() {
	r := a.report
	add := func(format string, args ...any) { r.Remarks = append(r.Remarks, fmt.Sprintf(format, args...)) }
	if len(r.Moved) == 0 {
		add("nothing that has samples can be moved into %d bytes", r.Budget)
	}
	if !r.Exact {
		add("the search was cut short: another set could cover up to %d samples instead of %d", r.AtMost, r.Moving)
	}
	if r.Traced {
		add("times of traced calls: what a function calls that is not traced counts for it, though it does not move with it")
	}
	if r.Map == nil && !a.image.HasDWARF() {
		add("the ELF file has no debug information: each function is taken to have a section of its own (-ffunction-sections); --map tells for sure")
	}
	for _, i := range r.Moved {
		if u := &r.Units[i]; r.Map == nil && strings.HasPrefix(u.Patterns[0], "*") && !strings.HasPrefix(u.Patterns[0], "*(") {
			add("%s: the name is that of several functions; the linker script tells them apart by the name of the object file, which must be that of %s", u.Name, base(u.File))
		}
	}
	if r.Elsewhere > 0 {
		add("%d of %s were in no function of the ELF file", r.Elsewhere, r.amount(r.Total))
	}
	if a.ram == 0 {
		add("where RAM is is not known: the reach of branches is counted from address 0; --ram tells")
	}
}

// amount is a number of samples, or a time, with its unit.
func (r *Report) amount(n int64) string {
	if r.Traced {
		return fmt.Sprintf("%.3f s", float64(n)/1e9)
	}
	return fmt.Sprintf("%d samples", n)
}
