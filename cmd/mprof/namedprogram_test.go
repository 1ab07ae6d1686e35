package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/session/target"
	"github.com/mprof/mprof/symbol"
)

// A program of one's own that lies where the built-in ones have their names is not taken for them, nor they for it.
func TestNamedProgramIsOfItsBuild(t *testing.T) {
	for _, name := range []string{target.BuiltIn, target.BuiltInTraced} {
		other := target.BuiltInTraced
		if name == other {
			other = target.BuiltIn
		}
		content, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(other))) // some other program
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
		app, err := symbol.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		own := namedProgram(&profile.Profile{Mapping: profile.Mapping{Path: path, BuildID: app.BuildID()}})
		if own == nil || own.App().Path() != path {
			t.Errorf("%s: %v", name, own)
		}
		if p := namedProgram(&profile.Profile{Mapping: profile.Mapping{Path: path, BuildID: []byte{1, 2, 3, 4}}}); p != nil {
			t.Errorf("%s of a build that is not at hand: %s", name, p.App().Path())
		}
	}
}

// The line that mprof sim prints names the built-in firmware, and works in any folder.
func TestTraceExampleOfSim(t *testing.T) {
	example, cmd, _, _ := startSim(t, `: mprof (trace --port tcp:\S+ \S+)`, "--uart", "tcp:0")
	s := mprof(t.Context(), nil, append(strings.Fields(example), "--duration", "1", "--json", "-o", filepath.Join(t.TempDir(), "x.folded"))...)
	if s.code != 0 {
		t.Fatalf("mprof %s: %d %s", example, s.code, s.stderr)
	}
	for _, f := range traceSummary(t, s).Functions {
		if name, _ := f["name"].(string); strings.HasPrefix(name, "0x") {
			t.Errorf("mprof %s: %s has no name", example, name)
		}
	}
	_ = cmd.Process.Signal(syscall.SIGINT)
	if err := cmd.Wait(); err != nil {
		t.Errorf("after Ctrl-C: %v", err)
	}
}
