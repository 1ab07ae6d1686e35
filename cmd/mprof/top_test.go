package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/mprof/mprof/live"
	"github.com/mprof/mprof/top"
)

// command runs a command line, and returns its exit code and what it printed.
func command(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	code = run(args, &out, &err)
	return code, out.String(), err.String()
}

// TestTopOnce prints one table, of samples and of calls, and leaves no files behind.
func TestTopOnce(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for _, c := range []struct {
		args  []string
		facts string
		row   string
	}{
		{[]string{"--probe", "sim", "--rate", "200"}, `demo\.elf on Cortex-M4.*\d+ samples   \d+/s on average.* stolen .*cut`, `%.*  wait_for_interrupt  cpu\.h:\d+`},
		{[]string{"--port", "sim"}, `\d+ calls   \d+/s on average   0 lost   `, `ms.*  process_block  sensors\.c:\d+`},
	} {
		code, out, errs := command(t, append([]string{"top", "--once", "--duration", "2"}, c.args...)...)
		if code != 0 || errs != "" {
			t.Fatalf("%v: exit code %d: %s", c.args, code, errs)
		}
		if !regexp.MustCompile(c.facts).MatchString(out) || !regexp.MustCompile(c.row).MatchString(out) || strings.Count(out, "function") != 1 || strings.Contains(out, "\x1b") {
			t.Errorf("%v:\n%s", c.args, out)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestTopSaves writes what it has shown.
func TestTopSaves(t *testing.T) {
	folded := filepath.Join(t.TempDir(), "out.folded")
	code, out, errs := command(t, "top", "--probe", "sim", "--once", "--duration", "2", "-o", folded)
	if code != 0 {
		t.Fatal(errs)
	}
	n := foldedSamples(t, folded)
	if taken := regexp.MustCompile(`(\d+) samples`).FindStringSubmatch(out); taken == nil || taken[1] != fmt.Sprint(n) {
		t.Errorf("the file has %d samples, and the table says %v", n, taken)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(folded), "*")); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

// TestTopCommandLine: what makes no sense is said before a target is touched.
func TestTopCommandLine(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"", "which firmware?"},
		{"--probe sim --port sim", "--probe is for a probe"},
		{"--port sim --rate 10", "--rate is for a probe"},
		{"--probe sim --baud 9600", "--baud is for a port"},
		{"--probe sim --sort p99", "--sort p99: the columns of samples are self, total, name"},
		{"--port sim --sort colour", "--sort colour: the columns of calls are total, calls,"},
		{"--probe sim --rows -1", "--rows -1"},
		{"--probe sim --interval 0", "--interval"},
		{"--probe sim -o out.exe", "the extension names no known format"},
		{"a.elf b.elf", "one ELF file"},
	} {
		code, _, errs := command(t, append([]string{"top"}, strings.Fields(c.line)...)...)
		if code != 2 || !strings.Contains(errs, c.want) {
			t.Errorf("top %s: exit code %d: %s", c.line, code, errs)
		}
	}
	for _, k := range []live.Kind{live.Samples, live.Calls} {
		if keys := top.Keys(k); len(keys) < 3 {
			t.Errorf("%s can be sorted by %v", k, keys)
		}
	}
}
