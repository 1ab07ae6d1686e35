package qemu

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// prompt ends what the monitor says.
const prompt = "(qemu) "

// Monitor gives a command to the emulator's monitor ("QEMU Monitor" in its manual) and
// returns what it prints. The machine need not be stopped for it, and does not stop.
func (m *Machine) Monitor(command string) (string, error) {
	conn, err := m.dial(m.socket())
	if err != nil {
		return "", fmt.Errorf("qemu: monitor: %w", err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(patience))
	if _, err := readTo(conn, prompt); err != nil {
		return "", m.Failed(fmt.Errorf("qemu: monitor: %w", err))
	}
	if _, err := io.WriteString(conn, command+"\n"); err != nil {
		return "", m.Failed(fmt.Errorf("qemu: monitor: %s: %w", command, err))
	}
	text, err := readTo(conn, prompt)
	if err != nil {
		return "", m.Failed(fmt.Errorf("qemu: monitor: %s: %w", command, err))
	}
	_, text, _ = strings.Cut(text, "\r\n") // the echo, drawn letter by letter
	return strings.TrimSpace(text), nil
}

// patience is how long the monitor or the gdb server may take for one answer.
const patience = 60 * time.Second

// dial waits for a server's socket and connects.
func (m *Machine) dial(path string) (net.Conn, error) {
	for {
		conn, err := net.Dial("unix", path)
		if err == nil {
			return conn, nil
		}
		select {
		case <-m.ended:
			return nil, m.Failed(err)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// readTo reads up to a text, which it leaves out.
func readTo(r io.Reader, end string) (string, error) {
	var all []byte
	for p := make([]byte, 4096); ; {
		n, err := r.Read(p)
		all = append(all, p[:n]...)
		if before, ok := bytes.CutSuffix(all, []byte(end)); ok {
			return string(before), nil
		}
		if err != nil {
			return "", fmt.Errorf("%w after %q", err, all)
		}
	}
}

// Reset resets the board.
func (m *Machine) Reset() error {
	_, err := m.Monitor("system_reset")
	return err
}

// Running tells whether the machine executes: no debugger has halted it.
func (m *Machine) Running() (bool, error) {
	text, err := m.Monitor("info status")
	if err != nil {
		return false, err
	}
	state, ok := strings.CutPrefix(text, "VM status: ")
	if !ok {
		return false, fmt.Errorf("qemu: monitor: info status: %q", text)
	}
	return state == "running", nil
}

var examined = regexp.MustCompile(`^[0-9a-f]+: 0x([0-9a-f]{8})$`)

// Word reads a word of memory, which is little-endian, while the machine runs or not.
func (m *Machine) Word(addr uint32) (uint32, error) {
	command := fmt.Sprintf("xp /1xw 0x%x", addr)
	text, err := m.Monitor(command)
	if err != nil {
		return 0, err
	}
	found := examined.FindStringSubmatch(text)
	if found == nil {
		return 0, fmt.Errorf("qemu: monitor: %s: %q", command, text)
	}
	v, err := strconv.ParseUint(found[1], 16, 32)
	return uint32(v), err
}
