package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mprof/mprof/export"
	"github.com/mprof/mprof/session/counting"
	"github.com/mprof/mprof/session/tracing"
)

// gmonFlags is the command line of mprof gmon.
type gmonFlags struct {
	counting.Options
	quiet, json bool
	outputs     []string
	command     []string
}

const defaultGmon = "gmon.out"

func (a *app) gmonCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "gmon",
		Short: "Take the counters of firmware/gprof out of a running target",
		Long: `Firmware that links firmware/gprof counts where a timer interrupt finds it and, compiled
with -pg, which function calls which: docs/gprof.md. These commands take the counters out
and write gmon.out for gprof, or any other format of mprof.`,
		SuggestionsMinimumDistance: 2,

		Args: knownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.gmonFetchCommand(), a.gmonResetCommand())
	return cmd
}

func (a *app) gmonFetchCommand() *cobra.Command {
	f := &gmonFlags{}
	cmd := &cobra.Command{
		Use:   "fetch [flags] app.elf",
		Short: "Write what the target has counted to gmon.out",
		Long: `Fetch finds the counters by the symbol mprof_gprof of app.elf, reads them and writes gmon.out.

The core runs on meanwhile: each counter is then what it was at some moment of the reading. With
--halt it stands still for as long, so that all are of one moment. With --reset the firmware clears
them afterwards, and the core is halted unless --halt=false.

With --duration the file has what is counted from now on for so long, and with --every each file
what was counted since the one before: gmon-001.out, gmon-002.out, until Ctrl-C or --duration. That
needs no reset, but counters stop at 65535: --reset clears them each time.

The summary says of which moment the counters are, for how long the core stood, and what was lost.`,
		Example: `  mprof gmon fetch app.elf && arm-none-eabi-gprof app.elf
  mprof gmon fetch --reset -o gmon.out -o profile.pb.gz app.elf
  mprof gmon fetch --every 10s --duration 60s app.elf`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.Reset && !cmd.Flags().Changed("halt") {
				f.Halt = true
			}
			if cmd.Flags().Changed("halt") && f.Halt && f.Target.Probe == "" && f.ways() > 0 {
				return usageError{errors.New("--halt needs a probe or a GDB server: nothing else stops the core")}
			}
			f.command = append([]string{"mprof", "gmon", "fetch"}, commandLine(cmd, args)...)
			return a.gmonFetch(cmd.Context(), f, args)
		},
	}
	f.add(cmd)
	flags := cmd.Flags()
	flags.BoolVar(&f.Reset, "reset", false, "have the firmware clear its counters once they are read")
	flags.BoolVar(&f.Halt, "halt", false, "stop the core while it is read, so that all counters are of one moment (default with --reset)")
	flags.Lookup("halt").DefValue = ""
	flags.Var((*durationFlag)(&f.Every), "every", "write a file each time: 10s, 1m; names are numbered: gmon-001.out")
	flags.Var((*durationFlag)(&f.Duration), "duration", "count from now on for so long: 60, 60s, 2m")
	flags.StringArrayVarP(&f.outputs, "output", "o", nil, "file to write; may be repeated; the name says the format: gmon.out, *.gmon,\n"+formatHelp()+"\n(default "+defaultGmon+")")
	flags.BoolVar(&f.json, "json", false, "print what was fetched as JSON, a line for each file")
	_ = cmd.MarkFlagFilename("output")
	return cmd
}

func (a *app) gmonResetCommand() *cobra.Command {
	f := &gmonFlags{}
	cmd := &cobra.Command{
		Use:   "reset [flags] app.elf",
		Short: "Have the target clear what it has counted",
		Long: `Reset asks the firmware to clear its counters and waits until it has: the next interrupt of its
profile timer does it. The core is not halted.`,
		Example: `  mprof gmon reset app.elf`,
		Args:    cobra.ArbitraryArgs,
		RunE:    func(cmd *cobra.Command, args []string) error { return a.gmonReset(cmd.Context(), f, args) },
	}
	f.add(cmd)
	return cmd
}

// add defines the flags of both commands.
func (f *gmonFlags) add(cmd *cobra.Command) {
	addTarget(cmd, &f.Target)
	f.addCommon(cmd.Flags())
	_ = cmd.RegisterFlagCompletionFunc("port", completePorts)
	cmd.ValidArgsFunction = completeELF
}

func (f *gmonFlags) addCommon(flags *pflag.FlagSet) {
	flags.StringVar(&f.From, "from", "", "a target that serves its gmon.out by TFTP, as eCos does, instead of a probe: tftp://HOST[:PORT]/gmon.out")
	flags.StringVar(&f.Port, "port", "", "the UART of firmware that links firmware/mprof as well, instead of a probe: /dev/ttyUSB0, COM3, tcp:HOST:PORT or sim")
	flags.IntVar(&f.Baud, "baud", tracing.DefaultBaud, "bits per second of a serial port")
	addExtraELF(flags, &f.Extra, "none")
	flags.BoolVar(&f.Force, "force", false, "go on when the ELF file is not what runs on the target")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "print errors only")
}

// checkArguments wants the ELF file, which says where the counters are.
func (f *gmonFlags) checkArguments(args []string) error {
	switch {
	case len(args) > 1:
		return usageError{fmt.Errorf("one ELF file, got %d: %s", len(args), strings.Join(args, ", "))}
	case f.ways() > 1:
		return usageError{errors.New("--probe, --port and --from exclude each other")}
	case f.Baud <= 0 || f.Baud > highestBaud:
		return usageError{fmt.Errorf("--baud %d is not between 1 and %d", f.Baud, highestBaud)}
	case len(args) == 0 && f.From == "":
		return usageError{errors.New("which firmware? name its ELF file, which says where the counters are, as in: mprof gmon fetch app.elf")}
	}
	return nil
}

// ways counts the ways to the target that were named.
func (f *gmonFlags) ways() (n int) {
	for _, s := range []string{f.Target.Probe, f.Port, f.From} {
		if s != "" {
			n++
		}
	}
	return n
}

// prepareFetch checks everything that can be checked before the target is touched.
func (f *gmonFlags) prepareFetch(args []string) error {
	if err := f.checkArguments(args); err != nil {
		return err
	}
	if f.Every != 0 && f.Duration != 0 && f.Every > f.Duration {
		return usageError{fmt.Errorf("--every %v is longer than --duration %v", f.Every, f.Duration)}
	}
	if len(f.outputs) == 0 {
		f.outputs = []string{defaultGmon}
	}
	known := func(path string) bool { _, err := export.ByPath(path); return err == nil }
	var names []string // of the first files
	for _, o := range f.outputs {
		switch {
		case !isGmon(o) && len(args) == 0:
			return usageError{fmt.Errorf("%s has names of functions: which ELF file are they in?", o)}
		case f.Every == 0 || !known(o): // checkOutputs says of those
			names = append(names, o)
		case isStdout(o) || !known(numbered(o, 1)): // a device
			return usageError{fmt.Errorf("--every writes a file each time, and %s is none", o)}
		default:
			names = append(names, numbered(o, 1))
		}
	}
	return checkOutputs(names)
}

// openGmon reaches the counters.
func (a *app) openGmon(ctx context.Context, f *gmonFlags, args []string) (*counting.Run, error) {
	f.ELF, f.Opened = firstOf(args), a.opened
	f.Idle = func(err error) { fmt.Fprintf(a.stderr, "mprof: %v: no file for this interval\n", err) }
	r, err := counting.Open(ctx, f.Options)
	return r, interrupted(ctx, err)
}

// gmonFetch is the command: open, read once or in turn, write.
func (a *app) gmonFetch(ctx context.Context, f *gmonFlags, args []string) error {
	if err := f.prepareFetch(args); err != nil {
		return err
	}
	r, err := a.openGmon(ctx, f, args)
	if err != nil {
		return err
	}
	out := &gmonOutput{app: a, flags: f, of: r.Program()}
	return interrupted(ctx, r.Fetch(ctx, out.take))
}

// gmonReset is the command.
func (a *app) gmonReset(ctx context.Context, f *gmonFlags, args []string) error {
	if err := f.checkArguments(args); err != nil {
		return err
	}
	r, err := a.openGmon(ctx, f, args)
	if err != nil {
		return err
	}
	cleared, err := r.Reset(ctx)
	if cleared != nil && !f.quiet {
		took := time.Duration(float64(cleared.Ticks) * cleared.Interval * float64(time.Second))
		_, printErr := fmt.Fprintf(a.stdout, "the firmware has cleared its counters: %d ticks in %v\n", cleared.Ticks, took.Round(time.Millisecond))
		err = errors.Join(err, printErr)
	}
	return interrupted(ctx, err)
}
