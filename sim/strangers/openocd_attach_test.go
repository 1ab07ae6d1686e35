//go:build linux

package strangers

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/mprof/mprof/firmware/demo"
	"github.com/mprof/mprof/sim"
)

// Selectors of DCRSR (DDI 0403E, C1.6.3).
const (
	regSP   = 13
	regPC   = 15
	regXPSR = 16
)

// coreRegisters are OpenOCD's names of the registers that DCRSR selects.
var coreRegisters = map[string]uint8{
	"r0": 0, "r1": 1, "r2": 2, "r3": 3, "r4": 4, "r5": 5, "r6": 6, "r7": 7, "r8": 8, "r9": 9, "r10": 10, "r11": 11, "r12": 12,
	"sp": regSP, "lr": 14, "pc": regPC, "xPSR": regXPSR, "msp": 17, "psp": 18,
}

// scratch is RAM of the built-in firmware that nothing uses: between its
// variables and the stack of main.
const scratch = 0x2000A000

// TestOpenOCD: OpenOCD does with the board what one does with a board, over
// each kind of USB, and finds what is there.
func TestOpenOCD(t *testing.T) {
	for _, model := range []string{"mcu-link", "debugprobe", "daplink-hid", "free-dap"} {
		t.Run(model, func(t *testing.T) {
			r := newRig(t, sim.Options{Model: model, Seed: 1})
			o := startOpenOCD(r)
			if s := o.do("dap info"); !strings.Contains(s, "Cortex-M4 SCS") || !strings.Contains(s, "End of ROM table") {
				t.Errorf("dap info: %s", s)
			}
			o.do("halt")
			checkRegisters(r, o)
			checkMemory(r, o)
			checkSteps(r, o)
			checkBreakpoint(r, o)
			o.do("resume")
			log := o.shutdown()
			if !strings.Contains(log, "Cortex-M4 r0p1 processor detected") || !strings.Contains(log, "6 breakpoints") {
				t.Errorf("OpenOCD's log: %s", log)
			}
			if s := r.log.report(); s != "" {
				t.Errorf("the probe reported errors:\n%s", s)
			}
			r.running()
		})
	}
}

// checkRegisters compares what OpenOCD reads with the core.
func checkRegisters(r *rig, o *openocd) {
	t := r.t
	t.Helper()
	for name, sel := range coreRegisters {
		if got, want := o.registers(name)[name], r.register(sel); got != want {
			t.Errorf("%s: OpenOCD reads 0x%08x, the core holds 0x%08x", name, got, want)
		}
	}
}

// checkWrites compares what the core holds with what OpenOCD writes, which it
// does when the core goes on; the next instruction pushes registers.
func checkWrites(r *rig, o *openocd) {
	t := r.t
	t.Helper()
	before := r.register(11)
	o.do("set_reg {r11 0x%08x}", ^before)
	o.do("step")
	if got := r.register(11); got != ^before {
		t.Errorf("r11 is 0x%08x, OpenOCD wrote 0x%08x", got, ^before)
	}
	o.do("set_reg {r11 0x%08x}", before)
}

// checkMemory compares flash with the ELF file and RAM with the board, in words,
// halfwords and bytes.
func checkMemory(r *rig, o *openocd) {
	t := r.t
	t.Helper()
	addr, want := flash(t)
	var got []byte
	for _, w := range o.words(addr, 1500) { // crosses 1 KiB, where TAR wraps
		got = binary.LittleEndian.AppendUint32(got, w)
	}
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("0x%08x: OpenOCD reads 0x%02x, the ELF file has 0x%02x", addr+uint32(i), got[i], want[i])
			break
		}
	}
	sp := r.register(regSP) &^ 3
	for i, w := range o.words(sp, 4) {
		if truth := r.word(sp + uint32(4*i)); w != truth {
			t.Errorf("0x%08x: OpenOCD reads 0x%08x, the RAM holds 0x%08x", sp+uint32(4*i), w, truth)
		}
	}
	o.do("write_memory 0x%08x 32 {0x11223344 0x55667788 0x99aabbcc}", scratch)
	o.do("write_memory 0x%08x 16 {0xbeef}", scratch+6)
	o.do("write_memory 0x%08x 8 {0x5a 0xa5}", scratch+9)
	for i, w := range []uint32{0x11223344, 0xbeef7788, 0x99a55acc} {
		if truth := r.word(scratch + uint32(4*i)); truth != w {
			t.Errorf("0x%08x holds 0x%08x, OpenOCD was to make it 0x%08x", scratch+4*i, truth, w)
		}
	}
	if s := o.do("read_memory 0x%08x 16 2", scratch+4); s != "0x7788 0xbeef" {
		t.Errorf("halfwords read %s", s)
	}
	if s := o.do("read_memory 0x%08x 8 3", scratch+9); s != "0x5a 0xa5 0x99" {
		t.Errorf("bytes read %s", s)
	}
}

// checkSteps steps from wherever the core stands.
func checkSteps(r *rig, o *openocd) {
	t := r.t
	t.Helper()
	for range 5 {
		before := r.instructions()
		o.do("step")
		if r.register(regPC) != o.registers("pc")["pc"] {
			t.Errorf("after a step OpenOCD thinks of 0x%08x, the core is at 0x%08x", o.registers("pc")["pc"], r.register(regPC))
		}
		if n := r.instructions() - before; n == 0 {
			t.Error("a step took no instruction")
		}
	}
}

// checkBreakpoint lets the program run into hardware breakpoints.
func checkBreakpoint(r *rig, o *openocd) {
	t := r.t
	t.Helper()
	for _, name := range []string{"SysTick_Handler", "kernel_tick"} {
		addr := function(t, name)
		o.do("bp 0x%08x 2 hw", addr)
		o.do("resume")
		o.do("wait_halt 20000")
		if got, truth := o.registers("pc")["pc"], r.register(regPC); got != addr || truth != addr {
			t.Errorf("breakpoint at %s 0x%08x: OpenOCD sees 0x%08x, the core stands at 0x%08x", name, addr, got, truth)
		}
		if name == "SysTick_Handler" {
			if xpsr := r.register(regXPSR) & 0x1ff; xpsr != 15 {
				t.Errorf("exception %d at the breakpoint in SysTick_Handler, want 15", xpsr)
			}
			checkWrites(r, o)
		}
		o.do("rbp 0x%08x", addr)
	}
}

// flash is where the firmware is loaded and what is there.
func flash(t testing.TB) (addr uint32, data []byte) {
	t.Helper()
	for _, p := range demoELF(t).Progs {
		if p.Type == elf.PT_LOAD && p.Filesz > 6000 {
			data := make([]byte, p.Filesz)
			if _, err := p.ReadAt(data, 0); err != nil {
				t.Fatal(err)
			}
			return uint32(p.Paddr), data
		}
	}
	t.Fatal("nothing to load")
	return 0, nil
}

// function is the address of a function of the built-in firmware.
func function(t testing.TB, name string) uint32 {
	t.Helper()
	symbols, err := demoELF(t).Symbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range symbols {
		if s.Name == name && elf.ST_TYPE(s.Info) == elf.STT_FUNC {
			return uint32(s.Value) &^ 1
		}
	}
	t.Fatalf("the firmware has no function %s", name)
	return 0
}

func demoELF(t testing.TB) *elf.File {
	t.Helper()
	f, err := elf.NewFile(bytes.NewReader(demo.ELF))
	if err != nil {
		t.Fatal(err)
	}
	return f
}
