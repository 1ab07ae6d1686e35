package symbol

import (
	"fmt"
	"strings"
)

// rom is code that the manufacturer put on a chip, outside of every ELF file.
type rom struct {
	chip string // how its name begins
	Range
	name string
}

// roms lists what manuals say of boot ROMs and system memory.
var roms = []rom{
	{"RP2040", Range{0x00000000, 0x00004000}, "RP2040 boot ROM"},              // RP2040 Datasheet, Address Map: 16 kB
	{"RP2350", Range{0x00000000, 0x00008000}, "RP2350 boot ROM"},              // RP2350 Datasheet, Address Map: 32 kB
	{"STM32F10x", Range{0x1ffff000, 0x1ffff800}, "STM32 system memory"},       // PM0075, Flash module organization: 2 kB
	{"STM32F405", Range{0x1fff0000, 0x1fff7800}, "STM32 system memory"},       // RM0090, Flash module organization: 30 kB
	{"STM32F42x", Range{0x1fff0000, 0x1fff7800}, "STM32 system memory"},       // RM0090
	{"STM32F401", Range{0x1fff0000, 0x1fff7800}, "STM32 system memory"},       // RM0368
	{"STM32F411", Range{0x1fff0000, 0x1fff7800}, "STM32 system memory"},       // RM0383
	{"STM32F446", Range{0x1fff0000, 0x1fff7800}, "STM32 system memory"},       // RM0390
	{"STM32L475, L476", Range{0x1fff0000, 0x1fff7000}, "STM32 system memory"}, // RM0351: 28 kB
	{"STM32U575, U585", Range{0x0bf90000, 0x0bfa0000}, "STM32 system memory"}, // RM0456: 64 kB
	{"STM32H742, H743", Range{0x1ff00000, 0x1ff20000}, "STM32 system memory"}, // RM0433: 128 kB
}

// memoryMap is that of the architecture (ARMv7-M ARM, table B3-1; ARMv8-M ARM,
// B8.1).
var memoryMap = []struct {
	high uint32 // first address behind it, 0 for the end
	name string
}{{0x20000000, "code"}, {0x40000000, "RAM"}, {0x60000000, "peripherals"}, {0xa0000000, "external RAM"}, {0xe0000000, "external devices"}, {0, "system space"}}

// regionBlock is the size of the blocks that unknown memory is named by.
const regionBlock = 1 << 16

// region names the memory around an address without a function: the ROM of the
// chip where it is known, else what the memory map has there, by blocks of
// 64 KiB: "[code 0x1fff0000 outside of the ELF]", or "[code 0x08000000 without
// symbols]" where an ELF file has code.
func region(chip string, code []Range, addr uint32) string {
	missing := "outside of the ELF"
	if _, ok := rangeAround(code, addr); ok {
		chip, missing = "", "without symbols"
	}
	for _, r := range roms {
		if chip != "" && strings.HasPrefix(chip, r.chip) && r.Contains(addr) {
			return "[" + r.name + "]"
		}
	}
	block := addr &^ (regionBlock - 1)
	for _, m := range memoryMap {
		if addr < m.high || m.high == 0 {
			return fmt.Sprintf("[%s 0x%08x %s]", m.name, block, missing)
		}
	}
	return ""
}

// Region names the memory around an address that the image has no function at.
func (im *Image) Region(addr uint32) string { return region("", im.code, addr) }
