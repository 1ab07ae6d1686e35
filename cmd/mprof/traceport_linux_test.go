package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/mprof/mprof/session/target"
)

// nobodyRuns runs a command line as a user without rights.
func nobodyRuns(t *testing.T, args ...string) string {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can become another user")
	}
	dir, err := os.MkdirTemp("", "mprof")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	binary, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(dir, "mprof")
	if err := errors.Join(os.Chmod(dir, 0o777), os.WriteFile(copied, binary, 0o755)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(copied, args...)
	cmd.Env, cmd.Dir = []string{"MPROF_TEST_AS_COMMAND=1"}, dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, _ := cmd.CombinedOutput()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != 1 {
		t.Errorf("%v", cmd.ProcessState)
	}
	return string(out)
}

// TestTracePortPermission: who may not open a port learns which group to join, and who
// has it open.
func TestTracePortPermission(t *testing.T) {
	_, name := openPTY(t)
	if err := errors.Join(os.Chmod(name, 0o660), os.Chown(name, 0, 20)); err != nil {
		t.Fatal(err)
	}
	said := nobodyRuns(t, "trace", "--port", name)
	for _, want := range []string{"permission denied", "you are not in its group dialout", "sudo usermod -aG dialout $USER"} {
		if !strings.Contains(said, want) {
			t.Errorf("lacks %q: %s", want, said)
		}
	}
	if err := os.Chmod(name, 0o600); err != nil {
		t.Fatal(err)
	}
	if said := nobodyRuns(t, "trace", "--port", name); !strings.Contains(said, "only root may open it") || !strings.Contains(said, "chmod a+rw") {
		t.Error(said)
	}
}

// TestTracePortBusy: a port that another run has.
func TestTracePortBusy(t *testing.T) {
	_, name := openPTY(t)
	p, err := target.OpenPort(t.Context(), name, 115200, "")
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if err := os.Chmod(name, 0o666); err != nil {
		t.Fatal(err)
	}
	if said := nobodyRuns(t, "trace", "--port", name); !strings.Contains(said, "another program has the port open") || !strings.Contains(said, "Close that program") {
		t.Error(said)
	}
}
