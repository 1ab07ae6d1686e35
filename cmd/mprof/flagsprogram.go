package main

import (
	"github.com/spf13/pflag"
)

// addExtraELF defines the flag of commands that know more of the chip than one
// ELF file.
func addExtraELF(flags *pflag.FlagSet, paths *[]string, otherwise string) {
	flags.StringArrayVar(paths, "extra-elf", nil, "ELF file of what else is on the chip, such as a boot loader or a ROM; may be repeated (default "+otherwise+")")
}

// firstOf is the ELF file of a command line; "" is the built-in one.
func firstOf(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

// addGuess adds the flag that switches guessing off.
func addGuess(flags *pflag.FlagSet, noGuess *bool) {
	flags.BoolVar(noGuess, "no-guess", false, "cut a stack where no method knows the caller; by default callers are then looked for on the\nstack, and marked as guessed")
}
