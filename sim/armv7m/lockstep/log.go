package lockstep

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"sync"

	"github.com/mprof/mprof/sim/qemu"
)

// logged is QEMU writing its own log of states, with one instruction in each
// translation block.
type logged struct {
	q  *qemu.Machine
	r  *os.File
	in *bufio.Reader
	fp bool
}

// StartLogged loads a program into QEMU and lets it run, reading the state that
// it logs before every instruction. Nothing but its log paces it.
func StartLogged(b Board, p Program) (Machine, error) {
	single, err := oneInstruction()
	if err != nil {
		return nil, err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	items, fp := "cpu,nochain", b.Arch.Has(FPv4)
	if fp {
		items += ",fpu"
	}
	q, err := startQEMU(b, p, false, w, append(single, "-d", items, "-D", "/dev/fd/3")...)
	w.Close()
	if err != nil {
		r.Close()
		return nil, err
	}
	return &logged{q: q, r: r, in: bufio.NewReaderSize(r, 1<<16), fp: fp}, nil
}

var versionLine = regexp.MustCompile(`version (\d+)\.(\d+)`)

// oneInstruction is the option that makes blocks of one instruction; it was
// renamed in QEMU 8.1.
var oneInstruction = sync.OnceValues(func() ([]string, error) {
	out, err := exec.Command(qemu.Command, "--version").Output()
	if err != nil {
		return nil, fmt.Errorf("lockstep: %s --version: %w", qemu.Command, err)
	}
	m := versionLine.FindSubmatch(out)
	if m == nil {
		return nil, fmt.Errorf("lockstep: %s --version: no version in %q", qemu.Command, out)
	}
	major, _ := strconv.Atoi(string(m[1]))
	minor, _ := strconv.Atoi(string(m[2]))
	if major > 8 || major == 8 && minor >= 1 {
		return []string{"-accel", "tcg,one-insn-per-tb=on"}, nil
	}
	return []string{"-singlestep"}, nil
})

func (m *logged) Next(s *State) error {
	err := readState(m.in, s)
	if err == nil && m.fp {
		err = readFP(m.in, s)
	}
	if err != nil {
		return m.q.Failed(err)
	}
	return nil
}

// readState reads one record of the log: four lines of four registers, "R00="
// and so on, and a line that begins with "XPSR=".
func readState(in *bufio.Reader, s *State) error {
	for i := 0; i < 16; i += 4 {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return fmt.Errorf("lockstep: log of %s: %w", qemu.Command, err)
		}
		if len(line) < 51 || line[0] != 'R' {
			return fmt.Errorf("lockstep: log of %s: no registers in %q", qemu.Command, line)
		}
		for k := range 4 {
			s.R[i+k] = hex8(line[13*k+4:])
		}
	}
	line, err := in.ReadSlice('\n')
	if err != nil {
		return fmt.Errorf("lockstep: log of %s: %w", qemu.Command, err)
	}
	if !bytes.HasPrefix(line, []byte("XPSR=")) || len(line) < 14 {
		return fmt.Errorf("lockstep: log of %s: no xPSR in %q", qemu.Command, line)
	}
	s.XPSR = hex8(line[5:])
	return nil
}

// readFP reads what follows with the floating-point extension: 16 lines of "s00="
// for each two registers and the double that they are, and one that begins with
// "FPSCR:".
func readFP(in *bufio.Reader, s *State) error {
	for i := 0; i < 32; i += 2 {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return fmt.Errorf("lockstep: log of %s: %w", qemu.Command, err)
		}
		if len(line) < 25 || line[0] != 's' {
			return fmt.Errorf("lockstep: log of %s: no S%d in %q", qemu.Command, i, line)
		}
		s.S[i], s.S[i+1] = hex8(line[4:]), hex8(line[17:])
	}
	line, err := in.ReadSlice('\n')
	if err != nil {
		return fmt.Errorf("lockstep: log of %s: %w", qemu.Command, err)
	}
	if !bytes.HasPrefix(line, []byte("FPSCR: ")) || len(line) < 15 {
		return fmt.Errorf("lockstep: log of %s: no FPSCR in %q", qemu.Command, line)
	}
	s.FPSCR = hex8(line[7:])
	return nil
}

// hex8 reads eight lower-case digits. The emulator writes nothing else there.
func hex8(p []byte) uint32 {
	v := uint32(0)
	for _, c := range p[:8] {
		d := uint32(c) - '0'
		if d > 9 {
			d -= 'a' - '0' - 10
		}
		v = v<<4 | d&15
	}
	return v
}

// Memory stops the machine and reads by its gdb server; the log goes on being
// read meanwhile, lest the emulator wait for room in it.
func (m *logged) Memory(addr uint32, p []byte) error {
	quit := make(chan struct{})
	go func() {
		defer close(quit)
		for {
			if _, err := m.in.Discard(1 << 12); err != nil {
				return
			}
		}
	}()
	c, err := m.q.Stub()
	if err != nil {
		return err
	}
	err = c.ReadMemory(addr, p)
	c.Close()
	m.q.Close()
	<-quit
	return err
}

func (m *logged) Close() error {
	select {
	case <-m.q.Ended():
	default:
		m.q.Close()
	}
	return m.r.Close()
}
