//go:build linux || darwin

package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"
)

// onTerminal is mprof in a terminal of its own.
type onTerminal struct {
	t      *testing.T
	cmd    *exec.Cmd
	pty    *os.File
	mu     sync.Mutex
	screen vt10x.Terminal
	all    strings.Builder
	exited chan error
	read   chan struct{} // all that it wrote
}

func startOnTerminal(t *testing.T, dir string, args ...string) *onTerminal {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), "MPROF_TEST_AS_COMMAND=1", "TERM=xterm-256color", "TMPDIR="+dir)
	cmd.Dir = dir
	master, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 30, Cols: 120})
	if err != nil {
		t.Fatal(err)
	}
	x := &onTerminal{t: t, cmd: cmd, pty: master, screen: vt10x.New(vt10x.WithSize(120, 30)), exited: make(chan error, 1), read: make(chan struct{})}
	go func() {
		defer close(x.read)
		for buffer := make([]byte, 4096); ; {
			n, err := master.Read(buffer)
			x.mu.Lock()
			x.all.Write(buffer[:n])
			x.screen.Write(buffer[:n])
			x.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	go func() { x.exited <- cmd.Wait() }()
	t.Cleanup(func() { _ = cmd.Process.Kill(); master.Close(); <-x.read })
	return x
}

func (x *onTerminal) text() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.screen.String()
}

func (x *onTerminal) until(what string, found func(screen string) bool) string {
	x.t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		text := x.text()
		if found(text) {
			return text
		}
		if time.Now().After(deadline) {
			x.t.Fatalf("%s does not come:\n%s", what, text)
		}
	}
}

func (x *onTerminal) untilText(text string) string {
	x.t.Helper()
	return x.until(text, func(s string) bool { return strings.Contains(s, text) })
}

func (x *onTerminal) press(keys string) {
	x.t.Helper()
	if _, err := io.WriteString(x.pty, keys); err != nil {
		x.t.Fatal(err)
	}
}

// exit waits for the end of the process, and returns its exit code and all that it wrote after the screen was gone.
func (x *onTerminal) exit() (code int, after string) {
	x.t.Helper()
	select {
	case <-x.exited:
	case <-time.After(2 * time.Minute):
		x.t.Fatalf("it does not end:\n%s", x.text())
	}
	<-x.read // the last process with the terminal has gone
	x.mu.Lock()
	defer x.mu.Unlock()
	all := x.all.String()
	if i := strings.LastIndex(all, "\x1b[?1049l"); i >= 0 {
		after = all[i:]
	}
	return x.cmd.ProcessState.ExitCode(), after
}

// TestTopOnTerminal: the table of the simulated board is there, its numbers grow, keys work, and q ends it with the
// summary and the file that -o asked for.
func TestTopOnTerminal(t *testing.T) {
	dir := t.TempDir()
	x := startOnTerminal(t, dir, "top", "--probe", "sim", "--rate", "200", "-o", "out.folded")
	first := x.untilText("wait_for_interrupt  cpu.h")
	if !strings.Contains(first, "demo.elf on Cortex-M4") || !strings.Contains(first, "stolen") {
		t.Errorf("the screen is\n%s", first)
	}
	line := strings.Split(first, "\n")[1]
	x.until("another number of samples", func(s string) bool { return strings.Split(s, "\n")[1] != line })
	x.press("s")
	x.untilText("total▾")
	x.press("/sort_\r")
	x.until("the functions of the filter", func(s string) bool {
		return strings.Contains(s, "esc ends it") && !strings.Contains(s, "wait_for_interrupt")
	})
	x.press("q")
	code, after := x.exit()
	if code != 0 || !strings.Contains(after, "samples in") || !strings.Contains(after, "ended by the user") || !strings.Contains(after, "flamegraph.pl") {
		t.Errorf("exit code %d; after the screen:\n%s", code, after)
	}
	if n := foldedSamples(t, filepath.Join(dir, "out.folded")); n == 0 {
		t.Error("the profile is empty")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.mprof")); len(left) > 0 {
		t.Errorf("recordings are left: %v", left)
	}
}

// TestTopOfCallsOnTerminal: traced firmware, by task, with a duration.
func TestTopOfCallsOnTerminal(t *testing.T) {
	x := startOnTerminal(t, t.TempDir(), "top", "--port", "sim", "--sort", "p99")
	x.untilText("p99▾")
	x.untilText("process_block")
	x.press("\t")
	x.until("one task", func(s string) bool { return strings.Contains(s, "  in ") && !strings.Contains(s, "p99") })
	x.press("\x03")
	if code, after := x.exit(); code != 0 || !strings.Contains(after, "functions in ") {
		t.Errorf("exit code %d; after the screen:\n%s", code, after)
	}
}

// TestTopEndsBySignal as every run does: the terminal is as it was, and the summary is there.
func TestTopEndsBySignal(t *testing.T) {
	x := startOnTerminal(t, t.TempDir(), "top", "--probe", "sim", "--duration", "100h")
	x.untilText("self▾")
	if err := x.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code, after := x.exit(); code != 128+int(syscall.SIGTERM) || !strings.Contains(after, "samples in") {
		t.Errorf("exit code %d; after the screen:\n%s", code, after)
	}
}

// TestTopWhoseReaderGoes: mprof top | head ends the run, and not the process in the middle of it.
func TestTopWhoseReaderGoes(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "top", "--probe", "sim", "--interval", "0.1", "-o", "out.folded")
	cmd.Env = append(os.Environ(), "MPROF_TEST_AS_COMMAND=1", "TMPDIR="+dir)
	cmd.Dir = dir
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	if _, err := out.Read(make([]byte, 100)); err != nil {
		t.Fatal(err)
	}
	out.Close()
	if err := cmd.Wait(); err != nil {
		t.Errorf("it ends by %v", err)
	}
	if foldedSamples(t, filepath.Join(dir, "out.folded")) == 0 {
		t.Error("the profile is empty")
	}
}
