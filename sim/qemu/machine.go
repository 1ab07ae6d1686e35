// Package qemu runs firmware on QEMU's boards, for tests. In: an ELF file and the name of a
// board. Out: its serial port as a pty, and how many instructions each call of chosen functions
// took, counted by a plugin.
package qemu

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Command is the emulator.
const Command = "qemu-system-arm"

// NsPerInstruction is how long an instruction takes on the clock of a machine.
// Its timers follow that clock.
const NsPerInstruction = 1 << icountShift

const icountShift = 5

// Options says what runs.
type Options struct {
	Board string // as for qemu-system-arm -M
	ELF   string // path
	Count *Count // what the plugin notes; nil: no plugin
}

// Machine is a running emulator.
type Machine struct {
	Pty string // of its first serial port

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

// Start starts a board, which runs from reset at once. It ends with the test.
func Start(t testing.TB, o Options) *Machine {
	t.Helper()
	Require(t, Command)
	m := &Machine{dir: t.TempDir(), ended: make(chan struct{})}
	args := []string{"-M", o.Board, "-kernel", o.ELF, "-display", "none", "-parallel", "none",
		"-monitor", "unix:" + m.socket() + ",server=on,wait=off", "-serial", "pty", "-icount", fmt.Sprintf("shift=%d,align=on", icountShift)}
	if o.Count != nil {
		plugin, err := m.prepareCount(t, o)
		if err != nil {
			t.Fatal(err)
		}
		args = append(args, "-plugin", plugin)
	}
	if err := m.start(args); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Stop)
	return m
}

func (m *Machine) socket() string { return filepath.Join(m.dir, "monitor") }

var redirected = regexp.MustCompile(`redirected to (\S+)`)

// start starts the process and waits for the name of its pty.
func (m *Machine) start(args []string) error {
	m.cmd = exec.Command(Command, args...)
	m.cmd.Stderr = &m.said
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
		return fmt.Errorf("qemu: %s: %w", Command, err)
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
	select {
	case m.Pty = <-pty:
		return nil
	case <-m.ended:
		return fmt.Errorf("qemu: %s ended: %s", Command, m.said.String())
	case <-time.After(20 * time.Second):
		m.Stop()
		return fmt.Errorf("qemu: no pty: %s", m.said.String())
	}
}

// Reset resets the board.
func (m *Machine) Reset() error {
	conn, err := net.Dial("unix", m.socket())
	if err != nil {
		return fmt.Errorf("qemu: monitor: %w", err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(10 * time.Second))
	if _, err := io.WriteString(conn, "system_reset\ninfo status\n"); err != nil {
		return fmt.Errorf("qemu: monitor: %w", err)
	}
	for s := bufio.NewScanner(conn); s.Scan(); {
		if bytes.Contains(s.Bytes(), []byte("VM status")) {
			return nil
		}
	}
	return fmt.Errorf("qemu: monitor: no answer to system_reset")
}

// Stop ends the emulator.
func (m *Machine) Stop() {
	m.closed.Do(func() {
		m.cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-m.ended:
		case <-time.After(10 * time.Second):
			m.cmd.Process.Kill()
			<-m.ended
		}
	})
}

// Said is what the emulator wrote: complaints, the firmware's faults.
func (m *Machine) Said() string { return m.said.String() }
