package target

import (
	"bytes"
	"cmp"
	"debug/elf"
	"fmt"

	"github.com/mprof/mprof/firmware/demo"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/symbol"
)

// BuiltIn is the name that profiles of the built-in firmware carry.
const BuiltIn = "firmware/demo/demo.elf"

// OpenImage reads the ELF file, which is for Cortex-M. "" is the built-in one.
func OpenImage(path string) (*symbol.Image, error) { return openImageBy(path, symbol.Open) }

// OpenAnyImage is openImage for any architecture.
func OpenAnyImage(path string) (*symbol.Image, error) { return openImageBy(path, symbol.OpenAny) }

func openImageBy(path string, open func(path string) (*symbol.Image, error)) (*symbol.Image, error) {
	if path == "" {
		im, err := symbol.New(bytes.NewReader(demo.ELF), int64(len(demo.ELF)), BuiltIn)
		if err == nil {
			im.SetSource(BuiltInTracedSource)
		}
		return im, err
	}
	return open(path)
}

// OpenProgram reads the application's ELF file and those of what else is on
// the chip, as one program for Cortex-M.
func OpenProgram(path string, extra []string) (*symbol.Program, error) {
	return openProgramBy(path, extra, symbol.Open)
}

// OpenAnyProgram is openProgram for what need not be on a Cortex-M: a target behind a
// GDB server, or a profile.
func OpenAnyProgram(path string, extra []string) (*symbol.Program, error) {
	return openProgramBy(path, extra, symbol.OpenAny)
}

func openProgramBy(path string, extra []string, open func(path string) (*symbol.Image, error)) (*symbol.Program, error) {
	app, err := openImageBy(path, open)
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

// JoinRecorded is joinProgram for what was recorded: an image beside the
// application that cannot be opened costs its names, which the remarks say.
// given are paths in place of the recorded ones.
func JoinRecorded(app *symbol.Image, given, recorded []string) (of *symbol.Program, remarks []string, err error) {
	if len(given) == 0 {
		for _, path := range recorded {
			if _, err := symbol.OpenAny(path); err != nil {
				remarks = append(remarks, fmt.Sprintf("%v: it was on the chip, and its code has no names now", err))
				continue
			}
			given = append(given, path)
		}
	}
	of, err = joinProgram(app, given, symbol.OpenAny)
	return of, remarks, err
}

// Arch is the architecture of a program.
func Arch(of *symbol.Program) snapshot.Arch {
	if of.App().Machine() == elf.EM_RISCV {
		return snapshot.RV32
	}
	return snapshot.CortexM
}

// BuildError says that a recording or a profile was made of another build than an ELF
// file.
type BuildError struct{ what, recorded, path, found string }

func (e *BuildError) Error() string {
	return fmt.Sprintf("the %s was made of another build (build id %s) than %s (%s)", e.what, e.recorded, e.path, e.found)
}

// CheckBuild compares build ids, where both have one.
func CheckBuild(what, recorded string, image *symbol.Image) error {
	id := fmt.Sprintf("%x", image.BuildID())
	if recorded == "" || id == recorded {
		return nil
	}
	return &BuildError{what, recorded, image.Path(), cmp.Or(id, "no build id")}
}
