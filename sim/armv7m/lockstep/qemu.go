package lockstep

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/mprof/mprof/sim/qemu"
)

// startQEMU loads a program into a board. args come on top of what every use
// needs; file becomes file descriptor 3 of the process.
func startQEMU(b Board, p Program, halted bool, file *os.File, args ...string) (*qemu.Machine, error) {
	return qemu.Open(qemu.Options{Board: b.Name, Flash: p.Flash, Silent: true, GDB: true, Halted: halted, Icount: qemu.WallClock, File: file, Args: args})
}

// stepped is QEMU under the gdb remote protocol.
type stepped struct {
	q       *qemu.Machine
	rsp     *qemu.Stub
	started bool
	regs    [17]uint32
	fp      []string // requests for the floating-point registers, or none
}

// StartStepped loads a program into QEMU and steps it by the gdb remote
// protocol. A step runs with interrupts on (they are taken as on the running
// machine) and with the clock of timers stopped.
func StartStepped(b Board, p Program) (Machine, error) {
	q, err := startQEMU(b, p, true, nil)
	if err != nil {
		return nil, err
	}
	m := &stepped{q: q}
	if b.Arch.Has(FPv4) {
		m.fp = fpRequests()
	}
	if m.rsp, err = q.Stub(); err != nil {
		q.Close()
		return nil, err
	}
	// Bits: 1 step, 2 mask interrupts, 4 stop timers.
	if err := m.rsp.AskOK("Qqemu.sstep=5"); err != nil {
		m.Close()
		return nil, err
	}
	return m, nil
}

func (m *stepped) Next(s *State) error {
	if m.started {
		if err := m.rsp.Step(); err != nil {
			return err
		}
	}
	m.started = true
	if err := m.rsp.Registers(m.regs[:]); err != nil {
		return err
	}
	copy(s.R[:], m.regs[:])
	s.XPSR = m.regs[16]
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
	if err := m.rsp.Send(m.fp...); err != nil {
		return err
	}
	for i := range m.fp {
		digits, err := m.rsp.Receive()
		if err != nil {
			return err
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

func (m *stepped) Memory(addr uint32, p []byte) error { return m.rsp.ReadMemory(addr, p) }

func (m *stepped) Close() error {
	var err error
	if m.rsp != nil {
		err = m.rsp.Close()
	}
	m.q.Close()
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
