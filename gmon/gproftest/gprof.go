// Package gproftest runs GNU gprof for tests. In: an ELF file and a gmon.out. Out: the flat
// profile and the call graph that gprof prints, as numbers.
package gproftest

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// Command is the gprof of Arm targets, of either byte order. The one of the host takes Thumb
// code for its own.
const Command = "arm-none-eabi-gprof"

// RISCVCommand is the gprof of RISC-V targets, of 32 bits as well.
const RISCVCommand = "riscv64-unknown-elf-gprof"

// Require skips a test where a tool is missing; where CI is true, it fails.
func Require(t testing.TB, tools ...string) {
	t.Helper()
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err == nil {
			continue
		}
		if os.Getenv("CI") == "true" {
			t.Fatalf("%s is missing; scripts/setup.sh test installs it", tool)
		}
		t.Skipf("%s is not installed; scripts/setup.sh test installs it", tool)
	}
}

// Row is a line of the flat profile. Numbers have the digits that gprof prints.
type Row struct {
	Name                   string
	Percent                float64
	Cumulative, Self       float64 // seconds
	Calls                  uint64  // 0: gprof prints none
	SelfPerCall, PerCall   float64 // in Unit
	SelfText, PercentText  string  // as printed
	SelfCallText, CallText string
}

// Flat is a flat profile.
type Flat struct {
	Rows []Row
	Unit float64 // of SelfPerCall and PerCall, s; 0: no calls
	Each float64 // what a count stands for, s
}

// Row is the line of a function.
func (f *Flat) Row(name string) (Row, bool) {
	for _, r := range f.Rows {
		if r.Name == name {
			return r, true
		}
	}
	return Row{}, false
}

// FlatProfile runs gprof -p on a gmon.out. Names are those of the symbol table.
func FlatProfile(t testing.TB, elf, file string, flags ...string) Flat {
	t.Helper()
	return FlatProfileBy(t, Command, elf, file, flags...)
}

// FlatProfileBy is FlatProfile by the gprof of another target.
func FlatProfileBy(t testing.TB, command, elf, file string, flags ...string) Flat {
	t.Helper()
	f, err := parseFlat(run(t, command, append(append([]string{"-b", "-p", "--no-demangle"}, flags...), elf, file)))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// run fails the test where gprof says anything that is no profile.
func run(t testing.TB, command string, args []string) string {
	t.Helper()
	Require(t, command)
	var stdout, stderr strings.Builder
	cmd := exec.Command(command, args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil || stderr.Len() > 0 {
		t.Fatalf("%s %s: %v\n%s", command, strings.Join(args, " "), err, stderr.String())
	}
	return stdout.String()
}

// units are the prefixes of gprof's time per call.
var units = map[string]float64{"Ts/call": 1e12, "Gs/call": 1e9, "Ms/call": 1e6, "Ks/call": 1e3, "s/call": 1, "ms/call": 1e-3, "us/call": 1e-6, "ns/call": 1e-9, "ps/call": 1e-12}

func parseFlat(text string) (f Flat, err error) {
	inTable := false
	for _, line := range strings.Split(text, "\n") {
		fields := strings.Fields(line)
		switch {
		case strings.HasPrefix(line, "Each sample counts as ") && len(fields) == 6:
			if f.Each, err = strconv.ParseFloat(fields[4], 64); err != nil {
				return f, err
			}
		case len(fields) > 2 && fields[0] == "time" && fields[1] == "seconds":
			inTable = true
			for _, field := range fields {
				if unit, ok := units[field]; ok {
					f.Unit = unit
				}
			}
		case inTable && len(fields) >= 4:
			row, err := parseRow(fields)
			if err != nil {
				return f, fmt.Errorf("%w in %q", err, line)
			}
			f.Rows = append(f.Rows, row)
		}
	}
	if !inTable {
		return f, fmt.Errorf("no flat profile in %q", text)
	}
	return f, nil
}

func parseRow(fields []string) (r Row, err error) {
	number := func(s string) (v float64) {
		if err == nil {
			v, err = strconv.ParseFloat(s, 64)
		}
		return v
	}
	r.PercentText, r.SelfText = fields[0], fields[2]
	r.Percent, r.Cumulative, r.Self = number(fields[0]), number(fields[1]), number(fields[2])
	if len(fields) >= 7 {
		r.Calls = uint64(number(fields[3]))
		r.SelfCallText, r.CallText = fields[4], fields[5]
		r.SelfPerCall, r.PerCall = number(fields[4]), number(fields[5])
	}
	r.Name = fields[len(fields)-1]
	return r, err
}
