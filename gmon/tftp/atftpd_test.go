package tftp_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mprof/mprof/gmon/tftp"
)

// TestAtftpd: a server that others wrote gives the file as it is, and says which it does not have.
func TestAtftpd(t *testing.T) {
	path, err := exec.LookPath("atftpd")
	if err != nil {
		path = "/usr/sbin/atftpd"
	}
	if _, err := os.Stat(path); err != nil {
		give := t.Skipf
		if os.Getenv("CI") == "true" {
			give = t.Fatalf
		}
		give("%v (Debian and Ubuntu: scripts/setup.sh test installs it)", err)
	}
	dir := t.TempDir()
	want := make([]byte, 64712)
	_, _ = rand.NewChaCha8([32]byte{2}).Read(want)
	if err := os.WriteFile(filepath.Join(dir, "gmon.out"), want, 0o644); err != nil {
		t.Fatal(err)
	}
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	group, err := user.LookupGroupId(me.Gid)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	port := conn.LocalAddr().(*net.UDPAddr).Port
	conn.Close()
	server := exec.Command(path, "--daemon", "--no-fork", "--port", fmt.Sprint(port), "--bind-address", "127.0.0.1", "--user", me.Username+"."+group.Name, "--logfile", "-", dir)
	var log bytes.Buffer
	server.Stdout, server.Stderr = &log, &log
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	})
	s, err := tftp.Parse(fmt.Sprintf("tftp://127.0.0.1:%d", port))
	if err != nil {
		t.Fatal(err)
	}
	var got []byte
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if got, err = s.Fetch(t.Context()); !errors.Is(err, tftp.ErrUnreachable) && (err == nil || !strings.Contains(err.Error(), "refused")) {
			break
		}
	}
	if err != nil || !bytes.Equal(got, want) {
		t.Fatalf("%d bytes of %d: %v", len(got), len(want), err)
	}
	other, err := tftp.Parse(fmt.Sprintf("tftp://127.0.0.1:%d/other", port))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Fetch(t.Context()); err == nil || !strings.Contains(err.Error(), "File not found") {
		t.Errorf("a file that is not there: %v", err)
	}
}
