package reliability

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

const document = "../../docs/reliability.md"

// The tables stand between these lines.
const (
	tablesBegin = "<!-- tables: make reliability -->\n"
	tablesEnd   = "<!-- end of tables -->\n"
)

// tables renders the outcomes.
func tables(all []job, out []outcome) string {
	var b strings.Builder
	b.WriteString("\n## While sampling\n\n| fault | points | core running afterwards | most samples lost at a point | the run |\n|---|---|---|---|---|\n")
	for _, in := range injections {
		o := sum(all, out, func(j job) bool { return j.phase == whileSampling && j.in.name == in.name })
		fmt.Fprintf(&b, "| %s | %d | %s | %s | %s |\n", in.name, o.points, running(o), lost(in, o), goesOn(o))
	}
	o := sum(all, out, func(j job) bool { return j.phase == twoInARow })
	fmt.Fprintf(&b, "| two of these in a row | %d | %s | those while they last | %s |\n", o.points, running(o), goesOn(o))

	b.WriteString("\n## While nobody can resume\n\n| probe | sample | unplugged: core halted until it is back | SIGKILL: core left halted |\n|---|---|---|---|\n")
	for _, m := range methods() {
		of := func(name string) outcome {
			return sum(all, out, func(j job) bool { return j.phase == whileSampling && j.m == m && j.in.name == name })
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", m.model, m.name, stood(of(unpluggedAndBack)), stood(of(sigkill)))
	}

	b.WriteString("\n## While attaching and detaching\n\n| fault | points of attaching | core running | attached | points of detaching | core running | C_DEBUGEN cleared |\n|---|---|---|---|---|---|---|\n")
	for _, in := range injections {
		a := sum(all, out, func(j job) bool { return j.phase == whileAttaching && j.in.name == in.name })
		d := sum(all, out, func(j job) bool { return j.phase == whileDetaching && j.in.name == in.name })
		if a.points > 0 {
			fmt.Fprintf(&b, "| %s | %d | %s | %s | %d | %s | %s |\n", in.name, a.points, running(a), orReason(a), d.points, running(d), orReason(d))
		}
	}
	b.WriteString("\n")
	return b.String()
}

func sum(all []job, out []outcome, choose func(job) bool) (o outcome) {
	for i, j := range all {
		if choose(j) {
			o.add(out[i], "")
		}
	}
	return o
}

func running(o outcome) string {
	if o.left > 0 {
		return fmt.Sprintf("all but %d", o.left)
	}
	return "all"
}

func lost(in injection, o outcome) string {
	switch {
	case in.lasts:
		return "those while it lasts"
	case o.lost == 0:
		return "none"
	case o.lost == 1:
		return "the one in flight"
	}
	return fmt.Sprint(o.lost)
}

func goesOn(o outcome) string {
	if o.ended > 0 {
		return "ended: " + o.reason
	}
	return "goes on"
}

func orReason(o outcome) string {
	switch o.ended {
	case 0:
		return "all"
	case o.points:
		return "none: the reason is told"
	}
	return fmt.Sprintf("%d of %d; else the reason is told", o.points-o.ended, o.points)
}

func stood(o outcome) string {
	if o.stood == 0 {
		return fmt.Sprintf("at none of %d points", o.points)
	}
	return fmt.Sprintf("at %d of %d points", o.stood, o.points)
}

var number = regexp.MustCompile(`\d+`)

// facts are tables without their counts, which change with the length of a
// sample: what is compared. Where a sample takes one packet or two, a process can
// die in between or not: that is a count, too.
func facts(tables string) string {
	lines := strings.Split(number.ReplaceAllString(tables, "n"), "\n")
	for i, l := range lines {
		if strings.Contains(l, "| one transaction |") || strings.Contains(l, "| step by step |") {
			lines[i] = strings.ReplaceAll(l, "at none of", "at n of")
		}
	}
	return strings.Join(lines, "\n")
}

// hold compares the document with the tables, or writes them into it.
func hold(t *testing.T, tables string) {
	t.Helper()
	b, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, found := strings.Cut(string(b), tablesBegin)
	was, tail, ended := strings.Cut(rest, tablesEnd)
	if !found || !ended {
		t.Fatalf("%s has no place for the tables", document)
	}
	if *update {
		if err := os.WriteFile(document, []byte(head+tablesBegin+tables+tablesEnd+tail), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if facts(was) != facts(tables) {
		t.Errorf("%s is not what was measured (make reliability writes it):\n%s", document, tables)
	}
}
