package top

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/mprof/mprof/export"
	"github.com/mprof/mprof/live"
	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/serve/page/pagetest"
)

// finished is a run that is over, as a profile and as it was seen.
func finished(t *testing.T, k live.Kind) (*profile.Profile, *live.Model, *seen) {
	t.Helper()
	m, s := live.NewModel(), &seen{}
	p := pagetest.Collect(k, 3, 4*time.Second, m)
	if err := s.apply(m.Since(0, 0)); err != nil {
		t.Fatal(err)
	}
	return p, m, s
}

// TestTableIsTheSummarys: the numbers of the table are those of the summary of the profile, in its order.
func TestTableIsTheSummarys(t *testing.T) {
	for _, k := range []live.Kind{live.Samples, live.Calls} {
		p, m, _ := finished(t, k)
		var summary, table bytes.Buffer
		if err := export.Summary(&summary, p, export.SummaryOptions{Functions: -1}); err != nil {
			t.Fatal(err)
		}
		if err := Last(&table, Options{Model: m, Kind: k}); err != nil {
			t.Fatal(err)
		}
		want, got := rowsOf(summary.String()), rowsOf(table.String())
		if len(want) < 8 {
			t.Fatalf("the summary has no table:\n%s", summary.String())
		}
		for i := range want {
			if i >= len(got) || want[i] != got[i] {
				t.Fatalf("%s: row %d differs; the summary has\n%s\ntop has\n%s", k, i, strings.Join(want, "\n"), strings.Join(got, "\n"))
			}
		}
	}
}

// rowsOf are the lines of a table without what aligns them; of calls without the time on the clock, which
// top does not show.
func rowsOf(text string) (rows []string) {
	begun, clock := false, false
	for _, line := range strings.Split(text, "\n") {
		if strings.Contains(line, " function") && strings.Contains(line, "self") {
			begun, clock = true, strings.Contains(line, "on clock")
			continue
		}
		cells := regexp.MustCompile(`\s\s+`).Split(strings.TrimSpace(line), -1)
		if begun && len(cells) < 5 {
			return rows
		}
		if begun {
			if clock {
				cells = append(cells[:9], cells[10:]...)
			}
			rows = append(rows, strings.Join(cells, "|"))
		}
	}
	return rows
}

// TestContextsAddUp: what tasks and interrupts took themselves is everything.
func TestContextsAddUp(t *testing.T) {
	for _, k := range []live.Kind{live.Samples, live.Calls} {
		_, _, s := finished(t, k)
		all := s.contexts()
		if len(all) < 4 {
			t.Fatalf("%s: contexts %v", k, len(all))
		}
		sum := map[string]entry{}
		for _, c := range all[1:] {
			for _, e := range s.entries(c) {
				x := sum[e.name]
				x.Self, x.Calls, x.SelfTime = x.Self+e.Self, x.Calls+e.Calls, x.SelfTime+e.SelfTime
				sum[e.name] = x
			}
		}
		for _, e := range s.entries(all[0]) {
			x := sum[e.name]
			if x.Self != e.Self || k == live.Calls && (x.Calls != e.Calls || math.Abs(x.SelfTime-e.SelfTime) > 1e-6) {
				t.Errorf("%s %s: in contexts %d samples, %d calls, %g s; in all %d, %d, %g", k, e.name, x.Self, x.Calls, x.SelfTime, e.Self, e.Calls, e.SelfTime)
			}
		}
	}
}

// TestInterruptedIsNotTotal: what an interrupt took is not in the total of what it interrupted there.
func TestInterruptedIsNotTotal(t *testing.T) {
	_, _, s := finished(t, live.Samples)
	for _, c := range s.contexts() {
		for _, e := range s.entries(c) {
			if c.name == "SysTick" && e.name == "main" {
				t.Errorf("main has %d samples in SysTick", e.Total)
			}
			if c.name == "SysTick" && e.name == "SysTick_Handler" && (e.Total == 0 || e.TotalError == 0) {
				t.Errorf("%+v", e)
			}
		}
	}
}

// TestEveryWidth: no line is longer than the terminal, none too many.
func TestEveryWidth(t *testing.T) {
	for _, k := range []live.Kind{live.Samples, live.Calls} {
		_, _, s := finished(t, k)
		for width := 1; width <= 160; width += 3 {
			for _, height := range []int{1, 2, 3, 5, 10, 24, 60} {
				o := Options{Kind: k, Title: "a title that is a little longer than others"}
				v := o.begin()
				v.width, v.height = width, height
				lines := strings.Split(v.draw(s), "\n")
				if len(lines) > height {
					t.Fatalf("%d lines of %d", len(lines), height)
				}
				for _, line := range lines {
					if w := ansi.StringWidth(line); w > width {
						t.Fatalf("%d cells of %d: %q", w, width, line)
					}
				}
			}
		}
	}
}

// TestEveryKey: whatever is pressed, whenever, something can be drawn.
func TestEveryKey(t *testing.T) {
	keys := []string{"s", "S", "left", "right", "r", "/", "esc", "enter", "backspace", "tab", "shift+tab", "?", "p", "space", "up", "down", "pgup", "pgdown", "home", "x", "ü", "", "f12"}
	for _, k := range []live.Kind{live.Samples, live.Calls} {
		_, _, s := finished(t, k)
		for _, told := range []*seen{{}, s} {
			o := Options{Kind: k}
			v := o.begin()
			for i := range 2000 {
				key := keys[(i*i+i/7)%len(keys)]
				if v.press(key, key, told) {
					t.Fatalf("%q ends it", key)
				}
				if i%5 == 0 {
					v.draw(told)
				}
			}
		}
	}
}

// TestUpdatesOneByOne: many small updates come to the same as one large one.
func TestUpdatesOneByOne(t *testing.T) {
	for _, k := range []live.Kind{live.Samples, live.Calls} {
		m, s := live.NewModel(), &seen{}
		ctx, end := context.WithCancel(context.Background())
		followed := make(chan error)
		go func() {
			var err error
			for err == nil && ctx.Err() == nil {
				err = s.apply(m.Since(s.run, s.rev))
			}
			followed <- err
		}()
		pagetest.Collect(k, 3, 4*time.Second, m)
		end()
		if err := <-followed; err != nil {
			t.Fatal(err)
		}
		if err := s.apply(m.Since(s.run, s.rev)); err != nil {
			t.Fatal(err)
		}
		_, _, want := finished(t, k)
		o := Options{Kind: k}
		if got, want := o.begin().draw(s), o.begin().draw(want); got != want {
			t.Errorf("%s: one by one\n%s\nat once\n%s", k, got, want)
		}
	}
}

// TestUpdateThatDoesNotFit is an error, and no panic.
func TestUpdateThatDoesNotFit(t *testing.T) {
	name := live.FunctionColumns{Name: []string{"f"}, File: []string{""}, Line: []int{0}, Label: []bool{false}}
	for i, u := range []live.Update{
		{Functions: live.FunctionColumns{From: 1, Name: name.Name, File: name.File, Line: name.Line, Label: name.Label}},
		{Nodes: live.NodeColumns{Parent: []int{-1}, Function: []int{0}}},
		{Functions: name, Nodes: live.NodeColumns{Parent: []int{0}, Function: []int{0}}},
		{Functions: name, Nodes: live.NodeColumns{Parent: []int{-2}, Function: []int{0}}},
		{Functions: name, Nodes: live.NodeColumns{From: 1, Parent: []int{-1}, Function: []int{0}}},
		{Counts: live.CountColumns{Track: []int{0}, Node: []int{0}, Count: []uint64{1}, Time: []float64{1}}},
	} {
		if err := new(seen).apply(&u); err == nil {
			t.Errorf("update %d was taken", i)
		}
	}
}

// TestNamesThatMoveTheCursor: an ELF file may say what it likes.
func TestNamesThatMoveTheCursor(t *testing.T) {
	g := growing(t)
	g.u.Functions.Name = []string{"evil\x1b[2J\r\n\u009b31m"}
	g.u.Functions.File = []string{"\x1b]0;title\a.c"}
	g.remark = "a remark with \x1b[2J in it"
	g.u.Events = []live.Event{{Time: 1, Name: "\x1b[31m", Detail: "\x1b[2J"}}
	s := &seen{}
	take(s, g)
	for _, k := range []string{"", "?"} {
		o := Options{Kind: live.Samples, Title: "\x1b[2Jtitle"}
		v := o.begin()
		v.press(k, "", s)
		for _, bad := range []string{"\x1b[2J", "\x1b[31m", "\x1b]", "\r", "\u009b"} {
			if strings.Contains(v.draw(s), bad) {
				t.Errorf("%q reaches the terminal", bad)
			}
		}
	}
}

// TestPrint writes a table at every interval, and no codes of terminals.
func TestPrint(t *testing.T) {
	ctx, end := context.WithCancel(context.Background())
	w := &counting{after: 3, then: end}
	if err := Print(ctx, w, Options{Model: samplesModel(t, 500), Kind: live.Samples, Title: "demo.elf", Interval: time.Millisecond, Rows: 3}); err != nil {
		t.Fatal(err)
	}
	text := w.String()
	if n := strings.Count(text, "demo.elf   "); n < 3 {
		t.Errorf("%d tables:\n%s", n, text)
	}
	if strings.Contains(text, "\x1b") || !strings.Contains(text, "more\n") {
		t.Errorf("%q", text)
	}
	if err := Print(context.Background(), broken{}, Options{Model: samplesModel(t, 500), Kind: live.Samples, Interval: time.Millisecond}); err == nil {
		t.Error("a pipe that nobody reads any more does not end it")
	}
}

// counting ends a run after some tables.
type counting struct {
	bytes.Buffer
	after int
	then  func()
}

func (c *counting) Write(p []byte) (int, error) {
	if c.after--; c.after == 0 {
		c.then()
	}
	return c.Buffer.Write(p)
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, fmt.Errorf("broken pipe") }

// TestFactsThatAreNotKnown are not there, in place of zeros.
func TestFactsThatAreNotKnown(t *testing.T) {
	flat := &seen{}
	take(flat, growing(t))
	if text := strings.Join(factTexts(flat.facts(), plainStyles), "   "); !strings.Contains(text, "no stacks") || strings.Contains(text, "cut") || strings.Contains(text, "halts") || strings.Contains(text, "asleep") {
		t.Errorf("PCs alone: %s", text)
	}
	if facts := (&seen{}).facts(); facts != nil {
		t.Errorf("before the first update: %v", facts)
	}
	calls := &seen{kind: live.Calls}
	if text := strings.Join(factTexts(calls.facts(), plainStyles), "   "); strings.Contains(text, "buffer") {
		t.Errorf("the target said nothing of its buffer: %s", text)
	}
	e := entry{name: "open"}
	for _, c := range callColumns[3:] {
		if got := c.cell(&e); got != "-" {
			t.Errorf("%s of a function that never returned is %s", c.name, got)
		}
	}
	_, _, stacks := finished(t, live.Samples)
	if text := strings.Join(factTexts(stacks.facts(), plainStyles), "   "); !strings.Contains(text, "cut") || !strings.Contains(text, "halts") {
		t.Errorf("stacks: %s", text)
	}
}
