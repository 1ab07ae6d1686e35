package examples_test

import (
	"testing"

	"github.com/mprof/mprof/firmware/examples/examplestest"
)

// Every example builds for every board, by both compilers.
func TestBuilds(t *testing.T) {
	for _, board := range []string{"stm32f405", "netduinoplus2", "mps2-an385", "mps2-an386", "microbit"} {
		for _, example := range []string{"bare", "tasks"} {
			for _, compiler := range []string{"gcc", "clang"} {
				if testing.Short() && (compiler == "clang" || example == "bare") {
					continue
				}
				b := examplestest.Build{Example: example, Board: board, Compiler: compiler}
				t.Run(b.String(), func(t *testing.T) { b.ELF(t) })
			}
		}
	}
}
