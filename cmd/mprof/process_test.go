package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain lets the test binary be mprof itself, for tests of signals.
func TestMain(m *testing.M) {
	if os.Getenv("MPROF_TEST_AS_COMMAND") != "" {
		os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// start runs mprof as a process and waits until its recording has samples.
func start(t *testing.T, dir string, args ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), "MPROF_TEST_AS_COMMAND=1")
	cmd.Dir = dir
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	for range 6000 { // a minute or more
		found, _ := filepath.Glob(filepath.Join(dir, "*.mprof"))
		if len(found) == 1 {
			if info, err := os.Stat(found[0]); err == nil && info.Size() > 10_000 {
				return cmd, &output
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("no samples were recorded: %s", output.String())
	return nil, nil
}

func TestSignals(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(sig.String(), func(t *testing.T) {
			dir := t.TempDir()
			cmd, output := start(t, dir, "sample", "--probe", "sim", "--duration", "100h", "-o", "out.pb.gz", "-o", "out.folded")
			if err := cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			if got, want := cmd.ProcessState.ExitCode(), 128+int(sig); got != want {
				t.Errorf("exit code %d, want %d: %s", got, want, output.String())
			}
			if n := foldedSamples(t, filepath.Join(dir, "out.folded")); n == 0 {
				t.Error("the profile has no samples")
			}
			pprofAccepts(t, filepath.Join(dir, "out.pb.gz"))
		})
	}
}

// TestKilled: what was recorded before kill -9 becomes a profile.
func TestKilled(t *testing.T) {
	dir := t.TempDir()
	cmd, _ := start(t, dir, "sample", "--probe", "sim", "--duration", "100h", "-o", "out.pb.gz")
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	found, _ := filepath.Glob(filepath.Join(dir, "*.mprof"))
	if len(found) != 1 {
		t.Fatalf("recordings left: %v", found)
	}
	out := filepath.Join(dir, "after.pb.gz")
	s := mprof(t.Context(), nil, "convert", found[0], "-o", out)
	if s.code != 0 || !strings.Contains(s.stdout, "cut at byte") {
		t.Fatalf("exit code %d\n%s%s", s.code, s.stdout, s.stderr)
	}
	pprofAccepts(t, out)
}

// TestConvertGivesTheSameProfile: a recording makes the files that the run
// made.
func TestConvertGivesTheSameProfile(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	outputs := func(n string) []string {
		return []string{"-o", file(n + ".json"), "-o", file(n + ".pb.gz"), "-o", file(n + ".folded")}
	}
	if s := mprof(t.Context(), nil, append([]string{"sample", "--probe", "sim", "--duration", "2", "--record", file("run.mprof")}, outputs("run")...)...); s.code != 0 {
		t.Fatal(s.stderr)
	}
	if s := mprof(t.Context(), nil, append([]string{"convert", file("run.mprof")}, outputs("convert")...)...); s.code != 0 {
		t.Fatal(s.stderr)
	}
	for _, ext := range []string{".json", ".pb.gz", ".folded"} {
		a, errA := os.ReadFile(file("run" + ext))
		b, errB := os.ReadFile(file("convert" + ext))
		if errA != nil || errB != nil || !bytes.Equal(a, b) {
			t.Errorf("%s: %d bytes from the run, %d from the recording, and they differ (%v, %v)", ext, len(a), len(b), errA, errB)
		}
	}
	if s := mprof(t.Context(), nil, "convert", file("missing.mprof")); s.code != 1 || !strings.Contains(s.stderr, "missing.mprof") {
		t.Errorf("exit code %d, %q", s.code, s.stderr)
	}
	if err := os.WriteFile(file("a.png"), []byte("\x89PNG\r\n\x1a\nno profile"), 0o644); err != nil {
		t.Fatal(err)
	}
	if s := mprof(t.Context(), nil, "convert", file("a.png")); s.code != 1 || !strings.Contains(s.stderr, "a.png") || !strings.Contains(s.stderr, "neither") {
		t.Errorf("exit code %d, %q", s.code, s.stderr)
	}
}

// pprofAccepts has Go's own tool read a profile.
func pprofAccepts(t *testing.T, path string) {
	t.Helper()
	out, err := exec.Command("go", "tool", "pprof", "-top", "-nodecount", "3", path).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "flat%") {
		t.Errorf("go tool pprof: %v\n%s", err, out)
	}
}
