package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/mprof/mprof/profile"
)

// stacks is a profile of lines such as "main;work 3", root first, one sample each ms. A name of <...> is a
// label; one of an exception puts what follows into handler mode, and zzz is asleep.
func stacks(t *testing.T, lines ...string) *profile.Profile {
	t.Helper()
	rows := profile.NewRows()
	track := profile.ThreadTrack{Name: "Core 0"}
	for _, line := range lines {
		var n int
		names := line
		if i := strings.LastIndexByte(line, ' '); i > 0 {
			if _, err := fmt.Sscan(line[i:], &n); err == nil {
				names = line[:i]
			}
		}
		at, category := profile.StackIndex(profile.None), profile.Thread
		for _, name := range strings.Split(names, ";") {
			f := profile.Function{Name: name, Label: name[0] == '<'}
			if f.Exception() != "" {
				category = profile.Interrupt
			}
			frame := profile.Frame{Symbol: profile.None, Category: category, Line: len(name)}
			if name == "zzz" {
				frame.Category = profile.Idle
			}
			if !f.Label {
				f.File, f.Line, frame.File = name+".c", 1, name+".c"
			}
			frame.Function = rows.Function(f, 0)
			at = rows.Stack(at, rows.Frame(frame))
		}
		for range n {
			track.Samples = append(track.Samples, profile.Sample{
				Time: time.Duration(len(track.Samples)) * time.Millisecond, Weight: time.Millisecond, Count: 1, Stack: at,
			})
		}
	}
	p := rows.Finish()
	p.Threads = []profile.ThreadTrack{track}
	p.Duration = time.Duration(len(track.Samples)) * time.Millisecond
	p.Taken.Asked = uint64(len(track.Samples))
	return p
}

func newReport(t *testing.T, p *profile.Profile) *Report {
	t.Helper()
	r, err := New(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// lines of a graph: "a -> b total/self", "a total/self cycle", for comparison.
func describe(g *Graph) map[string]string {
	out := map[string]string{}
	for _, n := range g.Nodes {
		out[n.Name] = fmt.Sprintf("%d/%d cycle %d", n.Total.Samples, n.Self.Samples, n.Cycle)
		for _, e := range n.Callees {
			out[n.Name+" -> "+e.Name] = fmt.Sprintf("%d/%d", e.Total.Samples, e.Self.Samples)
		}
		for _, e := range n.Callers {
			out[n.Name+" <- "+e.Name] = fmt.Sprintf("%d/%d", e.Total.Samples, e.Self.Samples)
		}
	}
	return out
}

// A graph with everything in it: recursion, a circle with a way in from outside and from nowhere, an interrupt that
// calls what it interrupted.
func TestGraph(t *testing.T) {
	r := newReport(t, stacks(t,
		"main;fact;fact;fact 3",
		"main;even;odd;even;odd;leaf 5",
		"main;odd;even 2",
		"even 1",
		"main;copy;<exception: SysTick>;SysTick_Handler;copy 4",
	))
	if err := r.AddGraph("", 0); err != nil {
		t.Fatal(err)
	}
	got := describe(r.Graph)
	for k, want := range map[string]string{
		"main":                                  "14/0 cycle 0",
		"main <- <spontaneous>":                 "14/0",
		"main -> fact":                          "3/0",
		"fact":                                  "3/3 cycle 0",
		"fact -> fact":                          "3/3",
		"fact <- main":                          "3/0",
		"even":                                  "8/3 cycle 1",
		"even <- <spontaneous>":                 "1/1",
		"even -> odd":                           "5/0",
		"odd -> even":                           "7/2",
		"even <- main":                          "5/0",
		"<cycle 1> as a whole":                  "8/3 cycle 1",
		"<cycle 1> as a whole <- main":          "7/0",
		"<cycle 1> as a whole -> leaf":          "5/5",
		"leaf <- odd":                           "5/5",
		"copy":                                  "4/4 cycle 0",
		"copy -> <exception: SysTick>":          "4/0",
		"SysTick_Handler -> copy":               "4/4",
		"<exception: SysTick> <- copy":          "4/0",
		"<cycle 1> as a whole <- <spontaneous>": "1/1",
	} {
		if got[k] != want {
			t.Errorf("%s: %q, want %q", k, got[k], want)
		}
	}
	for _, absent := range []string{"fact <- fact", "<cycle 1> as a whole -> odd", "<cycle 1> as a whole <- odd", "<cycle 2> as a whole"} {
		if v, ok := got[absent]; ok {
			t.Errorf("%s: %s", absent, v)
		}
	}
	for i, n := range r.Graph.Nodes {
		if n.Number != i+1 || n.Members != nil && len(n.Members) != 2 {
			t.Errorf("node %d: %+v", i, n)
		}
		k, all := float64(n.Total.Samples), 15.0
		if want := math.Sqrt(k / all * (1 - k/all) / all); math.Abs(n.Total.Share.Error-want) > 1e-12 {
			t.Errorf("%s: standard error %g, want %g", n.Name, n.Total.Share.Error, want)
		}
	}
}

// Every function's numbers are those of the flat table, for a pattern, too.
func TestGraphOfPattern(t *testing.T) {
	p := stacks(t, "main;parse;lex 4", "main;parse 2", "main;parse_number;lex 1", "init (a.c) 1", "init (b.c) 1", "main;operator*(int) 1")
	for _, c := range []struct {
		pattern string
		want    string
	}{
		{"parse", "parse"}, {"^parse", "parse parse_number"}, {"init", "init (a.c) init (b.c)"}, {"operator*(int)", "operator*(int)"}, {"x$", "lex"},
	} {
		r := newReport(t, p)
		if err := r.AddGraph(c.pattern, 0); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, n := range r.Graph.Nodes {
			names = append(names, n.Name)
			for _, e := range p.Top() {
				if e.Name == n.Name && (e.Self != n.Self.Samples || e.Total != n.Total.Samples || e.TotalShare != n.Total.Share) {
					t.Errorf("%+v, want %+v", n, e)
				}
			}
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.pattern, got, c.want)
		}
	}
	var none *NoFunctionError
	if err := newReport(t, p).AddGraph("nothing", 0); !errors.As(err, &none) || none.Pattern != "nothing" {
		t.Errorf("nothing: %v", err)
	}
	if err := newReport(t, p).AddSource("a("); err == nil || !strings.Contains(err.Error(), "neither the name") {
		t.Errorf("a(: %v", err)
	}
}

// A path of 100,000 functions, one calling the next and the last the first, is one circle.
func TestLongCycle(t *testing.T) {
	const n = 100_000
	var calls []call
	for i := range n {
		calls = append(calls, call{profile.FunctionIndex(i), profile.FunctionIndex((i + 1) % n)})
	}
	of, found := cycles(n+1, calls, func(call) bool { return true })
	if found != 1 || of[0] != 1 || of[n-1] != 1 || of[n] != 0 {
		t.Errorf("%d cycles, %d %d %d", found, of[0], of[n-1], of[n])
	}
}

// Contexts add up to all samples, and what is asleep is so even in an interrupt's shadow.
func TestContexts(t *testing.T) {
	r := newReport(t, stacks(t,
		"main;work 5", "main;zzz 3", "main;zzz;<exception: TIM2>;TIM2_IRQHandler 2",
		"main;work;<exception: TIM2>;TIM2_IRQHandler;<exception: SysTick>;SysTick_Handler 4", "<cut: not captured>;work 1"))
	if err := r.AddContexts(1); err != nil {
		t.Fatal(err)
	}
	sum, got := 0, map[string]string{}
	for _, c := range r.Contexts.Contexts {
		sum += c.Self.Samples
		got[c.Name] = fmt.Sprintf("%s %d/%d %s+%d", c.Kind, c.Self.Samples, c.Total.Samples, c.Functions[0].Name, c.More)
	}
	for name, want := range map[string]string{
		"thread mode": "thread mode 6/6 work+2", "asleep": "asleep 3/3 zzz+1",
		"TIM2": "interrupt 2/6 TIM2_IRQHandler+3", "SysTick": "interrupt 4/4 SysTick_Handler+5",
	} {
		if got[name] != want {
			t.Errorf("%s: %q, want %q", name, got[name], want)
		}
	}
	if sum != 15 || len(got) != 4 {
		t.Errorf("%d samples in %v", sum, got)
	}
	p := stacks(t, "main 2", "main;<exception: TIM2>;h 1")
	p.Taken.Unrecorded = true
	r = newReport(t, p)
	if err := r.AddContexts(0); err != nil {
		t.Fatal(err)
	}
	if c := r.Contexts.Contexts; len(c) != 2 || c[0].Kind != "not known" || c[1].Name != "TIM2" {
		t.Errorf("of a file by others: %+v", c)
	}
	p.Taken.Method = profile.MethodPCSR
	if err := newReport(t, p).AddContexts(0); !errors.Is(err, ErrNoContexts) {
		t.Errorf("PCs alone: %v", err)
	}
}

// Without a text the lines are there all the same, and why it is missing; a line that is not known is said.
func TestSourceWithoutText(t *testing.T) {
	p := stacks(t, "main;work 3", "main 1")
	p.Frames = append(p.Frames, profile.Frame{Function: p.Frames[1].Function, Symbol: profile.None})
	p.Stacks = append(p.Stacks, profile.Stack{Prefix: 0, Frame: profile.FrameIndex(len(p.Frames) - 1)})
	p.Threads[0].Samples[0].Stack = profile.StackIndex(len(p.Stacks) - 1)
	r := newReport(t, p)
	if err := r.AddSource("work"); err != nil {
		t.Fatal(err)
	}
	s := r.Sources[0]
	if len(r.Sources) != 1 || len(s.Lines) != 1 || s.Lines[0].Text != nil || s.Lines[0].Number != 4 || s.Lines[0].Self.Samples != 2 ||
		s.NoLine == nil || s.NoLine.Samples != 1 || !strings.Contains(s.Remark, "not at hand") || s.Total.Samples != 3 {
		t.Errorf("%+v", s)
	}
	p.Sources = map[string]string{"work.c": "one\ntwo | `x`\n\tthree\nfour\r\nfive\n"}
	r = newReport(t, p)
	if err := r.AddSource("work"); err != nil {
		t.Fatal(err)
	}
	if s := r.Sources[0]; len(s.Lines) != 4 || *s.Lines[3].Text != "four" || s.Remark != "" {
		t.Errorf("%+v", s)
	}
	var text, markdown bytes.Buffer
	for w, f := range map[*bytes.Buffer]Format{&text: Text, &markdown: Markdown} {
		if err := r.Write(w, f); err != nil {
			t.Fatal(err)
		}
	}
	if !strings.Contains(text.String(), "2  two | `x`\n") || !strings.Contains(markdown.String(), "| 2 | `` two \\| `x` `` |\n") || strings.Contains(text.String()+markdown.String(), "\x00") {
		t.Errorf("%s\n%s", text.String(), markdown.String())
	}
}

// What is written in one format is written in the others, and tables of markdown have their columns in every row.
func TestWrite(t *testing.T) {
	p := stacks(t, "main;a|b(char *)<int> 3", "main;<exception: SysTick>;h_h 1")
	r := newReport(t, p)
	if err := errors.Join(r.AddGraph("", 0), r.AddContexts(0), r.AddSource("main")); err != nil {
		t.Fatal(err)
	}
	var text, markdown, object bytes.Buffer
	for w, f := range map[*bytes.Buffer]Format{&text: Text, &markdown: Markdown, &object: JSON} {
		if err := r.Write(w, f); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"a|b(char *)<int>", "75.0 %  21.65        3", "SysTick (interrupt)", "main in main.c", "<spontaneous>"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("text lacks %q:\n%s", want, text.String())
		}
	}
	columns := 0
	for line := range strings.Lines(markdown.String()) {
		n := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
		if n == 0 {
			columns = 0
		} else if columns == 0 {
			columns = n
		} else if n != columns {
			t.Errorf("%d columns and not %d in %s", n, columns, line)
		}
	}
	if !strings.Contains(markdown.String(), `a\|b(char \*)&lt;int&gt;`) {
		t.Error(markdown.String())
	}
	var all struct {
		Kind  string
		Graph struct {
			Nodes []struct {
				Name  string
				Total struct {
					Samples int
					Share   float64
					Error   *float64 `json:"standard_error"`
				}
			}
		}
	}
	if err := json.Unmarshal(object.Bytes(), &all); err != nil || all.Kind != "samples" || all.Graph.Nodes[0].Name != "main" || all.Graph.Nodes[0].Total.Samples != 4 || all.Graph.Nodes[0].Total.Error == nil {
		t.Errorf("%v: %s", err, object.String())
	}
}

// A standard error that is not known is no number in any format.
func TestUnknownError(t *testing.T) {
	p := stacks(t, "main;work 3", "main 1")
	p.Sums = &profile.Sums{Errors: map[profile.FunctionIndex][2]float64{}}
	r := newReport(t, p)
	if err := r.AddGraph("", 0); err != nil {
		t.Fatal(err)
	}
	var text, object bytes.Buffer
	if err := errors.Join(r.Write(&text, Text), r.Write(&object, JSON)); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "75.0 %  ?        3") || !strings.Contains(text.String(), "functions only") || !strings.Contains(object.String(), `"standard_error": null`) {
		t.Errorf("%s%s", text.String(), object.String())
	}
}
