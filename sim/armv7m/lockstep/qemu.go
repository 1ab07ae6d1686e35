package lockstep

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// QEMU is the name of the emulator's command.
const QEMU = "qemu-system-arm"

// qemu is a running emulator with its gdb server.
type qemu struct {
	cmd    *exec.Cmd
	dir    string
	socket string
	stderr strings.Builder
	ended  chan struct{}
}

// startQEMU loads a program into a board. args come on top of what every use
// needs; extra becomes file descriptor 3 of the process.
func startQEMU(b Board, p Program, extra *os.File, args ...string) (*qemu, error) {
	dir, err := os.MkdirTemp("", "lockstep")
	if err != nil {
		return nil, err
	}
	q := &qemu{dir: dir, socket: filepath.Join(dir, "gdb"), ended: make(chan struct{})}
	image := filepath.Join(dir, "flash.bin")
	if err := os.WriteFile(image, p.Flash, 0o600); err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	args = append([]string{"-M", b.Name, "-kernel", image, "-display", "none",
		"-monitor", "none", "-serial", "none", "-parallel", "none",
		"-gdb", "unix:" + q.socket + ",server=on,wait=off"}, args...)
	q.cmd = exec.Command(QEMU, args...)
	q.cmd.Stderr = &q.stderr
	if extra != nil {
		q.cmd.ExtraFiles = []*os.File{extra}
	}
	dieWithUs(q.cmd)
	started := make(chan error)
	go func() {
		// The thread that starts the process has to outlive it: dieWithUs.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := q.cmd.Start()
		started <- err
		if err == nil {
			q.cmd.Wait()
			close(q.ended)
		}
	}()
	if err := <-started; err != nil {
		os.RemoveAll(dir)
		return nil, fmt.Errorf("lockstep: %s: %w", QEMU, err)
	}
	return q, nil
}

// dial waits for the server's socket and connects.
func (q *qemu) dial() (*rspClient, error) {
	for {
		conn, err := net.Dial("unix", q.socket)
		if err == nil {
			c, err := newRSP(conn)
			if err != nil {
				conn.Close()
				return nil, q.failed(err)
			}
			return c, nil
		}
		select {
		case <-q.ended:
			return nil, q.failed(fmt.Errorf("lockstep: gdb server: %w", err))
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// failed adds what the emulator said when it died, for instance of a lockup.
func (q *qemu) failed(err error) error {
	select {
	case <-q.ended:
		return fmt.Errorf("%w (%s ended: %s)", err, QEMU, strings.TrimSpace(q.stderr.String()))
	case <-time.After(100 * time.Millisecond):
		return err
	}
}

func (q *qemu) close() {
	q.cmd.Process.Kill()
	<-q.ended
	os.RemoveAll(q.dir)
}

// stepped is QEMU under the gdb remote protocol.
type stepped struct {
	q       *qemu
	rsp     *rspClient
	started bool
	raw     [17 * 4]byte
	fp      []string // requests for the floating-point registers, or none
}

// StartStepped loads a program into QEMU and steps it by the gdb remote
// protocol. A step runs with interrupts on (they are taken as on the running
// machine) and with the clock of timers stopped.
func StartStepped(b Board, p Program) (Machine, error) {
	q, err := startQEMU(b, p, nil, "-S")
	if err != nil {
		return nil, err
	}
	m := &stepped{q: q}
	if b.Arch.Has(FPv4) {
		m.fp = fpRequests()
	}
	if m.rsp, err = q.dial(); err != nil {
		q.close()
		return nil, err
	}
	// Bits: 1 step, 2 mask interrupts, 4 stop timers.
	if err := m.rsp.expectOK("Qqemu.sstep=5"); err != nil {
		m.Close()
		return nil, err
	}
	return m, nil
}

func (m *stepped) Next(s *State) error {
	if m.started {
		stop, err := m.rsp.ask("s")
		if err != nil {
			return m.q.failed(err)
		}
		if len(stop) == 0 || stop[0] != 'T' {
			return fmt.Errorf("lockstep: gdb server: step: answer %q", stop)
		}
	}
	m.started = true
	regs, err := m.rsp.ask("g")
	if err != nil {
		return m.q.failed(err)
	}
	if len(regs) < 2*len(m.raw) {
		return fmt.Errorf("lockstep: gdb server: registers: answer %q", regs)
	}
	if _, err := hex.Decode(m.raw[:], regs[:2*len(m.raw)]); err != nil {
		return fmt.Errorf("lockstep: gdb server: registers: %w", err)
	}
	for i := range s.R {
		s.R[i] = binary.LittleEndian.Uint32(m.raw[4*i:])
	}
	s.XPSR = binary.LittleEndian.Uint32(m.raw[64:])
	return m.readFP(s)
}

// fpRequests asks for D0 to D15 and FPSCR. The server numbers them behind the 26
// registers that it has for ARM.
func fpRequests() []string {
	var all []string
	for n := range 17 {
		all = append(all, fmt.Sprintf("p%x", 26+n))
	}
	return all
}

// readFP reads the floating-point registers in one exchange.
func (m *stepped) readFP(s *State) error {
	if m.fp == nil {
		return nil
	}
	if err := m.rsp.sendAll(m.fp); err != nil {
		return m.q.failed(err)
	}
	for i := range m.fp {
		digits, err := m.rsp.receive()
		if err != nil {
			return m.q.failed(err)
		}
		var raw [8]byte
		n := len(raw)
		if i == 16 {
			n = 4
		}
		if len(digits) != 2*n {
			return fmt.Errorf("lockstep: gdb server: %s: answer %q", m.fp[i], digits)
		}
		if _, err := hex.Decode(raw[:n], digits); err != nil {
			return fmt.Errorf("lockstep: gdb server: %s: %w", m.fp[i], err)
		}
		low, high := binary.LittleEndian.Uint32(raw[:]), binary.LittleEndian.Uint32(raw[4:])
		if i == 16 {
			s.FPSCR = low
			break
		}
		s.S[2*i], s.S[2*i+1] = low, high
	}
	return nil
}

func (m *stepped) Memory(addr uint32, p []byte) error { return m.rsp.readMemory(addr, p) }

func (m *stepped) Close() error {
	var err error
	if m.rsp != nil {
		err = m.rsp.conn.Close()
	}
	m.q.close()
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
