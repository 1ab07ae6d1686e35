//go:build linux && cgo

package strangers

import (
	"bufio"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// scripted is gdb as people profile with it: continue, an interrupt from outside, print the
// PC, and again.
type scripted struct {
	t   testing.TB
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader

	halted time.Duration // from the interrupt to the next command to go on, in all
}

// scriptGDB connects gdb to a server.
func scriptGDB(t testing.TB, s *gdbServer) *scripted {
	t.Helper()
	g := &scripted{t: t, cmd: exec.Command(tool(t, "gdb-multiarch", "gdb-multiarch"), "-nx", "-q", "-iex", "set debuginfod enabled off", "-iex", "set remotetimeout 60", "-ex", "set pagination off", "-ex", "set confirm off", s.elf)}
	out, err := g.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	g.cmd.Stderr = g.cmd.Stdout
	if g.in, err = g.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	g.out = bufio.NewReader(out)
	if err := g.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	g.do("target remote "+s.address, "echo ready\\n", "ready")
	return g
}

// do gives commands, the last of which prints a text, and reads up to that.
func (g *scripted) do(first, last, text string) {
	g.t.Helper()
	if _, err := io.WriteString(g.in, first+"\n"+last+"\n"); err != nil {
		g.t.Fatal(err)
	}
	g.readTo(text)
}

func (g *scripted) readTo(text string) {
	g.t.Helper()
	var said strings.Builder
	for {
		line, err := g.out.ReadString('\n')
		said.WriteString(line)
		if strings.Contains(line, text) {
			return
		}
		if err != nil {
			g.t.Fatalf("gdb: %v: %s", err, said.String())
		}
	}
}

// profile takes samples for d, or as many as are wanted at least, and returns how many.
func (g *scripted) profile(d time.Duration, least int) (n int) {
	for end := time.Now().Add(d); n < least || time.Now().Before(end); n++ {
		if _, err := io.WriteString(g.in, "continue\n"); err != nil {
			g.t.Fatal(err)
		}
		g.readTo("Continuing.")
		time.Sleep(5 * time.Millisecond)
		interrupt := time.Now()
		if err := g.cmd.Process.Signal(syscall.SIGINT); err != nil {
			g.t.Fatal(err)
		}
		g.do("p $pc", "echo sampled\\n", "sampled")
		g.halted += time.Since(interrupt)
	}
	return n
}

func (g *scripted) end() {
	_, _ = io.WriteString(g.in, "detach\nquit\n")
	g.in.Close()
	_, _ = io.Copy(io.Discard, g.out)
	_ = g.cmd.Wait()
}

func TestScriptedGDB(t *testing.T) {
	s := qemuBoard("mps2-an386")(t)
	g := scriptGDB(t, s)
	g.profile(200*time.Millisecond, 5)
	g.end()
	s.runs(t)
}
