// Package qemu runs programs on QEMU's boards, for tests. In: an ELF file and the name of a
// board. Out: its serial port as a pty, its gdb server, its monitor, and how many instructions
// each call of chosen functions took, counted by a plugin.
package qemu

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Machine is a running emulator.
type Machine struct {
	Pty string // of its first serial port; "": none
	GDB string // path of the gdb server's socket; "": none
	// Pipe is its first serial port with Options.Pipe: a host that does not get to read for seconds
	// does not hold up the target. Whoever uses it closes it.
	Pipe io.ReadWriteCloser

	cmd    *exec.Cmd
	dir    string
	said   lockedBuffer
	ended  chan struct{}
	calls  string // file of the plugin; "": none
	closed sync.Once

	program *program
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// Require skips a test where a tool is missing, and fails it where CI=true.
func Require(t testing.TB, tools ...string) {
	t.Helper()
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			give := t.Skipf
			if os.Getenv("CI") == "true" {
				give = t.Fatalf
			}
			give("%v (Debian and Ubuntu: scripts/setup.sh test installs it)", err)
		}
	}
}

// Start starts a board, which runs from reset at once. It is ready, and ends with the test.
func Start(t testing.TB, o Options) *Machine {
	t.Helper()
	Require(t, o.command())
	if o.Count != nil {
		Require(t, "cc")
	}
	m, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	if o.GDB {
		if _, err := m.Monitor("info status"); err != nil { // the server listens before the monitor answers
			t.Fatal(m.Failed(err))
		}
	}
	return m
}

// Open is Start without a test, which has to call Close. Of what it waits for, only the
// name of the pty is there for sure.
func Open(o Options) (*Machine, error) {
	dir, err := os.MkdirTemp("", "qemu") // a test's folder may be too long for a socket
	if err != nil {
		return nil, fmt.Errorf("qemu: %w", err)
	}
	m := &Machine{dir: dir, ended: make(chan struct{})}
	args, err := m.arguments(o)
	if err == nil {
		err = m.start(o, args)
	}
	if err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	return m, nil
}

func (m *Machine) socket() string { return filepath.Join(m.dir, "monitor") }

var redirected = regexp.MustCompile(`redirected to (\S+)`)

// start starts the process and waits for the name of its pty.
func (m *Machine) start(o Options, args []string) error {
	m.cmd = exec.Command(o.command(), args...)
	m.cmd.Stderr = &m.said
	if o.File != nil {
		m.cmd.ExtraFiles = []*os.File{o.File}
	}
	dieWithUs(m.cmd)
	out, err := m.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	started := make(chan error)
	go func() {
		// The thread that starts the process has to outlive it: dieWithUs.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		started <- m.cmd.Start()
		<-m.ended
	}()
	if err := <-started; err != nil {
		close(m.ended)
		return fmt.Errorf("qemu: %s: %w", o.command(), err)
	}
	pty := make(chan string, 1)
	go func() {
		for s := bufio.NewScanner(io.TeeReader(out, &m.said)); s.Scan(); {
			if name := redirected.FindStringSubmatch(s.Text()); name != nil {
				pty <- name[1]
			}
		}
		m.cmd.Wait()
		close(m.ended)
	}()
	if o.Silent || o.Pipe {
		return nil
	}
	select {
	case m.Pty = <-pty:
		return nil
	case <-m.ended:
		return fmt.Errorf("qemu: %s ended: %s", o.command(), m.said.String())
	case <-time.After(patience):
		m.Stop()
		return fmt.Errorf("qemu: no pty: %s", m.said.String())
	}
}

// Failed adds what the emulator said when it died, for instance of a lockup.
func (m *Machine) Failed(err error) error {
	select {
	case <-m.ended:
		return fmt.Errorf("%w (%s ended: %s)", err, filepath.Base(m.cmd.Path), strings.TrimSpace(m.said.String()))
	case <-time.After(100 * time.Millisecond):
		return err
	}
}

// Stop ends the emulator.
func (m *Machine) Stop() {
	m.closed.Do(func() {
		m.cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-m.ended:
		case <-time.After(patience):
			m.cmd.Process.Kill()
			<-m.ended
		}
	})
}

// Close ends the emulator and removes its files.
func (m *Machine) Close() {
	m.Stop()
	os.RemoveAll(m.dir)
}

// Ended is closed once the emulator has ended.
func (m *Machine) Ended() <-chan struct{} { return m.ended }

// Said is what the emulator wrote: complaints, the firmware's faults.
func (m *Machine) Said() string { return m.said.String() }
