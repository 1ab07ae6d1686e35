package mprof_test

import (
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/mprof/mprof/sim"
	"github.com/mprof/mprof/sim/armv7m"
	"github.com/mprof/mprof/trace"
)

// machine is testdata/arm/interrupted.c, and where its parts are.
type machine struct {
	elf     []byte
	symbols map[string]uint32
	buildID []byte
}

func buildMachine(t *testing.T, flags ...string) *machine {
	t.Helper()
	gcc := tool(t, "arm-none-eabi-gcc", "apt install gcc-arm-none-eabi libnewlib-arm-none-eabi")
	crc := func(command byte, body ...byte) string {
		p := trace.AppendCommand(nil, command, body...)
		return fmt.Sprintf("%d,%d", p[len(p)-3], p[len(p)-2])
	}
	out := filepath.Join(t.TempDir(), "interrupted.elf")
	args := append([]string{
		"-mthumb", "-std=gnu99", "-Wall", "-Wextra", "-Werror", "-g", "-nostartfiles", "-Wl,--build-id", "-finstrument-functions", "-T", "testdata/arm/interrupted.ld",
		"-DCRC_OF_NEGOTIATE=" + crc(trace.CommandGetMetadata, 2, 0), "-DCRC_OF_STATUS=" + crc(trace.CommandStatus), "-o", out, "testdata/arm/interrupted.c",
	}, append(flags, sources(t)...)...)
	command(t, gcc, args...)
	m := &machine{symbols: map[string]uint32{}}
	var err error
	if m.elf, err = os.ReadFile(out); err != nil {
		t.Fatal(err)
	}
	f, err := elf.NewFile(bytes.NewReader(m.elf))
	if err != nil {
		t.Fatal(err)
	}
	all, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		m.symbols[s.Name] = uint32(s.Value)
	}
	note, err := f.Section(".note.gnu.build-id").Data()
	if err != nil {
		t.Fatal(err)
	}
	m.buildID = note[16:]
	return m
}

// start runs a program up to window_begin.
func (m *machine) start(t *testing.T, mode uint32) *armv7m.Core {
	t.Helper()
	b, err := sim.New(sim.Options{ELF: m.elf})
	if err != nil {
		t.Fatal(err)
	}
	c := b.Core()
	m.runTo(t, c, "window_begin")
	c.WriteBus(m.symbols["mode"], 4, mode)
	return c
}

func (m *machine) runTo(t *testing.T, c *armv7m.Core, symbol string) {
	t.Helper()
	for range 2_000_000 {
		if pc, _ := c.ReadReg(15); pc == m.symbols[symbol]&^1 {
			return
		}
		c.Step()
	}
	t.Fatalf("%s was not reached", symbol)
}

// finish runs the program to its end, and decodes what it sent.
func (m *machine) finish(t *testing.T, c *armv7m.Core) *heard {
	t.Helper()
	m.runTo(t, c, "finished")
	n, _ := c.ReadBus(m.symbols["out_n"], 4)
	stream := make([]byte, n)
	for i := range stream {
		v, _ := c.ReadBus(m.symbols["out"]+uint32(i), 1)
		stream[i] = byte(v)
	}
	h := &heard{}
	d := trace.NewDecoder(h, trace.DecoderOptions{Variant: &trace.Variant{}})
	d.Write(stream)
	d.Close()
	return h
}

// heard keeps what a target said since the last START.
type heard struct {
	records  []trace.Record
	metadata trace.Metadata
	status   trace.Status
	losses   []trace.Loss
	answers  [][2]byte
	version  int // of the last records
}

func (h *heard) Records(b trace.Batch) {
	h.version, h.records = b.Version, append(h.records, b.Records...)
}
func (h *heard) Metadata(m trace.Metadata) { h.metadata = m }
func (h *heard) Status(s trace.Status)     { h.status = s }
func (h *heard) Loss(l trace.Loss)         { h.losses = append(h.losses, l) }
func (h *heard) Answer(command, reason byte) {
	h.answers = append(h.answers, [2]byte{command, reason})
	if reason == 0 && (command == trace.CommandStart || command == trace.CommandReset) {
		h.records = nil
	}
}

// What IRQ0 does (testdata/arm/interrupted.c).
const (
	modeCall = iota
	modeSwitch
	modePoll
	modeRestart
	modes
)

// TestEveryInstruction pends an interrupt at each instruction of two
// nested calls with their hooks, and a second one at some of the first one's
// instructions: nothing is lost, and nothing is false.
func TestEveryInstruction(t *testing.T) {
	if testing.Short() {
		t.Skip("executes a program some thousand times")
	}
	for _, core := range []string{"cortex-m4", "cortex-m0"} {
		for _, o := range []string{"-O2", "-Os"} {
			t.Run(core+o, func(t *testing.T) {
				m := buildMachine(t, "-mcpu="+core, o)
				w := m.undisturbed(t)
				step := 1
				if o == "-Os" {
					step = 3
				}
				for mode := range uint32(modes) {
					for at := 0; at < w.instructions && !t.Failed(); at += step {
						w.interrupt(t, mode, at, -1)
						if at%12 == 0 {
							w.interrupt(t, mode, at, at*7%250)
						}
					}
				}
			})
		}
	}
}

// window is the program without interrupts.
type window struct {
	*machine
	instructions int
	durations    map[uint32]uint32 // by function
	wrap         uint32            // cycles that a hook may take longer where it sees the timer wrap
}

func (m *machine) undisturbed(t *testing.T) *window {
	t.Helper()
	c := m.start(t, modeCall)
	w := &window{machine: m, durations: map[uint32]uint32{}}
	for pc := uint32(0); pc != m.symbols["window_end"]&^1; w.instructions++ {
		c.Step()
		pc, _ = c.ReadReg(15)
	}
	h := m.finish(t, c)
	if len(h.records) != 3 || !bytes.Equal(h.metadata.BuildID, m.buildID) || h.metadata.Name != "interrupted" || h.metadata.TimerHz != 16_000_000 {
		t.Fatalf("%+v", h)
	}
	for _, r := range h.records {
		if d, ok := w.durations[r.Func]; ok && d != r.Duration {
			t.Fatalf("%#x took %d cycles, and %d", r.Func, d, r.Duration)
		}
		w.durations[r.Func] = r.Duration
	}
	return w
}

// interrupt pends IRQ0 before an instruction of the window and, from 0, IRQ1 so
// many instructions later.
func (w *window) interrupt(t *testing.T, mode uint32, at, later int) {
	t.Helper()
	c := w.start(t, mode)
	for range at {
		c.Step()
	}
	c.Pend(0)
	if later >= 0 {
		for pc := uint32(0); later > 0 && pc != w.symbols["window_end"]&^1; later-- {
			c.Step()
			pc, _ = c.ReadReg(15)
		}
		later = 0
		c.Pend(1)
	}
	h := w.finish(t, c)
	fail := func(format string, args ...any) {
		t.Helper()
		t.Errorf("mode %d, IRQ0 at instruction %d, IRQ1 %d later: %s\n%+v", mode, at, later, fmt.Sprintf(format, args...), h)
	}
	if len(h.losses) > 0 || h.status.Running || h.status.Waiting != 0 || h.status.Dropped != 0 || int(h.status.Sent) != len(h.records) {
		fail("losses")
	}
	if want := uint32(2); mode == modeSwitch && h.status.Unmatched != want || mode != modeSwitch && mode != modeRestart && h.status.Unmatched != 0 {
		fail("unmatched")
	}
	got := map[string]int{}
	for _, r := range h.records {
		got[w.name(r.Func, r.Context, r.Depth)]++
	}
	for name, n := range got {
		if max := w.expect(mode, later >= 0)[name]; n > max {
			fail("%d times %s", n, name)
		}
	}
	for name, n := range w.expect(mode, later >= 0) {
		if mode != modeRestart && got[name] != n {
			fail("%d times %s, want %d", got[name], name, n)
		}
	}
	w.nested(h.records, mode, fail)
}

func (w *window) name(function uint32, context, depth uint16) string {
	for _, name := range []string{"inner", "outer", "helper", "IRQ0_Handler", "IRQ1_Handler"} {
		if w.symbols[name]&^1 == function {
			return fmt.Sprintf("%s %d %d", name, context, depth)
		}
	}
	return fmt.Sprintf("%#x %d %d", function, context, depth)
}

// expect is which calls there are, by name, context and depth.
func (w *window) expect(mode uint32, second bool) map[string]int {
	calls := map[string]int{"outer 0 0": 1, "inner 0 1": 2}
	switch mode {
	case modeCall:
		calls["helper 272 1"] = 1
		calls["IRQ0_Handler 272 0"] = 1
	case modePoll:
		calls["IRQ0_Handler 272 0"] = 1
	case modeRestart: // at most: what was open is not recorded
		calls["inner 0 0"], calls["IRQ0_Handler 272 0"] = 2, 1
	case modeSwitch:
		calls["0x0 0 0"], calls["0x0 1 0"] = 1, 1
	}
	if second {
		calls["IRQ1_Handler 273 0"] = 1
		calls["helper 273 1"] = 2
	}
	return calls
}

// nested checks the times: of two calls one lies within the other, or one is over
// when the other begins; and what was not interrupted takes as long as ever.
func (w *window) nested(records []trace.Record, mode uint32, fail func(string, ...any)) {
	for i, r := range records {
		if r.Switch() {
			continue
		}
		interrupted := false
		for _, s := range records[:i] {
			begins, ends := int32(s.Entry-r.Entry), int32(s.Exit()-r.Entry)
			if begins < 0 && ends > 0 {
				fail("%+v and %+v overlap", s, r)
			}
			interrupted = interrupted || begins >= 0 && s.Context != r.Context
		}
		d, known := w.durations[r.Func]
		if known && r.Duration < d || known && !interrupted && mode == modeCall && r.Duration > d+w.wrap {
			fail("%+v took %d cycles, want %d", r, r.Duration, d)
		}
	}
}
