package fit

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the table of docs/placement.md")

const (
	page       = "../../docs/placement.md"
	tableBegin = "<!-- moved: written by go test ./placement/fit -run Moved -update -->\n"
	tableEnd   = "<!-- end -->"
)

// moved is one row of the table.
type moved struct {
	wait     int
	budget   int64
	withMap  bool
	report   *Report
	size     int64   // of the section, as linked
	saved    float64 // of the cycles of an instruction, measured
	noWait   float64 // the same on a flash that does not wait
	resident float64 // share of the time awake that the new program spends in RAM

}

// TestMovedFunctions samples the demo on a slow flash, moves what is said to be
// worth it, and measures what that gains: the prediction holds, the section has
// room, and what was moved is found in RAM.
func TestMovedFunctions(t *testing.T) {
	w := newWorkshop(t)
	image, text := w.build(t, "")
	linkMap, err := ReadMap(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	const length, samples = 10 * time.Second, 10_000
	fast := runBoard(t, image, 0, length, samples)
	table := "| wait for a line | budget | covered | section | saved, predicted | saved, measured | without wait states |\n|---|---|---|---|---|---|---|\n"
	for _, wait := range []int{1, 3, 5} {
		before := runBoard(t, image, uint32(wait), length, samples)
		for _, m := range []moved{{wait: wait, budget: 512}, {wait: wait, budget: 2 << 10}, {wait: wait, budget: 8 << 10, withMap: true}} {
			o := Options{Budget: m.budget, Wait: FetchWait{wait, 16}}
			if m.withMap {
				o.Map = linkMap
			}
			if m.report, err = Analyse(before.profile, before.program, o); err != nil {
				t.Fatal(err)
			}
			rebuilt, _ := w.build(t, fragment(t, m.report))
			m.size = sectionSize(t, rebuilt, ".ramtext")
			after := runBoard(t, rebuilt, uint32(wait), length, samples)
			m.saved = 1 - after.each()/before.each()
			m.noWait = 1 - runBoard(t, rebuilt, 0, length, samples).each()/fast.each()
			again, err := Analyse(after.profile, after.program, Options{Budget: m.budget})
			if err != nil {
				t.Fatal(err)
			}
			m.resident = again.InRAM.Value
			m.check(t)
			table += m.row()
		}
	}
	if committed := read(t, demoFolder+"/demo.elf"); !*update && !sameCode(t, []byte(committed), image) {
		t.Logf("another compiler than that of the committed demo: the table is not compared\n%s", table)
		return
	}
	compareTable(t, table)
}

// sameCode tells whether two programs have the same .text.
func sameCode(t *testing.T, a, b []byte) bool {
	t.Helper()
	return bytes.Equal(sectionBytes(t, a, ".text"), sectionBytes(t, b, ".text"))
}

func (m *moved) row() string {
	name := fmt.Sprintf("%d", m.budget)
	if m.withMap {
		name += ", `--map`"
	}
	return fmt.Sprintf("| %d cycles | %s | %s ± %s | %d of %d bytes | %s | %s | %s |\n", m.wait, name, percent(m.report.Covered.Value), percent(m.report.Covered.Error),
		m.size, m.report.Size, percent(m.report.Gain.Predicted), percent(m.saved), percent(m.noWait))
}

// check holds what the report promises.
func (m *moved) check(t *testing.T) {
	t.Helper()
	name := fmt.Sprintf("%d cycles, %d bytes", m.wait, m.budget)
	if r := m.report; m.size > r.Size || r.Size > m.budget || m.size < r.Size*8/10 {
		t.Errorf("%s: the section has %d bytes, %d were said", name, m.size, r.Size)
	}
	if !m.report.Exact {
		t.Errorf("%s: not exact: %d of %d", name, m.report.Moving, m.report.AtMost)
	}
	// What is in RAM runs faster there, so that its share is smaller than it was, and larger than if it waited no more.
	saved := m.report.Gain.Predicted
	if low := (m.report.Covered.Value - saved) / (1 - saved); m.resident < low-0.1 || m.resident > m.report.Covered.Value+0.02 {
		t.Errorf("%s: %.3f of the time in RAM, of %.3f that were covered", name, m.resident, m.report.Covered.Value)
	}
	if m.saved <= 0 || m.saved > m.report.Gain.Most {
		t.Errorf("%s: saved %.3f, and at most %.3f", name, m.saved, m.report.Gain.Most)
	}
	if d := m.saved - saved; d < -0.05-0.15*saved || d > 0.05 {
		t.Errorf("%s: saved %.3f, predicted %.3f", name, m.saved, saved)
	}
	if m.noWait > 0.005 || m.noWait < -0.03 {
		t.Errorf("%s: without wait states %.4f saved; veneers alone should cost a little", name, m.noWait)
	}
}

// compareTable holds the page and the measurement together: the board is
// deterministic.
func compareTable(t *testing.T, table string) {
	t.Helper()
	text := read(t, page)
	before, rest, ok := strings.Cut(text, tableBegin)
	old, after, ok2 := strings.Cut(rest, tableEnd)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the table", page)
	}
	if *update {
		if err := os.WriteFile(page, []byte(before+tableBegin+"\n"+table+"\n"+tableEnd+after), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if strings.TrimSpace(old) != strings.TrimSpace(table) {
		t.Errorf("%s has\n%s\nmeasured:\n%s\nrun: go test ./placement/fit -run Moved -update", page, old, table)
	}
}
