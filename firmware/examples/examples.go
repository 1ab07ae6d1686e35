// Package examples is firmware that is traced: programs to copy from, and a recording of one of
// them. Out: what mprof trace --demo shows.
package examples

import _ "embed"

//go:generate make -s -C logger
//go:generate go test -count 1 -run TestDemoRecording . -update

// DemoELF is firmware/demo with firmware/mprof inside, for an STM32F405 at DemoHz.
//
//go:embed logger/logger.elf
var DemoELF []byte

// DemoRecording is what DemoELF sent in 12 seconds on the simulated board: a stream of
// version 2.
//
//go:embed logger/recording.bin
var DemoRecording []byte

// DemoHz is the clock of DemoELF's processor.
const DemoHz = 16_000_000
