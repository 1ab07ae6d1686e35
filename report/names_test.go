package report

import (
	"bytes"
	"strings"
	"testing"
	"unicode"

	"github.com/mprof/mprof/export"
)

// A name with an escape sequence or a line end in it does neither to a terminal: every line of a table is one line, in
// text and in markdown.
func TestNamesDoNothing(t *testing.T) {
	const evil = "a\x1b[31mred\nb\r\u009bc"
	p := stacks(t, "main;"+evil+" 3", "main 1")
	r := newReport(t, p)
	if err := r.AddGraph("", 0); err != nil {
		t.Fatal(err)
	}
	if err := r.AddContexts(0); err != nil {
		t.Fatal(err)
	}
	if err := r.AddSource("red"); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	for _, format := range []Format{Text, Markdown} {
		if err := r.Write(&out, format); err != nil {
			t.Fatal(err)
		}
	}
	if err := WriteFlat(&out, p, "", 0); err != nil {
		t.Fatal(err)
	}
	if err := export.Summary(&out, p, export.SummaryOptions{Functions: 5}); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); !strings.Contains(text, "red\ufffdb") {
		t.Errorf("the name is not in\n%s", text)
	}
	for _, c := range out.String() {
		if c != '\n' && unicode.IsControl(c) {
			t.Fatalf("%q in\n%q", c, out.String())
		}
	}
}

// A name of C++ without its arguments is a name, and not a part of <cut: stack memory not captured>; a pattern that
// is in labels alone finds those.
func TestMatchNames(t *testing.T) {
	p := stacks(t, "<cut: stack memory not captured>;ack(unsigned long, unsigned long) 3", "main;backtrack 1")
	for pattern, want := range map[string]string{
		"ack": "ack(unsigned long, unsigned long)", "ac": "ack(unsigned long, unsigned long) backtrack",
		"captured": "<cut: stack memory not captured>",
	} {
		found, err := match(p, pattern)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, f := range found {
			names = append(names, p.Functions[f].Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: %s, want %s", pattern, got, want)
		}
	}
}

// A listing is named as the other views name the function, and says the symbol where it is another one.
func TestCodeTitle(t *testing.T) {
	for want, l := range map[string]Listing{
		"main at 0x00000010":                        {Function: "main", Symbol: "main", Low: 16},
		"f(int) at 0x00000020, symbol _Z1fi.part.0": {Function: "f(int)", Symbol: "_Z1fi.part.0", Low: 32},
	} {
		if got := codeTitle(&l); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := amountWords(Amount{Samples: 1}); !strings.Contains(got, "(1 sample)") {
		t.Error(got)
	}
}
