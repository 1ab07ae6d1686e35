package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// docs/tracing.md shows what its command prints: the built-in recording is always the same.
func TestDemoOfTheTracingPage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "tracing.md"))
	if err != nil {
		t.Fatal(err)
	}
	example := regexp.MustCompile("`mprof (trace --demo [^`]*)`:\n\n```\n([^`]*)```\n").FindStringSubmatch(string(page))
	if example == nil {
		t.Fatal("the example is not there")
	}
	s := mprof(t.Context(), nil, append(strings.Fields(example[1]), "-o", filepath.Join(t.TempDir(), "x.folded"))...)
	if s.code != 0 || !strings.HasPrefix(s.stdout, example[2]) {
		t.Errorf("mprof %s prints\n%s%s", example[1], s.stdout, s.stderr)
	}
}
