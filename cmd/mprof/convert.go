package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/session/sampling"
)

// convertCommand makes profiles from a recording: after a crash, in another
// format, or with a better ELF file.
func (a *app) convertCommand() *cobra.Command {
	f := &convertFlags{}
	cmd := &cobra.Command{
		Use:   "convert [flags] FILE",
		Short: "Make profiles from a recording or from other profiles",
		Long: `Convert reads a recording or a profile, and writes profiles of it in any
format. FILE is recognised by its content.

A recording is what mprof sample left (after a crash, or with --record). One that
was cut short gives all whole samples before the cut. The ELF file is the one that the
recording names, unless --elf names another of the same build: one with debug
information, for instance.

What mprof trace --record kept is taken as well, with the ELF file that --elf
names; mprof trace --from has more options for it.

A profile is what mprof or another program wrote for the Firefox Profiler, pprof,
speedscope, Perfetto (Chrome's trace format) or Callgrind's tools, or folded stacks, or a
gmon.out (GNU, BSD; of gprof, OpenOCD, eCos), which needs --elf. What mprof wrote for the
first five says the same as before; a note says what a format cannot hold.

Methods (of recordings):
  auto   what was recorded
  dwarf  call stacks, without frame pointers and guesses
  fp     call stacks by frame pointers alone (code of clang and rustc)
  pc     the innermost function, and its caller where LR holds it`,
		Example: `  mprof convert run.mprof -o out.json.gz
  mprof convert run.mprof --elf with-debug-info.elf -o out.pb.gz
  mprof convert mprof-profile.json.gz -o out.pb.gz
  mprof convert gmon.out --elf app.elf -o out.json.gz`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.command = append([]string{"mprof", "convert"}, commandLine(cmd, args)...)
			if err := f.prepare(args); err != nil {
				return err
			}
			return a.convert(cmd.Context(), f)
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVarP(&f.paths, "output", "o", nil, "file to write; may be repeated; the extension names the format:\n"+formatHelp()+"\n(default "+defaultOutput+")")
	flags.StringVar(&f.ELF, "elf", "", "ELF file to take functions and call frames from (default the one that FILE names)")
	addExtraELF(flags, &f.Extra, "those that FILE names")
	flags.Var(newMethodFlag(&f.Method, profile.MethodDWARF, profile.MethodFP, profile.MethodPC), "method", "what to make of the samples, see above")
	addGuess(flags, &f.NoGuess)
	addGmon(flags, &f.gmon)
	flags.BoolVar(&f.Force, "force", false, "go on when the ELF file is of another build than FILE")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "print errors only")
	flags.BoolVar(&f.json, "json", false, "print the summary as JSON")
	_ = cmd.MarkFlagFilename("output")
	_ = cmd.MarkFlagFilename("elf")
	return cmd
}

// convertFlags is the command line of mprof convert.
type convertFlags struct {
	outputs
	input string // a recording or a profile
	sampling.ReadOptions
	command []string // for profiles of traced calls
}

// prepare takes the arguments: a recording or a profile, and perhaps an ELF file, which is
// another way to write --elf.
func (f *convertFlags) prepare(args []string) error {
	switch {
	case len(args) < 1 || len(args) > 2:
		return usageError{errors.New("convert takes a recording or a profile; --elf names an ELF file if the one in there is not right")}
	case len(args) == 2 && f.ELF != "":
		return usageError{fmt.Errorf("the ELF file is named twice: %s and --elf %s", args[1], f.ELF)}
	case len(args) == 2:
		f.ELF = args[1]
	}
	f.input = args[0]
	if len(f.paths) == 0 {
		f.paths = []string{defaultOutput}
	}
	return checkOutputs(f.paths)
}

func (a *app) convert(ctx context.Context, f *convertFlags) error {
	p, _, err := a.readProfile(ctx, f)
	if p == nil {
		return err
	}
	if err := errors.Join(err, a.deliver(p, f.outputs)); err != nil {
		return err
	}
	return noSamples(p)
}
