// Package demo is the built-in firmware: a boat's data logger with a small
// kernel, for the simulated board. Out: its ELF file and its C sources.
package demo

import (
	"embed"
	"strings"
)

//go:generate make -s

// ELF is the firmware for a Cortex-M4 without FPU at 16 MHz: flash at
// 0x08000000, RAM at 0x20000000 (64 KiB), no peripherals outside the core. It
// has DWARF 5 and .debug_frame.
//
//go:embed demo.elf
var ELF []byte

// Sources holds the C and assembly sources under src/.
//
//go:embed src
var Sources embed.FS

// CoreHz is the clock that the firmware's timing assumes.
const CoreHz = 16_000_000

// Source returns the text of a source file by the name that the debug
// information has for it: "firmware/demo/src/main.c".
func Source(name string) (string, bool) {
	path, ok := strings.CutPrefix(name, "firmware/demo/")
	if !ok {
		return "", false
	}
	text, err := Sources.ReadFile(path)
	return string(text), err == nil
}
