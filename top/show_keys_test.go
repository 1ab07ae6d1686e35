//go:build linux || darwin

package top

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/mprof/mprof/live"
)

const fast = 20 * time.Millisecond

func xterm(more ...string) []string { return append(more, "TERM=xterm-256color") }

// TestKeys drives the screen of a run that is over, so that it shows the same until a key is pressed.
func TestKeys(t *testing.T) {
	m := samplesModel(t, 3000)
	x := showOn(t, 100, 30, xterm(), Options{Model: m, Kind: live.Samples, Title: "demo.elf on a board", Interval: fast})
	begin := x.untilText("self▾")
	if begin[0] != "demo.elf on a board" || !strings.Contains(begin[1], fmt.Sprintf("   %d samples   ", m.Since(0, 0).Status.Taken)) {
		t.Errorf("the screen begins with\n%s", strings.Join(begin[:3], "\n"))
	}
	names := rowNames(begin)
	if len(names) < 5 || names[0] != hottest(m) {
		t.Errorf("rows are %q", names)
	}

	x.press("s")
	byTotal := rowNames(x.untilText("total▾"))
	if slices.Equal(byTotal, names) || len(byTotal) != len(names) {
		t.Errorf("by total: %q", byTotal)
	}
	x.press("r")
	if got := rowNames(x.untilText("total▴")); got[len(got)-1] != byTotal[0] {
		t.Errorf("reversed: %q", got)
	}
	x.press("s")
	if got := rowNames(x.untilText("function▴")); !slices.IsSorted(got) {
		t.Errorf("by name: %q", got)
	}
	x.press("\x1b[D\x1b[D") // two columns back
	x.untilText("self▾")

	x.press("/FILTER")
	x.untilText("filter: FILTER")
	for _, name := range rowNames(x.lines()) {
		if !strings.Contains(strings.ToLower(name), "filter") && name != "fir" {
			t.Errorf("the filter lets %s pass", name)
		}
	}
	x.press("xx")
	x.untilText("no function or file")
	x.press("\x7f\x7f\r")
	x.untilText("esc ends it")
	x.press("\x1b")
	x.untilGone("filter: ")

	x.press("\t")
	x.untilText("in thread mode")
	x.press("\t")
	x.untilText("in SysTick")
	x.press("\x1b[Z\x1b[Z")
	x.untilGone(" in ")

	x.press("?")
	x.untilText("standard error")
	x.press("?")
	x.untilText("self▾")
	x.press("q")
	x.end()
}

// end waits for the end of Show, and looks at what it leaves behind.
func (x *terminal) end() {
	x.t.Helper()
	select {
	case err := <-x.ended:
		if err != nil {
			x.t.Error(err)
		}
	case <-time.After(patience):
		x.t.Fatal("it does not end")
	}
	x.until("the terminal as it was", func([]string) bool {
		x.mu.Lock()
		defer x.mu.Unlock()
		all := x.bytes.String()
		return strings.LastIndex(all, "\x1b[?1049l") > strings.LastIndex(all, "\x1b[?1049h") && strings.LastIndex(all, "\x1b[?25h") > strings.LastIndex(all, "\x1b[?25l")
	})
}

// TestCtrlC ends it as q does: in raw mode no signal comes of it.
func TestCtrlC(t *testing.T) {
	x := showOn(t, 80, 24, xterm(), Options{Model: samplesModel(t, 100), Kind: live.Samples, Interval: fast})
	x.untilText("self▾")
	x.press("\x03")
	x.end()
}

// TestPause: the screen stands still, and the run does not.
func TestPause(t *testing.T) {
	run := growing(t)
	x := showOn(t, 80, 24, xterm(), Options{Model: run, Kind: live.Samples, Interval: fast})
	x.untilText("10 samples")
	x.press("p")
	x.untilText("paused")
	run.grow(20)
	for range 3 { // what else the screen shows changes with keys
		x.press("s")
		x.untilText("total▾")
		x.press("S")
		if lines := x.untilText("self▾"); !strings.Contains(lines[1], "10 samples") {
			t.Fatalf("paused, and it shows %s", lines[1])
		}
	}
	x.press(" ")
	x.untilText("30 samples")
}

// TestResize: columns go where there is no room, those of numbers before the names.
func TestResize(t *testing.T) {
	x := showOn(t, 100, 30, xterm(), Options{Model: samplesModel(t, 3000), Kind: live.Samples, Title: "demo.elf", Interval: fast})
	x.untilText("samples  function")
	x.mu.Lock()
	x.screen.Resize(40, 10)
	x.mu.Unlock()
	if err := pty.Setsize(x.master, &pty.Winsize{Rows: 10, Cols: 40}); err != nil {
		t.Fatal(err)
	}
	// The test is not in the session of its terminal, whose system would tell it.
	if err := syscall.Kill(os.Getpid(), syscall.SIGWINCH); err != nil {
		t.Fatal(err)
	}
	narrow := func(lines []string) bool {
		text := strings.Join(lines, "\n")
		return !strings.Contains(text, "samples  function") && strings.Contains(text, "self▾     ±  function")
	}
	names := rowNames(x.until("a table of 40 columns", narrow))
	if len(names) < 2 || len(names) > 6 || names[0] != hottest(samplesModel(t, 3000)) {
		t.Fatalf("in 40 columns and 10 lines: %q", names)
	}
	x.press("j")
	x.until("the second row on top", func(lines []string) bool { n := rowNames(lines); return len(n) > 0 && n[0] == names[1] })
	x.press("g")
	x.until("the first row on top", func(lines []string) bool { n := rowNames(lines); return len(n) > 0 && n[0] == names[0] })
}

var colour = regexp.MustCompile(`\x1b\[[0-9;]*\b(3[0-8]|4[0-8]|9[0-7])[0-9;]*m`)

// TestNoColour: NO_COLOR (no-color.org) takes the colours and leaves the rest.
func TestNoColour(t *testing.T) {
	for _, environ := range [][]string{xterm(), xterm("NO_COLOR=1")} {
		run := growing(t)
		run.u.Status.Resets = 1
		run.remark = "something to be said"
		x := showOn(t, 80, 24, environ, Options{Model: run, Kind: live.Samples, Interval: fast})
		x.untilText("note: something to be said")
		x.press("q")
		x.end()
		x.mu.Lock()
		coloured := colour.MatchString(x.bytes.String())
		x.mu.Unlock()
		if want := len(environ) == 1; coloured != want {
			t.Errorf("%v: colours %v, want %v", environ, coloured, want)
		}
	}
}
