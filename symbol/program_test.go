package symbol_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mprof/mprof/symbol"
)

// Two images that overlap in RAM: each has the names of its own code, and
// where both have some, the application's count.
func TestProgramOfTwoImages(t *testing.T) {
	gcc := toolchains[0]
	app, err := symbol.Open(gcc.shapes(t, "0x08000000", "-gdwarf-5"))
	if err != nil {
		t.Fatal(err)
	}
	boot, err := symbol.Open(gcc.shapes(t, "0x00000000", "-gdwarf-4"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := symbol.NewProgram(app, boot)
	if err != nil {
		t.Fatal(err)
	}
	remarks := strings.Join(p.Remarks(), "\n")
	if strings.Count(remarks, "both have code at 0x20000000-0x2000001") != 1 || !strings.Contains(remarks, "names there are those of "+app.Path()) {
		t.Errorf("remarks %q", remarks)
	}
	for i, m := range p.Mappings() {
		if want := []string{app.Path(), boot.Path()}[i]; m.Path != want {
			t.Errorf("mapping %d is of %s, want %s", i, m.Path, want)
		}
	}
	mappings := p.Mappings()
	for _, c := range []struct {
		pc    uint32
		image int // -1: none
	}{{app.Entry(), 0}, {boot.Entry(), 1}, {0x20000004, 0}, {0x10000000, -1}} {
		image := []*symbol.Image{app, boot}
		for i := range mappings {
			if got := mappings[i].Holds(c.pc); got != (i == c.image) {
				t.Errorf("0x%08x: mapping %d holds it: %v", c.pc, i, got)
			}
		}
		at := p.Lookup(c.pc)
		if c.image < 0 {
			if at != nil || p.Producer(c.pc) != "" || !strings.Contains(p.Region(c.pc), "[code 0x10000000") {
				t.Errorf("0x%08x: %+v, %s", c.pc, at, p.Region(c.pc))
			}
			continue
		}
		want := image[c.image].Lookup(c.pc)
		bounds, _ := p.Bounds(c.pc)
		if len(at) == 0 || len(want) == 0 || at[0] != want[0] || !bounds.Contains(c.pc) || p.Producer(c.pc) != image[c.image].Producer(c.pc) {
			t.Errorf("0x%08x: %+v, want %+v", c.pc, at, want)
		}
		var code, own [4]byte
		if !p.ReadCode(c.pc, code[:]) || !image[c.image].ReadCode(c.pc, own[:]) || code != own {
			t.Errorf("0x%08x: code % x, want % x", c.pc, code, own)
		}
	}
	if resets := p.ResetHandlers(); len(resets) != 2 || resets[0] != app.Entry() || resets[1] != boot.Entry() {
		t.Errorf("reset handlers %x", resets)
	}
	shared := uint32(0)
	for ; boot.Lookup(shared) == nil || boot.Lookup(shared)[0].Name != "Default_Handler"; shared += 2 {
	}
	if exception, alias := p.HandlerAt(18, shared); exception != "IRQ 2 (TIM2_IRQHandler)" || alias != "TIM2_IRQHandler" {
		t.Errorf("handler in the boot loader: %s, %s", exception, alias)
	}
	if _, err := symbol.NewProgram(app, app); err == nil || !strings.Contains(err.Error(), "all of its code lies where") {
		t.Errorf("the same image twice: %v", err)
	}
}

// Memory without an image is named by the chip, or by the memory map.
func TestRegion(t *testing.T) {
	p, err := symbol.NewProgram(open(t, "program5.elf"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		chip string
		addr uint32
		want string
	}{
		{"", 0x00000100, "[code 0x00000000 outside of the ELF]"}, {"RP2040", 0x00003ffe, "[RP2040 boot ROM]"},
		{"RP2040", 0x00004000, "[code 0x00000000 outside of the ELF]"}, {"RP2350", 0x00004000, "[RP2350 boot ROM]"},
		{"STM32F405, F407, F415, F417", 0x1fff0400, "[STM32 system memory]"}, {"STM32F411", 0x1fff7800, "[code 0x1fff0000 outside of the ELF]"},
		{"", 0x2001fffe, "[RAM 0x20010000 outside of the ELF]"}, {"", 0x40000000, "[peripherals 0x40000000 outside of the ELF]"},
		{"", 0x60000000, "[external RAM 0x60000000 outside of the ELF]"}, {"", 0xfffffffe, "[system space 0xffff0000 outside of the ELF]"},
		{"RP2040", p.CodeRanges()[0].Low, fmt.Sprintf("[code 0x%08x without symbols]", p.CodeRanges()[0].Low&^0xffff)},
	} {
		p.SetChip(c.chip)
		if got := p.Region(c.addr); got != c.want {
			t.Errorf("%s 0x%08x: %s, want %s", c.chip, c.addr, got, c.want)
		}
	}
}
