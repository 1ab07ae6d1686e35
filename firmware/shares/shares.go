// Package shares is a program whose functions have identical bodies and are
// called in known proportions. Out: its ELF file, its C sources, and the shares
// of its functions, read from the header that the C code is made of. The same
// program is built for boards of QEMU.
package shares

import (
	"embed"
	"regexp"
	"strconv"
	"strings"
)

//go:generate make -s

// ELF is the program for a Cortex-M4: flash at 0x08000000, RAM at 0x20000000
// (16 KiB), no peripherals outside the core. It never sleeps. Its word rounds
// counts the rounds of main.
//
//go:embed shares.elf
var ELF []byte

// Sources holds the C sources under src/.
//
//go:embed src
var Sources embed.FS

//go:embed src/shares.h
var header string

// Source returns the text of a source file by the name that the debug
// information has for it: "firmware/shares/src/shares.c".
func Source(name string) (string, bool) {
	path, ok := strings.CutPrefix(name, "firmware/shares/")
	if !ok {
		return "", false
	}
	text, err := Sources.ReadFile(path)
	return string(text), err == nil
}

// Call says that in every round of main a caller runs a function so many times.
type Call struct {
	Caller, Function string
	Times            int
}

var (
	listLine   = regexp.MustCompile(`(?m)^#define (\w+)\(X\) (.*)$`)
	listItem   = regexp.MustCompile(`X\((\w+), (\d+)\)`)
	numberLine = regexp.MustCompile(`(?m)^#define (\w+) (\d+)`)
)

// interrupt is the list of the SysTick handler; it does not belong to a round.
const interrupt = "SysTick_Handler"

// Calls lists the calls of the header, without those of the SysTick handler.
func Calls() []Call {
	var all []Call
	for _, c := range calls() {
		if c.Caller != interrupt {
			all = append(all, c)
		}
	}
	return all
}

func calls() []Call {
	var all []Call
	for _, line := range listLine.FindAllStringSubmatch(header, -1) {
		caller := strings.ToLower(line[1])
		if strings.EqualFold(caller, interrupt) {
			caller = interrupt
		}
		for _, item := range listItem.FindAllStringSubmatch(line[2], -1) {
			times, _ := strconv.Atoi(item[2])
			all = append(all, Call{caller, item[1], times})
		}
	}
	return all
}

// number is a constant of the header, 0 where there is none of that name.
func number(name string) int {
	for _, line := range numberLine.FindAllStringSubmatch(header, -1) {
		if line[1] == name {
			v, _ := strconv.Atoi(line[2])
			return v
		}
	}
	return 0
}

// NightDepth is how many times night calls itself before it works.
func NightDepth() int { return number("NIGHT_DEPTH") }

// UnitCycles is the work of one call of a worker.
func UnitCycles() int { return number("UNIT_CYCLES") }
