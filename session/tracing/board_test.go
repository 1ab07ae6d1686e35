package tracing_test

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mprof/mprof/firmware/demo"
	"github.com/mprof/mprof/firmware/examples"
	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/session/target"
	"github.com/mprof/mprof/session/tracing"
)

// errStopped is what a person does.
var errStopped = errors.New("stopped by the user")

// says tells whether an error is there and has all of these words.
func says(err error, words ...string) bool {
	if err == nil {
		return false
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			return false
		}
	}
	return true
}

// newRun prepares a run.
func newRun(t testing.TB, o tracing.Options) *tracing.Run {
	t.Helper()
	r, err := tracing.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// traceUntil traces what is behind a port until so many calls have come, as a person would
// who watches it.
func traceUntil(t *testing.T, o tracing.Options, calls uint64) (*tracing.Run, *profile.Profile, error) {
	t.Helper()
	bounded, cancel := context.WithTimeoutCause(t.Context(), 2*time.Minute, errors.New("it does not end"))
	defer cancel()
	ctx, stop := context.WithCancelCause(bounded)
	defer stop(nil)
	o.Progress = func(p tracing.Progress) {
		if p.Calls >= calls {
			stop(errStopped)
		}
	}
	r := newRun(t, o)
	if err := r.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	p, err := r.Live(ctx)
	if p == nil {
		t.Fatalf("no profile of a run: %v", err)
	}
	if e := p.Check(); e != nil {
		t.Error(e)
	}
	return r, p, err
}

// replayed plays a recording.
func replayed(t *testing.T, o tracing.Options) *profile.Profile {
	t.Helper()
	p, err := newRun(t, o).Replay(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Check(); err != nil {
		t.Error(err)
	}
	return p
}

// demoFile is the built-in firmware, which is another than the traced one, as a file.
func demoFile(t *testing.T) string {
	t.Helper()
	return file(t, "app.elf", demo.ELF)
}

// tracedFile is the built-in traced firmware as a file.
func tracedFile(t *testing.T) string {
	t.Helper()
	return file(t, "traced.elf", examples.DemoELF)
}

func file(t testing.TB, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// wire is a TCP port with the simulated board behind it.
type wire struct {
	carried atomic.Int64  // bytes from the board
	most    int64         // of them, behind which the wire breaks; 0: it holds
	over    chan struct{} // closed when either end has let go
}

// lay connects a board with a port, and returns the name of the port.
func (w *wire) lay(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	w.over = make(chan struct{})
	over := w.over
	t.Cleanup(func() { cancel(); _ = l.Close(); <-over })
	go func() {
		defer close(over)
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
		board, err := target.OpenPort(ctx, "sim", 0, "")
		if err != nil {
			t.Error(err)
			_ = conn.Close()
			return
		}
		back := make(chan struct{})
		go func() { defer close(back); _, _ = io.Copy(board, conn); _ = board.Close() }()
		w.carry(conn, board)
		_ = conn.Close()
		_ = board.Close()
		<-back
	}()
	return "tcp:" + l.Addr().String()
}

// carry copies what the board sends, as far as it is let.
func (w *wire) carry(conn io.Writer, board io.Reader) {
	buf := make([]byte, 512)
	for {
		n, err := board.Read(buf)
		if err != nil {
			return
		}
		over := w.most > 0 && w.carried.Load()+int64(n) >= w.most
		if over {
			n = int(w.most - w.carried.Load())
		}
		if _, err := conn.Write(buf[:n]); err != nil {
			return
		}
		if w.carried.Add(int64(n)); over {
			return
		}
	}
}

// letGo waits until the other end has closed its port.
func (w *wire) letGo(t *testing.T) {
	t.Helper()
	select {
	case <-w.over:
	case <-time.After(time.Minute):
		t.Error("the port is still open")
	}
}

// unanswered is a TCP port that takes a connection and says nothing.
func unanswered(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return "tcp:" + l.Addr().String()
}

// exists tells whether there is a file, and how long it is.
func exists(t *testing.T, path string) (size int64, ok bool) {
	t.Helper()
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return 0, false
	case err != nil:
		t.Fatal(err)
	}
	return st.Size(), true
}

// longest is more than any run of these tests takes.
const longest = time.Hour
