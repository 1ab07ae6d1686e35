package main

import (
	"bytes"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/mprof/mprof/firmware/demo"
	"github.com/mprof/mprof/symbol"
)

// builtInPath is the name that profiles of the built-in firmware carry.
const builtInPath = "firmware/demo/demo.elf"

// addExtraELF defines the flag of commands that know more of the chip than one
// ELF file.
func addExtraELF(flags *pflag.FlagSet, paths *[]string, otherwise string) {
	flags.StringArrayVar(paths, "extra-elf", nil, "ELF file of what else is on the chip, such as a boot loader or a ROM; may be repeated (default "+otherwise+")")
}

// openImage reads the ELF file, which is for Cortex-M, or the built-in one where none
// is named.
func openImage(args []string) (*symbol.Image, error) { return openImageBy(args, symbol.Open) }

func openImageBy(args []string, open func(path string) (*symbol.Image, error)) (*symbol.Image, error) {
	if len(args) == 0 {
		return symbol.New(bytes.NewReader(demo.ELF), int64(len(demo.ELF)), builtInPath)
	}
	return open(args[0])
}

// openProgram reads the application's ELF file and those of what else is on
// the chip, as one program for Cortex-M.
func openProgram(args, extra []string) (*symbol.Program, error) {
	return openProgramBy(args, extra, symbol.Open)
}

// openAnyProgram is openProgram for what need not be on a Cortex-M: a target behind a
// GDB server, or a profile.
func openAnyProgram(args, extra []string) (*symbol.Program, error) {
	return openProgramBy(args, extra, symbol.OpenAny)
}

func openProgramBy(args, extra []string, open func(path string) (*symbol.Image, error)) (*symbol.Program, error) {
	app, err := openImageBy(args, open)
	if err != nil {
		return nil, err
	}
	return joinProgram(app, extra, open)
}

// joinProgram opens what is on the chip beside the application.
func joinProgram(app *symbol.Image, extra []string, open func(path string) (*symbol.Image, error)) (*symbol.Program, error) {
	var others []*symbol.Image
	for _, path := range extra {
		im, err := open(path)
		if err != nil {
			return nil, err
		}
		others = append(others, im)
	}
	return symbol.NewProgram(app, others...)
}

// joinRecorded is joinProgram for what was recorded: an image beside the
// application that cannot be opened costs its names, which the remarks say.
// given are the paths that the command line names, in place of the recorded ones.
func joinRecorded(app *symbol.Image, given, recorded []string, open func(path string) (*symbol.Image, error)) (of *symbol.Program, remarks []string, err error) {
	if len(given) == 0 {
		for _, path := range recorded {
			if _, err := open(path); err != nil {
				remarks = append(remarks, fmt.Sprintf("%v: it was on the chip, and its code has no names now", err))
				continue
			}
			given = append(given, path)
		}
	}
	of, err = joinProgram(app, given, open)
	return of, remarks, err
}
