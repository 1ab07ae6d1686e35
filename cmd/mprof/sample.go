package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mprof/mprof/export"
	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/session"
	"github.com/mprof/mprof/session/sampling"
	"github.com/mprof/mprof/session/target"
)

const defaultOutput = "mprof-profile.json.gz"

// sampleFlags is the command line of mprof sample.
type sampleFlags struct {
	sampling.Options
	outputs []string
	record  string
	quiet   bool
	json    bool
	gmon    gmonFlag
	live    liveFlags
	watch   watch
	// onScreen: the run is shown in the terminal, so nothing else is printed meanwhile, and nothing has
	// to be written in the end.
	onScreen bool
}

func (a *app) sampleCommand() *cobra.Command {
	f := &sampleFlags{}
	f.watch = f.live.open
	cmd := &cobra.Command{
		Use:   "sample [flags] app.elf",
		Short: "Sample call stacks by halting the core for microseconds",
		Long: `Sample halts the core at the given rate, copies registers and stack in one
transaction, and lets it run on. app.elf is the firmware that runs on the
target; mprof compares it with the flash before it starts.

Methods:
  auto   call stacks: registers and stack are copied while the core stands halted; callers are found by
         all that is known of the code (docs/unwinding.md), the last resort is marked [guessed]
  dwarf  the same by call frame information, exception tables and instructions alone
  fp     the same by frame pointers: for code of clang and rustc, if it was compiled with them; GCC's
         r7 points below the locals in Thumb code, and to no other frame
  pc     PC, LR and SP only: the core is halted for less; no stacks but the caller that LR names
  pcsr   the PC alone, read from DWT_PCSR while the core runs: never halts, 15,000 to 200,000
         samples per second; cores without PCSR (some Cortex-M0, M0+, M23) are sampled as with pc

The run ends after --duration, or at Ctrl-C; the profile of what was taken is
written in any case, and the core is left running. With --duration, a run that
a signal cuts short exits with 130 (SIGINT) or 143 (SIGTERM).

With --probe gdb:HOST:PORT the target is behind a GDB server: QEMU, OpenOCD, pyOCD,
J-Link, a Black Magic Probe and others (docs/targets.md). It may be a Cortex-M or
a 32-bit RISC-V.

With --live a page in the browser shows the run while it goes on (mprof serve has one to start
runs from, too). After --duration it stays open until Ctrl-C.

With --probe sim the target is a simulated board; without app.elf it runs a
built-in firmware.`,
		Example: `  mprof sample --rate 100 --duration 60 app.elf
  mprof sample --probe 0d28:0204 --speed 4M -o out.json.gz -o out.pb.gz app.elf
  mprof sample --method pcsr --duration 10 app.elf
  mprof sample --extra-elf bootloader.elf --reset --duration 10 app.elf
  mprof sample --probe gdb:localhost:1234 --duration 10 app.elf
  mprof sample --probe gdb:/dev/ttyACM0 --monitor swdp_scan app.elf
  mprof sample --probe sim --duration 10`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.chooseSeed(cmd)
			f.Command = append([]string{"mprof", "sample"}, commandLine(cmd, args)...)
			return a.sample(cmd.Context(), f, args)
		},
	}
	f.add(cmd)
	f.live.add(cmd.Flags())
	return cmd
}

// add defines the flags of everything that samples.
func (f *sampleFlags) add(cmd *cobra.Command) {
	f.MaxOverhead, f.Version = sampling.DefaultOverhead, versionString()
	flags := cmd.Flags()
	flags.Var(newMethodFlag(&f.Method, profile.MethodDWARF, profile.MethodFP, profile.MethodPC, profile.MethodPCSR), "method", "how to sample, see above")
	flags.Var((*rateFlag)(&f.Rate), "rate", "samples per second (default 100; with --method pcsr as many as the wire carries)")
	flags.Lookup("rate").DefValue = ""
	flags.Var((*overheadFlag)(&f.MaxOverhead), "max-overhead", "share of time that the core may stand halted; the rate is lowered to keep it: 1%, 0.5%, none")
	flags.Var((*haltFlag)(&f.MaxHalt), "max-halt", "longest that a sample may halt the core; stacks are cut to keep it: 200us, 1ms, none")
	flags.Var((*durationFlag)(&f.Duration), "duration", "how long to sample: 60, 60s, 2m (default until Ctrl-C)")
	addExtraELF(flags, &f.Extra, "none")
	addTarget(cmd, &f.Target)
	addUnderReset(cmd, &f.Target)
	addReset(cmd, &f.Target)
	flags.StringArrayVarP(&f.outputs, "output", "o", nil, "file to write; may be repeated; the extension names the format:\n"+formatHelp()+"\n(default "+defaultOutput+")")
	flags.StringVar(&f.record, "record", "", "keep the recording of all samples in this file")
	flags.Int64Var(&f.Seed, "seed", 0, "seed of the jitter between samples (default random)")
	addGuess(flags, &f.NoGuess)
	addGmon(flags, &f.gmon)
	flags.BoolVar(&f.Force, "force", false, "go on when the ELF file is not what runs on the target")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "print errors only")
	flags.BoolVar(&f.json, "json", false, "print the summary as JSON")
	_ = cmd.MarkFlagFilename("output")
	_ = cmd.MarkFlagFilename("record", "mprof")
	cmd.ValidArgsFunction = completeELF
}

// chooseSeed is another one each time where none is given.
func (f *sampleFlags) chooseSeed(cmd *cobra.Command) {
	if !cmd.Flags().Changed("seed") {
		f.Seed = rand.Int64()
	}
}

func formatHelp() string {
	var names []string
	for _, f := range export.Formats {
		names = append(names, fmt.Sprintf("%s (%s)", f.Ext, f.Name))
	}
	return strings.Join(names, ", ")
}

// commandLine is what the user typed, flags first, for the profile's record
// of how it was made.
func commandLine(cmd *cobra.Command, args []string) []string {
	return append(changedFlags(cmd), args...)
}

// prepare checks everything that can be checked before the target is touched.
func (f *sampleFlags) prepare(args []string) error {
	if len(args) > 1 {
		return usageError{fmt.Errorf("sample takes one ELF file, got %d: %s", len(args), strings.Join(args, ", "))}
	}
	if len(args) == 0 && !target.IsSim(f.Target.Probe) {
		return usageError{errors.New("which firmware? name its ELF file, as in: mprof sample --rate 100 --duration 60 app.elf")}
	}
	if err := f.Check(); err != nil {
		return err
	}
	if len(f.outputs) == 0 && !f.onScreen {
		f.outputs = []string{defaultOutput}
	}
	if err := checkOutputs(f.outputs); err != nil {
		return err
	}
	f.ELF, f.Recording = firstOf(args), f.record
	if err := f.live.check(); err != nil {
		return err
	}
	if f.record != "" {
		return export.CheckWritable(f.record)
	}
	f.Recording = recordingBeside(f.outputs, ".mprof")
	return nil
}

func checkOutputs(outputs []string) error {
	seen := map[string]bool{}
	for _, o := range outputs {
		if _, err := export.ByPath(o); err != nil {
			return usageError{err}
		}
		if seen[filepath.Clean(o)] {
			return usageError{fmt.Errorf("output %s is named twice", o)}
		}
		seen[filepath.Clean(o)] = true
		if err := export.CheckWritable(o); err != nil {
			return err
		}
	}
	return nil
}

// sample is the command: prepare, open, run, and whatever happened, write.
func (a *app) sample(ctx context.Context, f *sampleFlags, args []string) error {
	if err := f.prepare(args); err != nil {
		return err
	}
	of, err := target.OpenAnyProgram(f.ELF, f.Extra)
	if err != nil {
		return err
	}
	runCtx, seen, err := f.watch(ctx, a, session.Connect{
		Kind: session.Samples, Probe: f.Target.Probe, ELF: f.ELF, Extra: f.Extra, Rate: f.Rate, Method: f.Method, Force: f.Force,
	})
	if err != nil {
		return err
	}
	defer seen.close()
	progress := a.newProgress(f.quiet || f.onScreen, f.Duration)
	f.tell(a, progress, seen)
	r, err := sampling.Open(runCtx, f.Options, of)
	if err != nil {
		return interrupted(ctx, err)
	}
	seen.samples(f.Options, r)
	runErr := r.Sample(runCtx)
	progress.done()
	p := r.Finish(runCtx, runErr)
	seen.finished(p, runErr)
	outputErr := a.deliver(p, outputs{paths: f.outputs, quiet: f.quiet, json: f.json, gmon: f.gmon})
	err = f.conclude(ctx, p, runErr, outputErr)
	seen.wait(ctx, f.record != "" || outputErr != nil)
	return err
}

// tell makes the run tell how it goes.
func (f *sampleFlags) tell(a *app, progress *progress, seen watcher) {
	f.Opened, f.Progress = a.opened, progress.samples
	f.Model = seen.model()
	f.Paced = f.Model != nil
	f.Advice = func(advice sampling.Advice) {
		seen.advised(advice)
		if !f.quiet && !f.onScreen {
			progress.clear()
			fmt.Fprintf(a.stderr, "mprof: %.1f s: %s\n", advice.At.Seconds(), advice.Text)
		}
	}
}

// conclude removes the recording unless somebody wants it, and returns what
// the command returns: the error of the run, of its outputs, or the signal
// that cut a run with a duration short.
func (f *sampleFlags) conclude(ctx context.Context, p *profile.Profile, runErr, outputErr error) error {
	if f.record == "" && outputErr == nil {
		_ = os.Remove(f.Recording)
	} else if outputErr != nil {
		outputErr = fmt.Errorf("%w\n  all samples are in %s: mprof convert makes profiles from it", outputErr, f.Recording)
	}
	if err := errors.Join(runErr, outputErr); err != nil {
		return err
	}
	var sig *signalError
	if f.Duration != 0 && errors.As(context.Cause(ctx), &sig) {
		return sig
	}
	return noSamples(p)
}

// recordingBeside is a new name beside the first output that is a file.
func recordingBeside(outputs []string, extension string) string {
	first := firstOf(outputs)
	dir, base := filepath.Split(first)
	switch {
	case first == "":
		dir, base = os.TempDir(), "mprof"
	case first == "-" || strings.HasPrefix(first, "/dev/"):
		dir, base = os.TempDir(), "stdout"
	}
	base, _, _ = strings.Cut(base, ".")
	return filepath.Join(dir, fmt.Sprintf("%s-%d%s", base, time.Now().Unix(), extension))
}
