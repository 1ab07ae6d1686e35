package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/mprof/mprof/export"
)

// The flat table in markdown is in the order that was asked for, and says how many functions it leaves out; a view of no
// samples says that.
func TestWriteFlatOrder(t *testing.T) {
	p := stacks(t, "main;b;a 3", "main;b 1", "main;c 2")
	names := func(by string, most int) (names []string, text string) {
		var out bytes.Buffer
		if err := WriteFlat(&out, p, export.Order(by), most); err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(out.String(), "\n") {
			if cells := strings.Split(line, " | "); len(cells) == 7 && strings.Contains(line, "%") {
				names = append(names, strings.TrimSuffix(cells[6], " |"))
			}
		}
		return names, out.String()
	}
	for by, want := range map[string]string{"": "a c b main", "self": "a c b main", "total": "main b a c", "name": "a b c main"} {
		got, text := names(by, 0)
		if strings.Join(got, " ") != want || strings.Contains(text, "more (") {
			t.Errorf("by %q: %v, want %s", by, got, want)
		}
	}
	if got, text := names("total", 1); len(got) != 1 || !strings.Contains(text, "and 3 more (--top 0 lists all)") {
		t.Errorf("%v of\n%s", got, text)
	}
	r := newReport(t, stacks(t, "main 0"))
	if err := r.AddGraph("", 0); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := r.Write(&out, Text); err != nil || !strings.Contains(out.String(), "no samples") {
		t.Errorf("%v\n%s", err, out.String())
	}
}
