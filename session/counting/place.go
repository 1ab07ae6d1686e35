package counting

import (
	"debug/elf"
	"errors"
	"fmt"

	"github.com/mprof/mprof/gmon/counters"
	"github.com/mprof/mprof/symbol"
)

// ErrNoBlock is firmware without firmware/gprof.
var ErrNoBlock = errors.New("no variable " + counters.Symbol)

// ErrNoSymbols is an ELF file that does not say where the counters are.
var ErrNoSymbols = errors.New("no symbols")

// place finds the block in the ELF files.
func place(of *symbol.Program) (counters.Place, error) {
	symbols := false
	for _, image := range of.Images() {
		if r, ok := image.Object(counters.Symbol); ok {
			return counters.Place{Addr: r.Low, Refuse: func(addr, size uint32) string { return noCounters(of, addr, size) }}, nil
		}
		symbols = symbols || image.HasSymbols()
	}
	path := of.App().Path()
	if !symbols {
		return counters.Place{}, fmt.Errorf("%s has %w: nothing says where the counters are", path, ErrNoSymbols)
	}
	return counters.Place{}, fmt.Errorf("%s has %w", path, ErrNoBlock)
}

// Regions of Armv6-M to Armv8-M whose addresses are no memory of a program (ARMv7-M ARM, B3.1):
// reading a register there can change it.
var registerRegions = []symbol.Range{{Low: 0x40000000, High: 0x60000000}, {Low: 0xE0000000, High: 0xFFFFFFFF}}

// noCounters says why counters cannot be at an address: what the program does not write.
func noCounters(of *symbol.Program, addr, size uint32) string {
	within := func(r symbol.Range) bool { return addr < r.High && r.Low < addr+size }
	for _, image := range of.Images() {
		for _, s := range image.Segments() {
			if !s.Write && within(symbol.Range{Low: s.Vaddr, High: s.Vaddr + s.MemSize}) {
				return "the program's read-only memory"
			}
		}
	}
	if of.App().Machine() == elf.EM_ARM {
		for _, r := range registerRegions {
			if within(r) {
				return "the registers of peripherals"
			}
		}
	}
	return ""
}
