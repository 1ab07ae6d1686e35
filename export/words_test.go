package export_test

import (
	"strings"
	"testing"
	"time"

	"github.com/mprof/mprof/export"
)

// A line that nobody knows is not line 0, in no table.
func TestPlace(t *testing.T) {
	for _, c := range []struct {
		file string
		line int
		want string
	}{{"a/b.c", 7, "b.c:7"}, {`a\b.c`, 7, "b.c:7"}, {"b.c", 0, "b.c"}, {"a/\x1b[2J.c", 1, "\uFFFD[2J.c:1"}} {
		if got := export.Place(c.file, c.line); got != c.want {
			t.Errorf("%q:%d: %q, want %q", c.file, c.line, got, c.want)
		}
	}
	p, err := export.Read(strings.NewReader("events: Ir\nfl=dl-lookup.c\nfn=look\n0 10\n"), export.Input{})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := export.Summary(&out, p, export.SummaryOptions{}); err != nil || strings.Contains(out.String(), ":0") || !strings.Contains(out.String(), "dl-lookup.c") {
		t.Errorf("%v\n%s", err, out.String())
	}
}

func TestLength(t *testing.T) {
	for d, want := range map[time.Duration]string{10_001 * time.Millisecond: "10 s", 12_375 * time.Millisecond: "12.4 s", 300 * time.Second: "300 s"} {
		if got := export.Length(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}
