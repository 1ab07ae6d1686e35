package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// Both ways to ask for the version say the same.
func TestVersion(t *testing.T) {
	command, flag := mprof(t.Context(), nil, "version"), mprof(t.Context(), nil, "--version")
	if command.code != 0 || flag.code != 0 || command.stdout != flag.stdout || !strings.HasPrefix(flag.stdout, "mprof ") || strings.Count(flag.stdout, "\n") != 1 {
		t.Errorf("%d %q, %d %q %s", command.code, command.stdout, flag.code, flag.stdout, flag.stderr)
	}
}

// Flags with few values offer them, and no files.
func TestCompletionOfValues(t *testing.T) {
	for _, c := range []struct{ command, flag, want string }{
		{"sample", "--method", "auto dwarf fp pc pcsr"},
		{"top", "--method", "auto dwarf fp pc pcsr"},
		{"serve", "--method", "auto dwarf fp pc pcsr"},
		{"convert", "--method", "auto dwarf fp pc"},
		{"stack", "--method", "auto dwarf fp"},
		{"sim", "--board", "stm32f405 mps2-an385 none"},
		{"sim", "--fpu", "on off"},
	} {
		s := mprof(t.Context(), nil, "__complete", c.command, c.flag, "")
		if got := strings.Fields(s.stdout); strings.Join(got, " ") != c.want+" :4" {
			t.Errorf("%s %s: %q, want %s and no files (:4)", c.command, c.flag, got, c.want)
		}
	}
}

// What a flag says of itself is so in every command that has it.
func TestHelpOfTop(t *testing.T) {
	if s := mprof(t.Context(), nil, "top", "--help"); strings.Contains(s.stdout, "see above") {
		t.Error("top does not describe the methods above its flags")
	}
}

func TestDurationsAndFolders(t *testing.T) {
	if s := mprof(t.Context(), nil, "sample", "--probe", "sim", "--duration", "0"); s.code != 2 || !strings.Contains(s.stderr, `"0" is not above 0 and at most 720h`) {
		t.Errorf("%d: %s", s.code, s.stderr)
	}
	dir := filepath.ToSlash(t.TempDir())
	if s := mprof(t.Context(), nil, "report", dir); s.code != 1 || strings.Count(s.stderr, dir) != 1 {
		t.Errorf("%d: %s", s.code, s.stderr)
	}
}
