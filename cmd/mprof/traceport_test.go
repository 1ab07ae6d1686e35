package main

import (
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/mprof/mprof/trace"
)

// serveTCP lets something else than our firmware speak on a TCP port.
func serveTCP(t *testing.T, speak func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() { _ = l.Close(); <-done })
	go func() {
		defer close(done)
		c, err := l.Accept()
		if err != nil {
			return
		}
		speak(c)
		_ = c.Close()
	}()
	return "tcp:" + l.Addr().String()
}

// says repeats a text until the other end is gone.
func says(text string) func(net.Conn) {
	return func(c net.Conn) {
		for {
			if _, err := io.WriteString(c, text); err != nil {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
}

// refuses answers NACK to everything.
func refuses(c net.Conn) {
	d := trace.NewCommandDecoder(trace.Variant{}, func(command byte, _ []byte) {
		_, _ = c.Write(trace.Variant{}.AppendPacket(nil, trace.TypeNACK, command, trace.ReasonUnknownCommand))
	})
	_, _ = io.Copy(d, c)
}

// listens and says nothing.
func listens(c net.Conn) { _, _ = io.Copy(io.Discard, c) }

// openPTY is a pseudo-terminal with nobody behind it.
func openPTY(t *testing.T) (*os.File, string) {
	t.Helper()
	far, tty, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo-terminals here: %v", err)
	}
	t.Cleanup(func() { far.Close(); tty.Close() })
	return far, tty.Name()
}

// TestTraceBadPort: whatever is behind a port that is no firmware of ours, one
// sentence says what it looks like and another what helps.
func TestTraceBadPort(t *testing.T) {
	_, silent := openPTY(t)
	file := filepath.Join(t.TempDir(), "raw.bin")
	if err := os.WriteFile(file, []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	quick := []struct {
		name, port string
		code       int
		want       []string
	}{
		{"no such port", "/dev/ttyUSB77", 1, []string{"/dev/ttyUSB77", "there is no such port", "serial port", "mprof list"}},
		{"no port but a file", file, 2, []string{"raw.bin is a file", "--from"}},
		{"no port but a device", "/dev/null", 1, []string{"/dev/null", "no serial port"}},
		{"TCP without a port", "tcp:localhost", 2, []string{"tcp:HOST:PORT"}},
		{"TCP port of words", "tcp:localhost:uart", 2, []string{"tcp:HOST:PORT"}},
		{"nobody listens", "tcp:127.0.0.1:1", 1, []string{"tcp:127.0.0.1:1", "refused", "emulator"}},
		{"no such host", "tcp:no-such-host.invalid:4000", 1, []string{"no-such-host.invalid", "cannot connect"}},
		{"closes at once", serveTCP(t, func(net.Conn) {}), 1, []string{"the port is gone", "cable"}},
		{"refuses everything", serveTCP(t, refuses), 1, []string{"refuses every command", "does not know the command"}},
	}
	slow := []struct {
		name, port string
		code       int
		want       []string
	}{
		{"silence of a port", silent, 1, []string{"nothing came from " + silent + " at 921600 baud in ", "is its TX wired"}},
		{"silence of an emulator", serveTCP(t, listens), 1, []string{"nothing came from tcp:127.0.0.1:", "is its TX wired"}},
		{"a console", serveTCP(t, says("boot: pump controller 1.4\r\n# ")), 1, []string{"gives text", `boot: pump controller 1.4`, "console"}},
		{"wrong baud rate", serveTCP(t, says("\x00\x80\xf8\xff\x00\xe0\xfe\x00\xfc")), 1, []string{"none of them a packet", "00 80 f8 ff", "wrong baud rate", "--baud 115200"}},
		{"noise", serveTCP(t, says("\x93\x12\xa7\x5b\xd4\x2d\x91\xb6")), 1, []string{"none of them a packet", "93 12 a7 5b", "--port and --baud"}},
	}
	if testing.Short() {
		slow = nil
	}
	app, dir := demoFile(t), t.TempDir()
	var wait sync.WaitGroup
	for _, c := range append(quick, slow...) {
		wait.Go(func() {
			out := filepath.Join(dir, strings.ReplaceAll(c.name, " ", "-")+".json")
			s := mprof(t.Context(), nil, "trace", "--port", c.port, "-o", out, app)
			if s.code != c.code || !strings.HasPrefix(s.stderr, "mprof: ") {
				t.Errorf("%s: exit code %d, want %d", c.name, s.code, c.code)
			}
			for _, want := range c.want {
				if !strings.Contains(s.stderr, want) {
					t.Errorf("%s: stderr lacks %q: %s", c.name, want, s.stderr)
				}
			}
		})
	}
	wait.Wait()
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("%d files left behind", len(left))
	}
}

// TestListPorts: a tool that reads the list of probes sees serial ports by their
// kind.
func TestListPorts(t *testing.T) {
	for _, p := range serialPorts() {
		if p.Kind != "serial" || p.Probe == "" {
			t.Errorf("%+v", p)
		}
	}
	s := mprof(t.Context(), nil, "list")
	if s.code != 0 || len(serialPorts()) > 0 != strings.Contains(s.stdout, "\nPORT ") {
		t.Errorf("exit code %d: %s%s", s.code, s.stdout, s.stderr)
	}
}
