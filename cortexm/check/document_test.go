package check

import (
	"os"
	"strings"
	"testing"
)

// TestDocument: docs/hardware.md has every point and every check of ours, and
// the columns that a report's row fills.
func TestDocument(t *testing.T) {
	text, err := os.ReadFile("../../docs/hardware.md")
	if err != nil {
		t.Fatal(err)
	}
	doc := string(text)
	if head := "| probe | target | " + strings.Join(Columns(), " | ") + " |"; !strings.Contains(doc, head) {
		t.Errorf("the table of results does not begin with\n%s", head)
	}
	for _, c := range all {
		_, row, _ := strings.Cut(doc, "\n| "+c.point+" | ")
		row, _, _ = strings.Cut(row, "\n")
		cells := strings.Split(strings.TrimSuffix(row, " |"), " | ")
		if !strings.Contains(cells[len(cells)-1], c.name) {
			t.Errorf("point (%s) does not name the check %q: %s", c.point, c.name, row)
		}
	}
}
