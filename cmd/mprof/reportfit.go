package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/mprof/mprof/placement/fit"
	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/session/target"
	"github.com/mprof/mprof/symbol"
)

// fitFlags ask which functions to move into RAM (docs/placement.md).
type fitFlags struct {
	size       string // of the room; "": not asked
	section    string
	linkMap    string
	flashWait  string
	ram        string
	regions    string
	linker     string // file for the linker's fragment
	attributes string // file for the compiler's declarations

	options fit.Options
}

func (f *fitFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.size, "fit", "", "which functions to move into so many `bytes` of RAM: 64K, 8192 (default print the functions)")
	flags.StringVar(&f.section, "section", ".ramtext", "with --fit: `section` that they go into")
	flags.StringVar(&f.linker, "ld", "", "with --fit: `FILE` for the linker script; - prints it")
	flags.StringVar(&f.attributes, "attributes", "", "with --fit: `FILE` for the same as declarations of C; - prints them")
	flags.StringVar(&f.linkMap, "map", "", "with --fit: the linker's map `FILE` (-Wl,-Map=FILE): sections of libraries and of assembly code (default -ffunction-sections)")
	flags.StringVar(&f.flashWait, "flash-wait", "", "with --fit: estimate the gain for a flash that waits so many `cycles` for a line: 5, 5/8 (default lines of 16 bytes)")
	flags.StringVar(&f.ram, "ram", "", "with --fit: `address` of that RAM (default where the program has data)")
	flags.StringVar(&f.regions, "regions", "RAM,FLASH", "with --fit: `names` of RAM and flash in the linker script")
}

// prepare checks the command line. args is PROFILE's.
func (f *fitFlags) prepare(changed func(string) bool) error {
	if f.size == "" {
		for _, name := range []string{"section", "ld", "attributes", "map", "flash-wait", "ram", "regions"} {
			if changed(name) {
				return fmt.Errorf("--%s goes with --fit SIZE, as in: mprof report PROFILE --fit 64K", name)
			}
		}
		return nil
	}
	o := &f.options
	var err error
	if o.Budget, err = parseBytes(f.size); err != nil {
		return fmt.Errorf("--fit %w", err)
	}
	o.Section = f.section
	if f.flashWait != "" {
		cycles, line, err := target.ParseFlashWait(f.flashWait)
		if err != nil {
			return fmt.Errorf("--%w", err)
		}
		o.Wait = fit.FetchWait{Cycles: int(cycles), Line: line}
	}
	if f.ram != "" {
		ram, err := strconv.ParseUint(f.ram, 0, 32)
		if err != nil {
			return fmt.Errorf("--ram %s: write an address, as in 0x20000000", f.ram)
		}
		o.RAM = uint32(ram)
	}
	ram, flash, found := strings.Cut(f.regions, ",")
	if !found || ram == "" || flash == "" || strings.ContainsAny(f.regions, " \t>{}*/") {
		return fmt.Errorf("--regions %s: write the names of RAM and flash in the linker script, as in RAM,FLASH", f.regions)
	}
	o.Regions = [2]string{ram, flash}
	if f.linker == "-" && f.attributes == "-" {
		return errors.New("--ld - and --attributes -: one of them prints")
	}
	return nil
}

// parseBytes reads a size: 8192, 64K, 1M.
func parseBytes(s string) (int64, error) {
	number, unit := s, int64(1)
	for suffix, n := range map[string]int64{"K": 1 << 10, "k": 1 << 10, "M": 1 << 20} {
		if rest, found := strings.CutSuffix(s, suffix); found {
			number, unit = rest, n
		}
	}
	n, err := strconv.ParseInt(number, 0, 64)
	if err != nil || n <= 0 || n > 1<<32/unit {
		return 0, fmt.Errorf("%s: write bytes, as in 8192, 64K or 1M", s)
	}
	return n * unit, nil
}

// reportFit prints what to move, and writes how.
func (a *app) reportFit(ctx context.Context, f *reportFlags) error {
	p, program, err := a.openProfile(ctx, f.path, f.elf, f.extra)
	if err != nil {
		return err
	}
	if program == nil {
		return usageError{errors.New("--fit needs the program: name its ELF file, as in: mprof report PROFILE --fit 64K --elf app.elf")}
	}
	r, err := f.fit.analyse(p, program)
	if err != nil {
		return err
	}
	for _, out := range []struct {
		path  string
		write func(io.Writer) error
	}{{f.fit.linker, r.WriteFragment}, {f.fit.attributes, r.WriteAttributes}} {
		if err := a.writeText(out.path, out.write); err != nil {
			return err
		}
	}
	w := a.stdout
	if isStdout(f.fit.linker) || isStdout(f.fit.attributes) {
		w = a.stderr
	}
	if f.json {
		return r.WriteJSON(w)
	}
	return r.WriteTable(w)
}

func (f *fitFlags) analyse(p *profile.Profile, program *symbol.Program) (*fit.Report, error) {
	if f.linkMap != "" {
		file, err := os.Open(f.linkMap)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		if f.options.Map, err = fit.ReadMap(file); err != nil {
			return nil, fmt.Errorf("%s: %w", f.linkMap, err)
		}
	}
	return fit.Analyse(p, program, f.options)
}

// writeText writes a text to a file, or prints it.
func (a *app) writeText(path string, write func(io.Writer) error) error {
	switch {
	case path == "":
		return nil
	case isStdout(path):
		return write(a.stdout)
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(write(file), file.Close())
}
