//go:build cgo && linux

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mprof/mprof/firmware/demo"
	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/sim"
	"github.com/mprof/mprof/sim/usbfs"
)

// These tests run mprof as a process of its own through the real gousb and
// libusb: on the USB bus of sim/usbfs are simulated boards that run in real
// time.

// newUSB makes a bus, or skips where umockdev is missing; in CI that fails.
func newUSB(t testing.TB) *usbfs.Bus {
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

// usbBoard is a board whose probe is plugged in.
type usbBoard struct {
	*sim.Board
	*witness
	bus    *usbfs.Bus
	cable  *cable
	device *usbfs.Device
	serial string
	wrap   func(probe.Transport) probe.Transport // between cable and probe; nil: nothing
}

// usbCoreHz is a clock that the slowest machine simulates in real time, also
// under the race detector.
const usbCoreHz = 2_000_000

func plugBoard(t testing.TB, bus *usbfs.Bus, o sim.Options) *usbBoard {
	t.Helper()
	return plugBoardBehind(t, bus, o, nil)
}

func plugBoardBehind(t testing.TB, bus *usbfs.Bus, o sim.Options, wrap func(probe.Transport) probe.Transport) *usbBoard {
	t.Helper()
	o.ELF = demo.ELF
	if o.CoreHz == 0 {
		o.CoreHz = usbCoreHz
	}
	board, err := sim.New(o)
	if err != nil {
		t.Fatal(err)
	}
	w := &witness{}
	w.watch(board)
	b := &usbBoard{Board: board, witness: w, bus: bus, serial: board.Model().Serial, wrap: wrap}
	b.plug(t)
	return b
}

// plug puts the probe on the bus, for the first time or again.
func (b *usbBoard) plug(t testing.TB) {
	t.Helper()
	transport := b.PacedTransport()
	if b.wrap != nil {
		transport = b.wrap(transport)
	}
	b.cable = &cable{Transport: transport}
	d, err := b.bus.Plug(usbfs.ConfigOf(b.Model()), b.cable)
	if err != nil {
		t.Fatal(err)
	}
	b.device = d
}

// leftRunning checks the promise: resumed, C_DEBUGEN clear.
func (b *usbBoard) leftRunning(t testing.TB) {
	t.Helper()
	if s := b.CoreState(); s.Halted || s.DebugEnabled {
		t.Errorf("the core is left %+v, want it running with C_DEBUGEN clear", s)
	}
}

// process is mprof on a bus.
type process struct {
	t              testing.TB
	dir, elf       string
	cmd            *exec.Cmd
	stdout, stderr bytes.Buffer
	ended          chan struct{}
}

// usbStart runs mprof as a process that sees the bus.
func usbStart(t testing.TB, bus *usbfs.Bus, args ...string) *process {
	t.Helper()
	return usbStartAs(t, bus, func(*exec.Cmd) {}, args...)
}

// usbStartAs is usbStart with a change to the process.
func usbStartAs(t testing.TB, bus *usbfs.Bus, change func(*exec.Cmd), args ...string) *process {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{t: t, dir: t.TempDir(), cmd: exec.Command(exe, args...), ended: make(chan struct{})}
	// The race detector would make each process wait for a second at its end.
	p.cmd.Env = append(os.Environ(), "MPROF_TEST_AS_COMMAND=1", "GORACE=atexit_sleep_ms=10")
	p.cmd.Dir = p.dir
	p.cmd.Stdout, p.cmd.Stderr = &p.stdout, &p.stderr
	change(p.cmd)
	if err := bus.Start(p.cmd); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = p.cmd.Wait()
		close(p.ended)
	}()
	t.Cleanup(func() { _ = p.cmd.Process.Kill(); <-p.ended })
	return p
}

// sample runs mprof sample on a board's probe. It writes run.mprof and
// out.folded, and its summary as JSON.
func (b *usbBoard) sample(t testing.TB, args ...string) *process {
	t.Helper()
	elf := filepath.Join(t.TempDir(), "demo.elf")
	if err := os.WriteFile(elf, demo.ELF, 0o666); err != nil {
		t.Fatal(err)
	}
	p := usbStart(t, b.bus, append([]string{"sample", "--probe", b.serial, "--max-overhead", "none", "--json", "--record", "run.mprof", "-o", "out.folded", elf}, args...)...)
	p.elf = elf
	return p
}

// end waits for the process and checks its exit code.
func (p *process) end(code int) {
	p.t.Helper()
	select {
	case <-p.ended:
	case <-time.After(60 * time.Second):
		p.t.Fatal("mprof does not end")
	}
	if got := p.cmd.ProcessState.ExitCode(); got != code {
		p.t.Fatalf("exit code %d, want %d: %s", got, code, p.stderr.String())
	}
	if strings.Contains(p.stderr.String(), "DATA RACE") {
		p.t.Error(p.stderr.String())
	}
}

// file is a path in the folder of the process.
func (p *process) file(name string) string { return filepath.Join(p.dir, name) }

// recorded waits until the recording has so many bytes; a sample takes some
// hundred.
func (p *process) recorded(bytes int64) {
	p.t.Helper()
	p.wait(func() bool { return p.size() >= bytes })
}

// says tells whether the recording says that something has happened.
func (p *process) says(event string) bool {
	recorded, err := os.ReadFile(p.file("run.mprof"))
	return err == nil && bytes.Contains(recorded, []byte(event))
}

// more waits until so many more are recorded.
func (p *process) more(bytes int64) {
	p.t.Helper()
	p.recorded(p.size() + bytes)
}

func (p *process) size() int64 {
	info, err := os.Stat(p.file("run.mprof"))
	if err != nil {
		return 0
	}
	return info.Size()
}

// wait waits for something while mprof runs.
func (p *process) wait(until func() bool) {
	p.t.Helper()
	for range 12_000 { // a minute or more
		if until() {
			return
		}
		select {
		case <-p.ended:
			p.t.Fatalf("mprof ended: %s", p.stderr.String())
		case <-time.After(5 * time.Millisecond):
		}
	}
	_ = p.cmd.Process.Signal(syscall.SIGQUIT) // its goroutines
	<-p.ended
	p.t.Fatalf("mprof does not get on: %s", p.stderr.String())
}

// usbSummary is what mprof says of a run.
type usbSummary struct {
	Duration  float64 `json:"duration_s"`
	EndReason string  `json:"end_reason"`
	Samples   struct {
		Asked, Taken int
		Missed       map[string]int
	}
	Away []usbAway
}

// usbAway is the time of a run of which nothing is known, for one reason.
type usbAway struct {
	Name  string
	TimeS float64 `json:"time_s"`
}

func (p *process) summary() (s usbSummary) {
	p.t.Helper()
	if err := json.Unmarshal(p.stdout.Bytes(), &s); err != nil {
		p.t.Fatalf("--json printed %q: %v", p.stdout.String(), err)
	}
	return s
}
