//go:build linux && cgo

package strangers

import (
	"debug/elf"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mprof/mprof/firmware/shares"
	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/sim"
	"github.com/mprof/mprof/sim/qemu"
)

// gdbServer is a GDB server with the program of known shares behind it.
type gdbServer struct {
	name    string
	address string             // what stands behind "gdb:" of --probe
	elf     string             // path of the program
	self    map[string]float64 // true shares of the time
	least   int                // samples that a run of a few seconds has, even on a busy machine
	state   func() (running bool, rounds uint32)
	log     func() string
	rig     *rig // of a simulated board; nil: QEMU
}

// gdbServers are those that run here.
var gdbServers = []struct {
	name  string
	start func(t testing.TB) *gdbServer
}{
	{"microbit", qemuBoard("microbit")},
	{"mps2-an385", qemuBoard("mps2-an385")},
	{"mps2-an386", qemuBoard("mps2-an386")},
	{"mps2-an505", qemuBoard("mps2-an505")},
	{"virt", qemuBoard("virt")},
	{"OpenOCD", openocdServer},
	{"pyOCD", pyocdServer},
}

// qemuClock has an instruction of QEMU take 128 ns of the board's own time, which goes as fast
// as the host can. Without it an instruction takes as long as it happens to, and a stop comes
// most often where one block of translated code leads to another. With align=on, as if in
// time with the wall clock, a busy host makes QEMU late, and it answers after seconds.
const (
	qemuClock      = "shift=7"
	qemuNanosecond = 128
)

func qemuBoard(name string) func(t testing.TB) *gdbServer {
	return func(t testing.TB) *gdbServer {
		for _, b := range shares.Boards() {
			if b.Name != name {
				continue
			}
			elf := b.ELF(t)
			m := qemu.Start(t, qemu.Options{Board: b.Name, ELF: elf, Silent: true, GDB: true, Icount: qemuClock})
			at := addressOf(t, elf, "rounds")
			return &gdbServer{name: "QEMU " + b.Name, address: m.GDB, elf: elf, self: b.Self(qemuNanosecond), least: 200, log: m.Said,
				state: func() (bool, uint32) {
					running, err := m.Running()
					if err != nil {
						t.Fatal(err)
					}
					n, err := m.Word(at)
					if err != nil {
						t.Fatal(err)
					}
					return running, n
				}}
		}
		t.Fatalf("no board %s", name)
		return nil
	}
}

// sharesRig is a simulated board with the program of known shares, and its ELF file. Its
// clock goes so many times slower than the wall clock.
func sharesRig(t testing.TB, model string, slower int) *gdbServer {
	r := plugIn(t, sim.Options{ELF: shares.ELF, Model: model, NoPCSR: true, Seed: 1}, func(b *sim.Board) probe.Transport {
		b.SlowMotion(slower)
		return b.PacedTransport()
	})
	elf := filepath.Join(t.TempDir(), "shares.elf")
	if err := os.WriteFile(elf, shares.ELF, 0o644); err != nil {
		t.Fatal(err)
	}
	at := addressOf(t, elf, "rounds")
	return &gdbServer{rig: r, elf: elf, self: shares.Self(), least: 40, state: func() (bool, uint32) {
		var n uint32
		r.board.Hold(func() { n, _ = r.board.Core().ReadBus(at, 4) })
		s := r.board.CoreState()
		return !s.Halted && !s.LockedUp, n
	}}
}

// resumeOnLoss has OpenOCD resume the core when gdb, or mprof, is gone without a word.
const resumeOnLoss = "board.core configure -event gdb-detach { catch { resume } }"

func openocdServer(t testing.TB) *gdbServer { return openocdWith(t, 1, resumeOnLoss) }

// openocdWith starts OpenOCD as GDB server of a simulated board.
func openocdWith(t testing.TB, slower int, config ...string) *gdbServer {
	path := tool(t, "openocd", "openocd")
	s, port := sharesRig(t, "mcu-link", slower), freePort(t)
	config = append(config, "tcl_port disabled", fmt.Sprintf("gdb_port %d", port))
	cmd := exec.Command(path, openocdArgs(config...)...)
	return s.serve(t, cmd, "OpenOCD", port)
}

// pyocdServer starts pyOCD as GDB server of a simulated board. Debian's pyOCD knows HID alone.
func pyocdServer(t testing.TB) *gdbServer { return pyocdWith(t, 1) }

func pyocdWith(t testing.TB, slower int) *gdbServer {
	tool(t, "pyocd-gdbserver", "python3-pyocd")
	s, port := sharesRig(t, "daplink-hid", slower), freePort(t)
	cmd := exec.Command(python, "testdata/pyocd_gdbserver.py", "--target", "cortex_m", "--persist", "--port", fmt.Sprint(port), "--telnet-port", "0", "--frequency", "4000000")
	s.least = 5 // Python, HID, and a transfer for each register
	return s.serve(t, cmd, "pyOCD", port)
}

// serve starts the program and waits until it listens.
func (s *gdbServer) serve(t testing.TB, cmd *exec.Cmd, name string, port int) *gdbServer {
	t.Helper()
	var log syncBuffer
	cmd.Stdout, cmd.Stderr = &log, &log
	s.rig.start(cmd)
	s.name, s.address, s.log = name, fmt.Sprintf("127.0.0.1:%d", port), log.String
	for end := time.Now().Add(time.Minute); !listens(port); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s does not listen: %s", name, log.String())
		}
	}
	return s
}

// listens looks at the kernel's table: a connection would halt the core.
func listens(port int) bool { return inState(port, "0A") } // TCP_LISTEN

// inState tells whether this end of a port has a connection in one of these states of the kernel's.
func inState(port int, states ...string) bool {
	table, err := os.ReadFile("/proc/net/tcp")
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(table)) {
		f := strings.Fields(line)
		if len(f) > 3 && strings.HasSuffix(f[1], fmt.Sprintf(":%04X", port)) && slices.Contains(states, f[3]) {
			return true
		}
	}
	return false
}

func freePort(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// runs fails the test unless the core runs and its counter goes on.
func (s *gdbServer) runs(t testing.TB) {
	t.Helper()
	running, before := s.state()
	if !running {
		t.Fatalf("%s: the core was left halted\n%s", s.name, s.log())
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		if _, after := s.state(); after != before {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s: the program counts no further than %d\n%s", s.name, before, s.log())
		}
	}
}

// addressOf is the value of a symbol.
func addressOf(t testing.TB, path, name string) uint32 {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range symbols {
		if s.Name == name {
			return uint32(s.Value)
		}
	}
	t.Fatalf("%s has no symbol %s", path, name)
	return 0
}
