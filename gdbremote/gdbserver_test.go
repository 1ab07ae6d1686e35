//go:build linux

package gdbremote

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/mprof/mprof/sim/qemu"
	"github.com/mprof/mprof/snapshot"
)

// TestGDBServer: gdb's own server, for a process of the host, is refused for its
// architecture; the process runs on. The server has non-stop mode, run lengths and
// a description in several files.
func TestGDBServer(t *testing.T) {
	qemu.Require(t, "gdbserver")
	process := exec.Command("sleep", "600")
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { process.Wait(); close(ended) }()
	t.Cleanup(func() { process.Process.Kill(); <-ended })
	for _, arch := range []snapshot.Arch{snapshot.CortexM, snapshot.RV32} {
		address := serve(t, process.Process.Pid)
		conn, err := Dial(t.Context(), address)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Connect(t.Context(), conn, Options{Arch: arch, Timeout: time.Minute})
		var wrong *ArchError
		if !errors.As(err, &wrong) || wrong.Program != arch || wrong.Stub == "" {
			t.Errorf("%v: %v", arch, err)
		}
		t.Log(err)
		awaitProcess(t, process.Process.Pid, ended)
	}
}

// awaitProcess waits until nobody traces the process, which runs on then.
func awaitProcess(t *testing.T, pid int, ended chan struct{}) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(status), "TracerPid:\t0\n") && strings.Contains(string(status), "State:\tS") {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("%s", status)
		}
	}
	select {
	case <-ended:
		t.Fatal("the process ended")
	default:
	}
}

// serve attaches gdbserver to a process and returns its address.
func serve(t *testing.T, pid int) string {
	t.Helper()
	cmd := exec.Command("gdbserver", "--once", "--attach", "127.0.0.1:0", fmt.Sprint(pid))
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	t.Cleanup(func() { cmd.Process.Kill(); <-ended })
	lines := bufio.NewScanner(said)
	var all []string
	for lines.Scan() {
		all = append(all, lines.Text())
		if port, ok := strings.CutPrefix(lines.Text(), "Listening on port "); ok {
			go func() {
				for lines.Scan() {
				}
				cmd.Wait()
				close(ended)
			}()
			return "127.0.0.1:" + port
		}
	}
	cmd.Wait()
	close(ended)
	if strings.Contains(strings.Join(all, " "), "Operation not permitted") {
		t.Skip("this system lets no process attach to another: " + strings.Join(all, "; "))
	}
	t.Fatal(all)
	return ""
}
