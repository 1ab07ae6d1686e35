//go:build linux || darwin

package top

import (
	"context"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"
)

// patience is how long a test waits for what must come.
const patience = time.Minute

// terminal is a pty with somebody who looks at it.
type terminal struct {
	t      *testing.T
	master *os.File
	slave  *os.File
	mu     sync.Mutex
	bytes  strings.Builder
	screen vt10x.Terminal
	ended  chan error
}

// showOn draws a run on a terminal of a size.
func showOn(t *testing.T, width, height int, environ []string, o Options) *terminal {
	t.Helper()
	master, slave, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	x := &terminal{t: t, master: master, slave: slave, ended: make(chan error, 1), screen: vt10x.New(vt10x.WithSize(width, height))}
	if err := pty.Setsize(master, &pty.Winsize{Rows: uint16(height), Cols: uint16(width)}); err != nil {
		t.Fatal(err)
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		for buffer := make([]byte, 4096); ; {
			n, err := master.Read(buffer)
			if n > 0 {
				x.mu.Lock()
				x.bytes.Write(buffer[:n])
				x.screen.Write(buffer[:n])
				x.mu.Unlock()
			}
			if err != nil {
				return
			}
		}
	}()
	ctx, stop := context.WithCancel(context.Background())
	over := make(chan struct{})
	go func() {
		defer close(over)
		x.ended <- Show(ctx, slave, slave, environ, o)
	}()
	t.Cleanup(func() {
		stop()
		<-over
		slave.Close()
		master.Close()
		<-read
	})
	return x
}

// lines are what is on the screen.
func (x *terminal) lines() []string {
	x.mu.Lock()
	defer x.mu.Unlock()
	lines := strings.Split(strings.TrimRight(x.screen.String(), "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return lines
}

// until waits for a screen.
func (x *terminal) until(what string, found func(lines []string) bool) []string {
	x.t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		lines := x.lines()
		if found(lines) {
			return lines
		}
		if time.Now().After(deadline) {
			x.t.Fatalf("%s does not come:\n%s", what, strings.Join(lines, "\n"))
		}
	}
}

func (x *terminal) untilText(text string) []string {
	x.t.Helper()
	return x.until(text, func(lines []string) bool { return strings.Contains(strings.Join(lines, "\n"), text) })
}

func (x *terminal) untilGone(text string) []string {
	x.t.Helper()
	return x.until("a screen without "+text, func(lines []string) bool { return !strings.Contains(strings.Join(lines, "\n"), text) })
}

func (x *terminal) press(keys string) {
	x.t.Helper()
	if _, err := io.WriteString(x.master, keys); err != nil {
		x.t.Fatal(err)
	}
}

// rowNames are the functions of the table on the screen, in their order.
func rowNames(lines []string) (names []string) {
	for i, line := range lines {
		if at := strings.Index(line, "function"); at >= 0 && strings.Contains(line, "self") {
			at = len([]rune(line[:at]))
			for _, row := range lines[i+1:] {
				if r := []rune(row); len(r) > at && strings.ContainsAny(row, "%") {
					names = append(names, strings.Split(string(r[at:]), "  ")[0])
				}
			}
		}
	}
	return names
}
