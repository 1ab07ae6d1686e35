package symbol_test

import (
	"os"
	"strings"
	"testing"

	"github.com/mprof/mprof/symbol"
)

// Each unit says who made it.
func TestProducer(t *testing.T) {
	for _, c := range []struct{ program, want string }{
		{"testdata/program4.elf", "GNU C++"},
		{"testdata/program5.elf", "GNU C1"},
		{captures + "RP2040_full_unwind.elf", "clang LLVM (rustc version"},
	} {
		if _, err := os.Stat(c.program); err != nil {
			t.Logf("%s is not here", c.program)
			continue
		}
		im, err := symbol.Open(c.program)
		if err != nil {
			t.Fatal(err)
		}
		pc := im.Entry()
		if reset, ok := im.ResetHandler(); ok {
			pc = reset
		}
		for code := im.CodeRanges()[0]; im.Producer(pc) == "" && pc < code.High; pc += 2 { // past start-up assembly
		}
		if got := im.Producer(pc); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: 0x%08x was made by %q, want %s...", c.program, pc, got, c.want)
		}
		if im.Producer(pc|1) != im.Producer(pc) {
			t.Errorf("%s: the Thumb bit of 0x%08x changes the producer", c.program, pc)
		}
		if got := im.Producer(0xe000e000); got != "" {
			t.Errorf("%s: no unit is at 0xe000e000, but %q made it", c.program, got)
		}
	}
}

// captures are ELF files of real programs, with cores.
const captures = "../../shared/data/unwind/"

func TestChainsFrames(t *testing.T) {
	for producer, want := range map[string]bool{
		"Debian clang version 14.0.6": true, "clang LLVM (rustc version 1.70.0 (90c541806 2023-05-31))": true,
		"Component: Arm Compiler for Embedded 6.18 Tool: armclang [5e73cb00]": true, "zig 0.11.0": true, "TinyGo": true,
		"GNU C17 12.2.1 20221205 -mthumb -O2": false, "GNU GIMPLE 12.2.1": false, "GNU AS 2.40": false, "": false,
		"IAR ANSI C/C++ Compiler V9.20.1.320/W64 for ARM": false,
	} {
		if got := symbol.ChainsFrames(producer); got != want {
			t.Errorf("%q: %v", producer, got)
		}
	}
}
