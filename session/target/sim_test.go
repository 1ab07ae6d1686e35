package target_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/mprof/mprof/firmware/demo"
	"github.com/mprof/mprof/session/target"
	"github.com/mprof/mprof/sim"
)

func TestIsSim(t *testing.T) {
	for selector, want := range map[string]bool{
		"sim": true, "sim:": true, "sim:debugprobe": true, "sim,unplug=10s": true,
		"": false, "simulator": false, "Sim": false, "a sim": false, "gdb:sim:1": false,
	} {
		if got := target.IsSim(selector); got != want {
			t.Errorf("%q: %v", selector, got)
		}
	}
}

// openSim opens a simulated board, which runs the built-in firmware.
func openSim(t *testing.T, selector string) *target.Target {
	t.Helper()
	opened, err := target.Open(t.Context(), selector, "")
	if err != nil {
		t.Fatalf("%s: %v", selector, err)
	}
	t.Cleanup(opened.Close)
	if opened.ClockLabel != target.VirtualTime || opened.USB != nil || opened.Board == nil || opened.Clock != opened.Board {
		t.Fatalf("%s: %+v", selector, opened)
	}
	return opened
}

// TestOpenSim: each part of a selector makes another board.
func TestOpenSim(t *testing.T) {
	usual := openSim(t, "sim")
	for _, model := range sim.Models() {
		if got := openSim(t, "sim:"+model).Board.Model().Name; got != model {
			t.Errorf("sim:%s is a %s", model, got)
		}
	}
	for _, chip := range sim.Chips() {
		if got := openSim(t, "sim,chip="+chip); got.Board.Cores() < 1 {
			t.Errorf("chip=%s has no core", chip)
		}
	}
	if got := openSim(t, "sim:,chip=rp2040").Board.Cores(); got != 2 || usual.Board.Cores() != 1 {
		t.Errorf("%d cores of the RP2040, %d without a chip", got, usual.Board.Cores())
	}
	for text, hz := range map[string]uint32{"16000000": 16e6, "168M": 168e6, "4.5M": 4.5e6, "32.768k": 32768, "1000": 1000} {
		if got := openSim(t, "sim,clock="+text).Board.CoreHz(); got != hz {
			t.Errorf("clock=%s: %d Hz, want %d", text, got, hz)
		}
	}
	if n := openSim(t, "sim,wait=1s,parity=2s,lost=3s").Board.Pending(); n != 3 || usual.Board.Pending() != 0 {
		t.Errorf("%d of three faults wait, and %d of none", n, usual.Board.Pending())
	}
}

// TestSimFault: a fault comes when it is due, and ends when it was said to.
func TestSimFault(t *testing.T) {
	board := openSim(t, "sim,off=300ms+300ms")
	for _, c := range []struct {
		at   time.Duration
		here bool
	}{{0, true}, {450 * time.Millisecond, false}, {750 * time.Millisecond, true}} {
		if err := board.Clock.Sleep(t.Context(), c.at-board.Clock.Now()); err != nil {
			t.Fatal(err)
		}
		board.Transport = board.Board.Transport() // plugged in anew
		p, core, err := new(target.Options).Attach(t.Context(), board, false)
		if (err == nil) != c.here {
			t.Errorf("at %v: %v", c.at, err)
		}
		if core != nil {
			_ = core.Detach(t.Context())
		}
		if p != nil {
			_ = p.Close()
		}
	}
}

// TestSimSelectorRefused: what is wrong in a selector is named, with what may stand there.
func TestSimSelectorRefused(t *testing.T) {
	for _, c := range []struct {
		selector string
		want     []string
	}{
		{"sim:jlink", []string{`no simulated probe "jlink"`, sim.Models()[0]}},
		{"sim,explode=1s", []string{`"explode=1s" is no fault`, "unplug", "stuck-core", "chip="}},
		{"sim,unplug", []string{`"unplug" is no fault`}},
		{"sim,", []string{`"" is no fault`}},
		{"sim,unplug=soon", []string{`"soon" is no duration`}},
		{"sim,unplug=", []string{`"" is no duration`}},
		{"sim,off=1s+", []string{`"" is no duration`}},
		{"sim,off=1s+0", []string{`"0" is not above 0`}},
		{"sim,chip=z80", []string{`no simulated chip "z80"`, "rp2040"}},
		{"sim,board=breadboard", []string{`no simulated board "breadboard"`, sim.Boards()[0]}},
		{"sim,fpu=maybe", []string{"fpu=maybe", "on or off"}},
		{"sim,pins-off=never", []string{`"never" is no duration`}},
		{"sim,clock=slow", []string{`clock "slow"`, "168M"}},
		{"sim,clock=NaN", []string{`clock "NaN"`}},
		{"sim,clock=999", []string{`clock "999"`, "from 1k"}},
		{"sim,clock=2001M", []string{`clock "2001M"`, "to 2000M"}},
		{"sim,flash-wait=-1", []string{"flash-wait=-1", "0 to 1000"}},
		{"sim,flash-wait=1001", []string{"flash-wait=1001"}},
		{"sim,flash-wait=5/6", []string{"flash-wait=5/6"}}, // lines are powers of two
		{"sim,flash-wait=5/2", []string{"flash-wait=5/2"}},
		{"sim,flash-wait=5/", []string{"flash-wait=5/"}},
		{"sim,no-nreset=1", []string{`"no-nreset=1" is no fault`}},
	} {
		opened, err := target.Open(t.Context(), c.selector, "")
		if opened != nil || !isUsage(err) || !says(err, append(c.want, "--probe "+c.selector)...) {
			t.Errorf("%s: %v", c.selector, err)
		}
	}
}

// TestParseSimOption: what a selector says is what the board is built with.
func TestParseSimOption(t *testing.T) {
	for text, want := range map[string]sim.Options{
		"chip=rp2040":     {Chip: "rp2040"},
		"board=stm32f405": {Board: "stm32f405"},
		"clock=48M":       {CoreHz: 48e6},
		"pins-off=5ms":    {PinsOff: 5 * time.Millisecond},
		"fpu=on":          {FPU: sim.FPUPresent},
		"fpu=off":         {FPU: sim.FPUAbsent},
		"flash-wait=5":    {FlashWait: 5, FlashLine: 16},
		"flash-wait=5/8":  {FlashWait: 5, FlashLine: 8},
		"flash-wait=0":    {FlashLine: 16},
		"no-nreset":       {NoResetWire: true},
		"no-pcsr":         {NoPCSR: true},
	} {
		var got sim.Options
		known, err := target.ParseSimOption(&got, text)
		if !known || err != nil {
			t.Errorf("%s: known %v, %v", text, known, err)
		}
		if got.Chip != want.Chip || got.Board != want.Board || got.CoreHz != want.CoreHz || got.PinsOff != want.PinsOff || got.FPU != want.FPU ||
			got.FlashWait != want.FlashWait || got.FlashLine != want.FlashLine || got.NoResetWire != want.NoResetWire || got.NoPCSR != want.NoPCSR {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
	for _, text := range []string{"", "chip", "unplug=1s", "uart=USART2"} {
		var got sim.Options
		if known, err := target.ParseSimOption(&got, text); known || err != nil {
			t.Errorf("%q: known %v, %v", text, known, err)
		}
	}
}

// FuzzSimSelector: no selector panics, and what is refused is said with the selector.
func FuzzSimSelector(f *testing.F) {
	for _, s := range []string{"", ":debugprobe,unplug=10s", ",off=1s+1s", ",clock=1e3", ",flash-wait=5/1024", ",chip=rp2040,board=x", ",pins-off=5ms,fpu=on"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, rest string) {
		selector := "sim" + rest
		if !target.IsSim(selector) {
			return
		}
		opened, err := target.Open(t.Context(), selector, "")
		switch {
		case err == nil:
			if hz := opened.Board.CoreHz(); hz < 1000 || hz > 2e9 {
				t.Errorf("%q: %d Hz", selector, hz)
			}
			opened.Close()
		case isUsage(err) && !says(err, "--probe "+selector):
			t.Errorf("%q: %v", selector, err)
		}
	})
}

// TestSimELF: the board runs the file that is named, and one that cannot run says why.
func TestSimELF(t *testing.T) {
	dir := t.TempDir()
	file := func(name string, content []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	opened, err := target.Open(t.Context(), "sim", file("app.elf", demo.ELF))
	if err != nil {
		t.Fatal(err)
	}
	opened.Close()
	for _, c := range []struct {
		path string
		want []string
	}{
		{filepath.Join(dir, "missing.elf"), []string{"missing.elf", "no such file"}},
		{dir, []string{dir}},
		{file("empty.elf", nil), nil},
		{file("text.elf", []byte("no program at all, just words")), nil},
		{file("half.elf", demo.ELF[:1000]), nil},
		{file("riscv.elf", asMachine(243)), []string{"RISCV"}},
	} {
		opened, err := target.Open(t.Context(), "sim", c.path)
		if opened != nil || !says(err, c.want...) {
			t.Errorf("%s: %v", c.path, err)
		}
	}
}

// asMachine is the built-in firmware with another number of a machine (ELF, e_machine).
func asMachine(machine byte) []byte {
	b := append([]byte{}, demo.ELF...)
	b[18], b[19] = machine, 0
	return b
}
