package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/session/backtrace"
)

// stackCommand prints call stacks: of a dump, or of samples in a recording.
func (a *app) stackCommand() *cobra.Command {
	f := &stackFlags{}
	cmd := &cobra.Command{
		Use:   "stack [flags] app.elf --core dump",
		Short: "Print the call stack of a crash dump or of a recorded sample",
		Long: `Stack unwinds a core that stands still in a file and prints its frames, the
innermost first, and why they end. The file is one of these, told apart by what
is in it:
  an ELF core file   gdb's generate-core-file, probe-rs; one stack per thread
  a capture in JSON  registers with MSP, PSP and CONTROL, and memory (docs/stack.md)
  a recording        of mprof sample; --sample or --all says which of its samples

A line is the number of the frame, its address, its function, file and line. The
address of a caller is where its callee returns to. Functions that the compiler
inlined have the address of the function around them. <exception: SysTick> stands
between a handler and what it interrupted. A frame is marked (guessed) where
nothing but a look at the stack found it, or the frame that it stands on.

Methods (docs/unwinding.md):
  auto   all that is known of the code
  dwarf  call frame information, exception tables and instructions alone
  fp     frame pointers alone, for code of clang and rustc that was compiled with them`,
		Example: `  mprof stack app.elf --core crash.core
  mprof stack app.elf --core run.mprof --sample 17 -v
  mprof stack app.elf --core crash.core --json`,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: completeELF,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.prepare(args, cmd.Flags().Changed("sample")); err != nil {
				return err
			}
			return a.stack(cmd.Context(), f)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.Core, "core", "c", "", "dump or recording to read the stack from (required)")
	addExtraELF(flags, &f.Extra, "those that a recording names")
	flags.Int64Var(&f.sample, "sample", -1, "number of the sample in a recording, from 0")
	flags.BoolVar(&f.All, "all", false, "every sample of a recording")
	flags.Var(newMethodFlag(&f.Method, profile.MethodDWARF, profile.MethodFP), "method", "how callers are found, see above")
	addGuess(flags, &f.NoGuess)
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "also print registers, and how each frame was found and its CFA")
	flags.BoolVar(&f.json, "json", false, "print it as JSON")
	flags.Lookup("sample").DefValue = ""
	_ = cmd.MarkFlagFilename("core")
	return cmd
}

// stackFlags is the command line of mprof stack.
type stackFlags struct {
	backtrace.Options
	sample        int64 // as it was typed
	verbose, json bool
}

func (f *stackFlags) prepare(args []string, sampleGiven bool) error {
	switch {
	case len(args) != 1:
		return usageError{fmt.Errorf("stack takes one ELF file, got %d", len(args))}
	case f.Core == "":
		return usageError{errors.New("stack needs a dump or a recording: --core FILE")}
	case sampleGiven && f.All:
		return usageError{errors.New("--sample and --all exclude each other")}
	case sampleGiven && f.sample < 0:
		return usageError{fmt.Errorf("--sample %d: samples are numbered from 0", f.sample)}
	}
	f.ELF = args[0]
	if sampleGiven {
		number := uint64(f.sample)
		f.Sample = &number
	}
	return nil
}

// stack prints what the file holds. A stack that was printed is a success,
// wherever it ends.
func (a *app) stack(ctx context.Context, f *stackFlags) error {
	d, err := backtrace.Read(ctx, f.Options)
	if err != nil {
		return err
	}
	out := f.printed(d)
	if f.json {
		return out.printJSON(a.stdout)
	}
	for _, w := range out.Warnings {
		fmt.Fprintf(a.stderr, "mprof: warning: %s\n", w)
	}
	return out.printText(a.stdout, f.verbose)
}
