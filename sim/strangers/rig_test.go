//go:build linux

package strangers

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mprof/mprof/firmware/demo"
	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/sim"
	"github.com/mprof/mprof/sim/usbfs"
)

// rig is a simulated board on a USB bus that programs under umockdev's preload
// library see.
type rig struct {
	t     testing.TB
	board *sim.Board
	bus   *usbfs.Bus
	log   *packetLog
	elf   []byte // of the program that runs
}

// newRig plugs a board in whose clock goes on with the packets. It runs the
// built-in firmware where o names none.
func newRig(t testing.TB, o sim.Options) *rig {
	t.Helper()
	return plugIn(t, o, (*sim.Board).Transport)
}

// newPacedRig plugs a board in whose clock follows the wall clock.
func newPacedRig(t testing.TB, o sim.Options) *rig {
	t.Helper()
	return plugIn(t, o, (*sim.Board).PacedTransport)
}

func plugIn(t testing.TB, o sim.Options, connect func(*sim.Board) probe.Transport) *rig {
	t.Helper()
	if o.ELF == nil {
		o.ELF = demo.ELF
	}
	if _, err := usbfs.Preload(); err != nil {
		missing(t, err.Error())
	}
	board, err := sim.New(o)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, board: board, elf: o.ELF, log: newPacketLog(connect(board))}
	if r.bus, err = usbfs.NewBus(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.close)
	if _, err := r.bus.Plug(usbfs.ConfigOf(board.Model()), r.log); err != nil {
		t.Fatal(err)
	}
	return r
}

// close unplugs the board, which stops its clock.
func (r *rig) close() {
	if r.bus == nil {
		return
	}
	if err := r.bus.Close(); err != nil {
		r.t.Error(err)
	}
	r.bus = nil
}

// start starts a program that sees the bus.
func (r *rig) start(cmd *exec.Cmd) {
	r.t.Helper()
	cmd.WaitDelay = 5 * time.Second
	if err := r.bus.Start(cmd); err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() {
		if cmd.ProcessState == nil {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	})
}

// environ is what a program's environment needs to see the bus. Further
// libraries to preload go before everything that it links to.
func (r *rig) environ(preload ...string) []string {
	r.t.Helper()
	environ, err := r.bus.Environ()
	if err != nil {
		r.t.Fatal(err)
	}
	for i, v := range environ {
		if strings.HasPrefix(v, "LD_PRELOAD=") {
			environ[i] = strings.Join(append([]string{v}, preload...), ":")
		}
	}
	return environ
}

// register is what a core register really holds. The core must be halted.
func (r *rig) register(sel uint8) uint32 {
	r.t.Helper()
	r.halted()
	var v uint32
	var ok bool
	r.board.Hold(func() { v, ok = r.board.Core().ReadReg(sel) })
	if !ok {
		r.t.Fatalf("the core has no register %d", sel)
	}
	return v
}

// word is what a word of memory really holds.
func (r *rig) word(addr uint32) uint32 {
	r.t.Helper()
	r.halted()
	var v uint32
	var ok bool
	r.board.Hold(func() { v, ok = r.board.Core().ReadBus(addr, 4) })
	if !ok {
		r.t.Fatalf("there is no memory at 0x%08x", addr)
	}
	return v
}

func (r *rig) halted() {
	r.t.Helper()
	if s := r.board.CoreState(); !s.Halted {
		r.t.Fatalf("the core is not halted: %+v", s)
	}
}

// instructions is how many the core has executed.
func (r *rig) instructions() (n uint64) {
	r.board.Hold(func() { n = r.board.Core().Instructions() })
	return n
}

// running fails the test unless the core runs.
func (r *rig) running() {
	r.t.Helper()
	if s := r.board.CoreState(); s.Halted || s.LockedUp {
		r.t.Errorf("the core was left %+v", s)
	}
}

// tool finds a program, or skips the test.
func tool(t testing.TB, name, debianPackage string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		missing(t, name+" is not there: install the package "+debianPackage)
	}
	return path
}

// library finds a shared library of the distribution, or skips the test.
func library(t testing.TB, name, debianPackage string) string {
	t.Helper()
	for _, pattern := range []string{"/usr/lib/*/", "/usr/lib64/", "/usr/lib/"} {
		if found, _ := filepath.Glob(pattern + name); len(found) > 0 {
			return found[0]
		}
	}
	missing(t, name+" is not there: install the package "+debianPackage)
	return ""
}

// missing skips a test whose tools are not there; in CI it fails.
func missing(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(what)
	}
	t.Skip(what)
}

// syncBuffer takes a program's output while a test looks at it.
type syncBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
