package uart

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestMain lets the test binary be a user who opens a port.
func TestMain(m *testing.M) {
	if name := os.Getenv("UART_TEST_OPEN"); name != "" {
		_, err := Open(name, 115200)
		fmt.Println(err)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// openAsNobody opens a port as a user without rights.
func openAsNobody(t *testing.T, name string) string {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can become another user")
	}
	dir, err := os.MkdirTemp("", "uart")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	binary, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(dir, "test")
	if err := errors.Join(os.Chmod(dir, 0o755), os.WriteFile(copied, binary, 0o755)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(copied)
	cmd.Env = []string{"UART_TEST_OPEN=" + name}
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

// TestPermission names the group that may open a port.
func TestPermission(t *testing.T) {
	_, name := openPTY(t)
	if err := errors.Join(os.Chmod(name, 0o660), os.Chown(name, 0, 20)); err != nil {
		t.Fatal(err)
	}
	said := openAsNobody(t, name)
	if !strings.Contains(said, name+": permission denied: you are not in its group dialout") {
		t.Errorf("%q", said)
	}
	if err := os.Chmod(name, 0o600); err != nil {
		t.Fatal(err)
	}
	if said := openAsNobody(t, name); !strings.Contains(said, "only root may open it") {
		t.Errorf("%q", said)
	}
}

// TestPermissionOf: no group helps that may not write, and nobody should join
// root's.
func TestPermissionOf(t *testing.T) {
	for _, c := range []struct {
		mode  os.FileMode
		group uint32
		want  string
	}{
		{0o660, 4242, "4242"},
		{0o640, 4242, ""},
		{0o600, 4242, ""},
		{0o660, 0, ""},
	} {
		if e := permissionOf("/dev/ttyUSB0", c.mode, 0, c.group); e.Group != c.want || e.Owner != "root" {
			t.Errorf("%v, group %d: %+v", c.mode, c.group, e)
		}
	}
}

// TestBusy: a port is opened once; who has it is named.
func TestBusy(t *testing.T) {
	_, name := openPTY(t)
	p, err := Open(name, 115200)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if err := os.Chmod(name, 0o666); err != nil {
		t.Fatal(err)
	}
	if said := openAsNobody(t, name); !strings.Contains(said, ErrBusy.Error()) {
		t.Errorf("%q", said)
	}
}

// TestHolders finds who reads from a file, and not who writes to it.
func TestHolders(t *testing.T) {
	file := filepath.Join(t.TempDir(), "port")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		redirection string
		found       int
	}{{"<>", 1}, {"<", 1}, {">", 0}} {
		cmd := exec.Command("sh", "-c", `exec 3`+c.redirection+`"$0"; echo ready; read line`, file)
		in, _ := cmd.StdinPipe()
		out, _ := cmd.StdoutPipe()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		_, _ = out.Read(make([]byte, 8))
		got := holders("/proc", file)
		in.Close()
		_ = cmd.Wait()
		if len(got) != c.found || c.found == 1 && got[0] != fmt.Sprintf("sh (pid %d)", cmd.Process.Pid) {
			t.Errorf("%s: %q", c.redirection, got)
		}
	}
}
