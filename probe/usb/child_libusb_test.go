//go:build cgo && linux

package usb_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/mprof/mprof/sim/usbfs"
)

// These tests run the real gousb and libusb against devices of sim/usbfs. The
// preload library must be there from the start of a process, so each test
// starts this binary again, in a role.

const roleVariable = "MPROF_USB_TEST_ROLE"

// roles are what a child does, with its arguments; it tells the test by lines
// on its output and waits for it by lines on its input.
var roles = map[string]func(ctx context.Context, args []string) error{
	"list":     listRole,
	"identify": identifyRole,
	"attach":   attachRole,
	"cancel":   cancelRole,
	"unplug":   unplugRole,
	"hold":     holdRole,
	"stall":    stallRole,
	"commands": commandsRole,
	"halt":     haltRole,
	"reopen":   reopenRole,
}

func TestMain(m *testing.M) {
	role := strings.Fields(os.Getenv(roleVariable))
	if len(role) == 0 {
		os.Exit(m.Run())
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := roles[role[0]](ctx, role[1:]); err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// newBus makes a bus, or skips where umockdev is missing; in CI that fails.
func newBus(t testing.TB) *usbfs.Bus {
	t.Helper()
	if _, err := usbfs.Preload(); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	b, err := usbfs.NewBus()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// child is a process in a role.
type child struct {
	t     testing.TB
	cmd   *exec.Cmd
	lines *bufio.Scanner
	input io.WriteCloser
	log   bytes.Buffer
}

func start(t testing.TB, b *usbfs.Bus, role string, change ...func(*exec.Cmd)) *child {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := &child{t: t, cmd: exec.Command(exe)}
	c.cmd.Env = append(os.Environ(), roleVariable+"="+role, "GORACE=atexit_sleep_ms=10")
	c.cmd.Stderr = &c.log
	for _, f := range change {
		f(c.cmd)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.lines = bufio.NewScanner(out)
	if c.input, err = c.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := b.Start(c.cmd); err != nil {
		t.Fatal(err)
	}
	return c
}

// expect reads one line of output, or fails.
func (c *child) expect(want string) {
	c.t.Helper()
	if !c.lines.Scan() {
		c.end()
		c.t.Fatalf("the child ended without %q: %s", want, c.log.String())
	}
	if got := c.lines.Text(); !strings.Contains(got, want) {
		c.t.Errorf("the child says %q, want %q", got, want)
	}
}

// end waits for the child, which must have succeeded, and returns what else it
// wrote.
func (c *child) end() string {
	c.t.Helper()
	c.input.Close()
	var rest strings.Builder
	for c.lines.Scan() {
		fmt.Fprintln(&rest, c.lines.Text())
	}
	if err := c.cmd.Wait(); err != nil {
		c.t.Errorf("child: %v\n%s%s", err, rest.String(), c.log.String())
	}
	if c.log.Len() > 0 {
		c.t.Errorf("the child complains: %s", c.log.String())
	}
	return rest.String()
}

// run is a child from start to end.
func run(t testing.TB, b *usbfs.Bus, role string, change ...func(*exec.Cmd)) string {
	t.Helper()
	return start(t, b, role, change...).end()
}

// firstLine is the first line of what a child wrote.
func firstLine(s string) string {
	l, _, _ := strings.Cut(s, "\n")
	return l
}
