package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
)

// served is a command that serves a page, while it runs.
type served struct {
	t      *testing.T
	url    string
	said   chan string // lines on stderr, but for the first
	ended  chan int    // its exit code
	stop   func()      // Ctrl-C
	stdout bytes.Buffer
	// stderr is everything said there; after the end.
	stderr strings.Builder
}

// serveInProcess starts a command line and waits for the address of its page.
func serveInProcess(t *testing.T, args ...string) *served {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	s := &served{t: t, said: make(chan string, 1000), ended: make(chan int, 1), stop: func() { cancel(&signalError{syscall.SIGINT}) }}
	in, out := io.Pipe()
	a := &app{stdout: &s.stdout, stderr: out}
	root := a.root()
	root.SetArgs(append(args, "--no-browser"))
	go func() {
		code := a.report(root.ExecuteContext(ctx))
		out.Close()
		s.ended <- code
	}()
	go func() {
		defer close(s.said)
		for lines := bufio.NewScanner(in); lines.Scan(); {
			s.said <- lines.Text()
		}
	}()
	s.url = strings.TrimPrefix(s.await("the page is at "), "mprof: the page is at ")
	return s
}

// await waits for a line on stderr.
func (s *served) await(part string) string {
	s.t.Helper()
	limit := time.After(2 * time.Minute)
	for {
		select {
		case line, more := <-s.said:
			if strings.Contains(line, part) {
				return line
			}
			if !more {
				s.t.Fatalf("%q was not said, but:\n%s", part, s.stderr.String())
			}
			fmt.Fprintln(&s.stderr, line)
		case <-limit:
			s.t.Fatalf("%q is not said, but:\n%s", part, s.stderr.String())
		}
	}
}

// end is the exit code after Ctrl-C.
func (s *served) end() int {
	s.t.Helper()
	s.stop()
	for line := range s.said {
		fmt.Fprintln(&s.stderr, line)
	}
	return <-s.ended
}

// get is what the page would save.
func (s *served) get(path string) string {
	s.t.Helper()
	r, err := http.Get(s.url + path)
	if err != nil {
		s.t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK {
		s.t.Fatalf("%s: %s %v: %s", path, r.Status, err, text)
	}
	return string(text)
}

// savedInTheMiddle saves until there is something.
func (s *served) savedInTheMiddle() uint64 {
	s.t.Helper()
	for {
		r, err := http.Get(s.url + "save?format=.folded")
		if err != nil {
			s.t.Fatal(err)
		}
		text, err := io.ReadAll(r.Body)
		r.Body.Close()
		switch {
		case err != nil:
			s.t.Fatal(err)
		case r.StatusCode != http.StatusOK && !strings.Contains(string(text), "nothing"):
			s.t.Fatalf("%s: %s", r.Status, text)
		case r.StatusCode == http.StatusOK && len(text) > 0:
			return foldedTotal(s.t, string(text))
		}
	}
}

// do asks for something as the page does, and returns the error that it would show.
func (s *served) do(what string, with any) string {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
	defer cancel()
	c, _, err := websocket.Dial(ctx, strings.Replace(s.url, "http://", "ws://", 1)+"ws", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	defer c.CloseNow()
	if err := wsjson.Write(ctx, c, map[string]any{"id": 1, "do": what, "with": with}); err != nil {
		s.t.Fatal(err)
	}
	for {
		var answer struct {
			Re    int
			Error struct{ Text string }
		}
		if err := wsjson.Read(ctx, c, &answer); err != nil {
			s.t.Fatalf("%s: %v", what, err)
		}
		if answer.Re == 1 {
			return answer.Error.Text
		}
	}
}

// foldedTotal adds up folded stacks.
func foldedTotal(t *testing.T, folded string) (n uint64) {
	t.Helper()
	for line := range strings.Lines(folded) {
		var count uint64
		if _, err := fmt.Sscan(line[strings.LastIndexByte(line, ' ')+1:], &count); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		n += count
	}
	return n
}

// TestLive: the command runs as ever and its page can save, also in the middle; after
// --duration it stays until Ctrl-C, which is a success.
func TestLive(t *testing.T) {
	for name, source := range map[string][]string{"sample": {"--probe", "sim", "--rate", "1000"}, "trace": {"--port", "sim"}} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out.folded")
			s := serveInProcess(t, append([]string{name, "--live", "--duration", "3", "-o", out}, source...)...)
			if page := s.get(""); !strings.Contains(page, "<title>mprof</title>") {
				t.Errorf("the page is %q", page)
			}
			middle := s.savedInTheMiddle()
			if said := s.do("reset", nil); !strings.Contains(said, "the run of a command line") {
				t.Errorf("reset: %q", said)
			}
			s.await("the page stays until Ctrl-C")
			text, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			if saved := s.get("save?format=.folded"); saved != string(text) || foldedTotal(t, saved) < middle {
				t.Errorf("saved after the end: %d, in the middle: %d, the command's output: %d", foldedTotal(t, saved), middle, foldedTotal(t, string(text)))
			}
			if code := s.end(); code != 0 {
				t.Errorf("exit code %d: %s", code, s.stderr.String())
			}
		})
	}
}

// TestLiveStopped: the page can end a run, whose outputs are then written.
func TestLiveStopped(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.folded")
	s := serveInProcess(t, "sample", "--live", "--probe", "sim", "-o", out)
	for said := s.do("stop", nil); said != ""; said = s.do("stop", nil) {
		if !strings.Contains(said, "no run goes on") {
			t.Fatalf("stop: %q", said)
		}
	}
	s.await("the page stays until Ctrl-C")
	if _, err := os.Stat(out); err != nil {
		t.Error(err)
	}
	if code := s.end(); code != 0 && !strings.Contains(s.stderr.String(), "no sample was taken") {
		t.Errorf("exit code %d: %s", code, s.stderr.String())
	}
}

// TestServe: a page connects, starts and stops; what nobody has saved is named in the end,
// and convert reads it.
func TestServe(t *testing.T) {
	s := serveInProcess(t, "serve", "--recordings", t.TempDir(), "--probe", "sim:debugprobe", "--rate", "1000")
	for _, c := range []struct {
		do   string
		with any
		want string
	}{
		{"start", map[string]any{"seconds": 0}, "nothing is connected"},
		{"connect", map[string]any{"kind": "samples", "probe": "0d28:0204"}, "which firmware"},
		{"connect", map[string]any{"kind": "samples", "probe": "sim:debugprobe", "rate": 1000}, ""},
		{"start", map[string]any{}, ""},
		{"start", map[string]any{"seconds": 2}, "goes on already"},
	} {
		if said := s.do(c.do, c.with); !strings.Contains(said, c.want) || c.want == "" && said != "" {
			t.Errorf("%s: %q, want %q", c.do, said, c.want)
		}
	}
	s.savedInTheMiddle()
	if said := s.do("stop", nil); said != "" {
		t.Errorf("stop: %q", said)
	}
	if code := s.end(); code != 0 {
		t.Errorf("exit code %d: %s", code, s.stderr.String())
	}
	_, rest, found := strings.Cut(s.stderr.String(), "what nobody saved is in ")
	recording, _, _ := strings.Cut(rest, ": mprof convert")
	if !found {
		t.Fatalf("no recording is named: %s", s.stderr.String())
	}
	if c := mprof(t.Context(), nil, "convert", recording, "--json", "-o", filepath.Join(t.TempDir(), "x.folded")); c.code != 0 || !json.Valid([]byte(c.stdout)) {
		t.Errorf("convert: exit code %d: %s", c.code, c.stderr)
	}
}

// Bytes of a traced target need the ELF file, samples name theirs.
func TestUnsaved(t *testing.T) {
	if text := unsaved("/tmp/a.bin"); !strings.Contains(text, "/tmp/a.bin: mprof convert --elf app.elf makes") {
		t.Error(text)
	}
	if text := unsaved("/tmp/a.mprof"); strings.Contains(text, "--elf") {
		t.Error(text)
	}
}

// TestServeRefused: command lines that make no sense.
func TestServeRefused(t *testing.T) {
	file := demoFile(t)
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"serve", "a.elf", "b.elf"}, 2, "takes one ELF file"},
		{[]string{"serve", "--recordings", file}, 2, "not a folder"},
		{[]string{"serve", "--address", "0.0.0.0:0"}, 1, "can be reached from other machines"},
		{[]string{"serve", "--address", "nowhere"}, 1, "nowhere"},
		{[]string{"sample", "--probe", "sim", "--no-browser"}, 2, "are for the page of --live"},
		{[]string{"trace", "--demo", "--live"}, 2, "--live is for a port"},
	} {
		if s := mprof(t.Context(), nil, c.args...); s.code != c.code || !strings.Contains(s.stderr, c.want) {
			t.Errorf("%v: exit code %d, want %d: %s", c.args, s.code, c.code, s.stderr)
		}
	}
}
