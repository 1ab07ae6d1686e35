package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A run on a port: --record keeps what --from makes the same profile of.
func TestTraceLive(t *testing.T) {
	for _, version := range []int{1, 2} {
		t.Run(fmt.Sprint("version ", version), func(t *testing.T) {
			dir := t.TempDir()
			app, raw := demoFile(t), filepath.Join(dir, "raw.bin")
			target := newFakeTarget(t, version)
			args := []string{"trace", "--port", target.listen(t, 0), "--duration", "500ms", "--record", raw, "--json", "-o", filepath.Join(dir, "live.folded"), app}
			s := mprof(t.Context(), nil, args...)
			if s.code != 0 {
				t.Fatalf("exit code %d: %s", s.code, s.stderr)
			}
			summary := traceSummary(t, s)
			if summary.EndReason != "duration reached" || summary.Trace.Version != version {
				t.Errorf("%+v", summary)
			}
			judgeRounds(t, summary, target.rounds)
			again := mprof(t.Context(), nil, "trace", "--from", raw, "--json", "-o", filepath.Join(dir, "again.folded"), app)
			if diff := cmp.Diff(summary.Functions, traceSummary(t, again).Functions); diff != "" {
				t.Errorf("the recording says otherwise (-live +recording):\n%s", diff)
			}
			same(t, filepath.Join(dir, "live.folded"), filepath.Join(dir, "again.folded"))
		})
	}
}

func same(t *testing.T, a, b string) {
	t.Helper()
	x, errX := os.ReadFile(a)
	y, errY := os.ReadFile(b)
	if errX != nil || errY != nil || !bytes.Equal(x, y) {
		t.Errorf("%s and %s differ (%v, %v)", a, b, errX, errY)
	}
}

// --v1 gets records of version 1 from firmware that has others.
func TestTraceVersion1(t *testing.T) {
	target := newFakeTarget(t, 2)
	s := mprof(t.Context(), nil, "trace", "--port", target.listen(t, 0), "--v1", "--duration", "600ms", "--json", "-o", filepath.Join(t.TempDir(), "out.json"), demoFile(t))
	if s.code != 0 {
		t.Fatalf("exit code %d: %s", s.code, s.stderr)
	}
	summary := traceSummary(t, s)
	judgeRounds(t, summary, target.rounds)
	if summary.Trace.Version != 1 {
		t.Errorf("version %d", summary.Trace.Version)
	}
}

func TestTraceInterrupt(t *testing.T) {
	for _, c := range []struct {
		name     string
		duration []string
		code     int
	}{
		{"with a duration", []string{"--duration", "60"}, 128 + int(syscall.SIGINT)},
		{"until Ctrl-C", nil, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			out := filepath.Join(dir, "out.folded")
			ctx, cancel := context.WithCancelCause(t.Context())
			target := newFakeTarget(t, 2)
			target.at, target.do = 200, func() { cancel(&signalError{syscall.SIGINT}) }
			s := mprof(ctx, nil, append([]string{"trace", "--port", target.listen(t, 0), "-o", out, demoFile(t)}, c.duration...)...)
			if s.code != c.code {
				t.Errorf("exit code %d, want %d: %s", s.code, c.code, s.stderr)
			}
			if n := foldedSamples(t, out); n < outerTicks*1000 {
				t.Errorf("%d ns traced", n)
			}
			if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 1 {
				t.Errorf("files left behind: %v", left)
			}
		})
	}
}

// The port goes away in the middle: what came is written.
func TestTracePortLost(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.folded")
	target := newFakeTarget(t, 2)
	s := mprof(t.Context(), nil, "trace", "--port", target.listen(t, 100), "--duration", "60", "-o", out, demoFile(t))
	if s.code != 1 || !strings.Contains(s.stderr, "the port is gone") {
		t.Errorf("exit code %d: %s", s.code, s.stderr)
	}
	if n := foldedSamples(t, out); n < 90*outerTicks*1000 {
		t.Errorf("%d ns traced in 100 rounds of %d µs", n, outerTicks)
	}
}

// An output that cannot be written any more: the bytes are kept, and named.
func TestTraceKeepsBytesWhereOutputsFail(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "out")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	app := demoFile(t)
	target := newFakeTarget(t, 2)
	ctx, cancel := context.WithCancelCause(t.Context())
	target.at, target.do = 200, func() {
		_ = os.RemoveAll(folder)
		cancel(&signalError{syscall.SIGINT})
	}
	s := mprof(ctx, nil, "trace", "--port", target.listen(t, 0), "-o", filepath.Join(dir, "good.folded"), "-o", filepath.Join(folder, "bad.folded"), app)
	if s.code != 1 || !strings.Contains(s.stderr, "--from") {
		t.Fatalf("exit code %d: %s", s.code, s.stderr)
	}
	kept, _ := filepath.Glob(filepath.Join(dir, "good-*.bin"))
	if len(kept) != 1 || !strings.Contains(s.stderr, kept[0]) {
		t.Fatalf("bytes kept: %v, and stderr is %s", kept, s.stderr)
	}
	again := mprof(t.Context(), nil, "trace", "--from", kept[0], "-o", filepath.Join(dir, "again.folded"), app)
	if again.code != 0 {
		t.Fatalf("exit code %d: %s", again.code, again.stderr)
	}
	same(t, filepath.Join(dir, "good.folded"), filepath.Join(dir, "again.folded"))
}

// TestTraceKilled: what came before kill -9 becomes a profile.
func TestTraceKilled(t *testing.T) {
	dir := t.TempDir()
	app, target := demoFile(t), newFakeTarget(t, 2)
	cmd := exec.Command(os.Args[0], "trace", "--port", target.listen(t, 0), "-o", "out.pb.gz", app)
	cmd.Env = append(os.Environ(), "MPROF_TEST_AS_COMMAND=1")
	cmd.Dir = dir
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	var kept []string
	for range 6000 { // a minute or more
		time.Sleep(10 * time.Millisecond)
		kept, _ = filepath.Glob(filepath.Join(dir, "out-*.bin"))
		if len(kept) == 1 {
			if st, err := os.Stat(kept[0]); err == nil && st.Size() > 500 {
				break
			}
		}
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if len(kept) != 1 {
		t.Fatalf("bytes kept: %v", kept)
	}
	out := filepath.Join(dir, "after.pb.gz")
	s := mprof(t.Context(), nil, "trace", "--from", kept[0], "-o", out, app)
	if s.code != 0 || !strings.Contains(s.stdout, "ends while profiling ran") {
		t.Errorf("exit code %d: %s%s", s.code, s.stdout, s.stderr)
	}
	pprofAccepts(t, out)
}

// silentPort is a port that takes a connection and says nothing; it tells when something
// was said to it.
func silentPort(t *testing.T, heard func()) string {
	return serveTCP(t, func(c net.Conn) {
		_, _ = c.Read(make([]byte, 1))
		heard()
		listens(c)
	})
}

// Ctrl-C while nobody answers ends the command like any other.
func TestTraceInterruptBeforeTheRun(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancelCause(t.Context())
	port := silentPort(t, func() { cancel(&signalError{syscall.SIGINT}) })
	s := mprof(ctx, nil, "trace", "--port", port, "-o", filepath.Join(dir, "out.json"), demoFile(t))
	if s.code != 128+int(syscall.SIGINT) || s.stderr != "" {
		t.Errorf("exit code %d: %s", s.code, s.stderr)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
		t.Errorf("files left behind: %v", left)
	}
}

// A run that finds nobody leaves an older recording of that name alone.
func TestTraceKeepsAnOlderRecording(t *testing.T) {
	raw := recorded(t, 2, 10)
	before, err := os.ReadFile(raw)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	port := silentPort(t, func() { cancel(&signalError{syscall.SIGINT}) })
	_ = mprof(ctx, nil, "trace", "--port", port, "--record", raw, "-o", filepath.Join(t.TempDir(), "out.json"), demoFile(t))
	if after, err := os.ReadFile(raw); err != nil || !bytes.Equal(before, after) {
		t.Errorf("%d bytes became %d (%v)", len(before), len(after), err)
	}
}

// The disk is full: the run ends with that error, and what came is in the outputs.
func TestTraceRecordFails(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full")
	}
	out := filepath.Join(t.TempDir(), "out.folded")
	s := mprof(t.Context(), nil, "trace", "--port", newFakeTarget(t, 2).listen(t, 0), "--record", "/dev/full", "--duration", "60", "-o", out, demoFile(t))
	if s.code != 1 || !strings.Contains(s.stderr, "no space left") {
		t.Errorf("exit code %d: %s", s.code, s.stderr)
	}
	if _, err := os.Stat(out); err != nil {
		t.Error(err)
	}
}
