package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/session"
	"github.com/mprof/mprof/session/sampling"
	"github.com/mprof/mprof/session/tracing"
)

// serveFlags is the command line of mprof serve.
type serveFlags struct {
	session.Options
	address   string
	noBrowser bool
}

func (a *app) serveCommand() *cobra.Command {
	f := &serveFlags{Options: session.Options{
		Sampling: sampling.Options{MaxOverhead: sampling.DefaultOverhead, Version: versionString()},
		Tracing:  tracing.Options{Keep: defaultKeep, Version: versionString()},
	}}
	cmd := &cobra.Command{
		Use:   "serve [flags] [app.elf]",
		Short: "Show a page that profiles a target and shows it live",
		Long: `Serve opens a page in the browser. It connects to a debug probe, a GDB server or a serial port,
starts and stops, and shows while it runs: a flame graph, a timeline, statistics and the
hottest lines (docs/live.md). It saves what was collected in every format of mprof convert.

The page is served to this machine alone, at an address that nobody can guess. app.elf and the
flags fill in its form; how to reach the core (--speed, --core, --reset and others) is said here alone.
mprof sample --live and mprof trace --live show a run of the command line.

All samples and bytes go to a recording as they come. What nobody has saved is named in the
end.`,
		Example: `  mprof serve app.elf
  mprof serve --probe sim
  mprof serve --port /dev/ttyUSB0 --baud 921600 app.elf
  mprof serve --address 127.0.0.1:8080 --no-browser`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			command := append([]string{"mprof", "serve"}, commandLine(cmd, args)...)
			f.Sampling.Command, f.Tracing.Command = command, command
			if len(args) > 1 {
				return usageError{fmt.Errorf("serve takes one ELF file, got %d: %s", len(args), strings.Join(args, ", "))}
			}
			return a.serve(cmd.Context(), f, firstOf(args))
		},
	}
	flags := cmd.Flags()
	addPage(flags, &f.address, &f.noBrowser)
	addTarget(cmd, &f.Sampling.Target)
	addUnderReset(cmd, &f.Sampling.Target)
	addReset(cmd, &f.Sampling.Target)
	addExtraELF(flags, &f.Sampling.Extra, "none")
	flags.StringVar(&f.Tracing.Port, "port", "", "where instrumented firmware is: /dev/ttyUSB0, COM3, tcp:HOST:PORT, a pty, or sim")
	flags.IntVar(&f.Tracing.Baud, "baud", tracing.DefaultBaud, "bits per second of a serial port")
	flags.Var(newMethodFlag(&f.Sampling.Method, profile.MethodDWARF, profile.MethodFP, profile.MethodPC, profile.MethodPCSR), "method", "how to sample: see mprof sample")
	flags.Var((*rateFlag)(&f.Sampling.Rate), "rate", "samples per second (default 100; with --method pcsr as many as the wire carries)")
	flags.Lookup("rate").DefValue = ""
	flags.Var((*overheadFlag)(&f.Sampling.MaxOverhead), "max-overhead", "share of time that the core may stand halted; the rate is lowered to keep it: 1%, 0.5%, none")
	flags.Var((*haltFlag)(&f.Sampling.MaxHalt), "max-halt", "longest that a sample may halt the core; stacks are cut to keep it: 200us, 1ms, none")
	addGuess(flags, &f.Sampling.NoGuess)
	flags.BoolVar(&f.Sampling.Force, "force", false, "go on when the ELF file is not what runs on the target")
	flags.StringVar(&f.Folder, "recordings", "", "folder for recordings (default that of temporary files)")
	_ = cmd.RegisterFlagCompletionFunc("port", completePorts)
	_ = cmd.MarkFlagDirname("recordings")
	cmd.ValidArgsFunction = completeELF
	return cmd
}

// serve is the command.
func (a *app) serve(ctx context.Context, f *serveFlags, elf string) error {
	if st, err := os.Stat(f.Folder); f.Folder != "" && (err != nil || !st.IsDir()) {
		return usageError{fmt.Errorf("--recordings %s: %w", f.Folder, errors.Join(err, errNoFolder))}
	}
	f.Sampling.Opened, f.Sampling.Paced = a.opened, true
	s := session.New(f.Options)
	s.Suggest(session.Connect{
		Kind: f.kind(), Probe: f.Sampling.Target.Probe, Port: f.Tracing.Port, Baud: f.Tracing.Baud, ELF: elf, Extra: f.Sampling.Extra,
		Rate: f.Sampling.Rate, Method: f.Sampling.Method, Force: f.Sampling.Force,
	})
	wait, err := a.servePage(ctx, s, f.address, f.noBrowser)
	if err != nil {
		return err
	}
	err = wait()
	for _, path := range s.Close() {
		fmt.Fprintf(a.stderr, "mprof: %s\n", unsaved(path))
	}
	return err
}

// unsaved says what can be done with a recording. Bytes of a traced target name no ELF file.
func unsaved(path string) string {
	how := "mprof convert"
	if filepath.Ext(path) == ".bin" {
		how += " --elf app.elf"
	}
	return fmt.Sprintf("what nobody saved is in %s: %s makes profiles from it", path, how)
}

// errNoFolder is a --recordings that is no folder.
var errNoFolder = errors.New("not a folder that recordings can go to")

// kind is what the page's form begins with.
func (f *serveFlags) kind() string {
	if f.Tracing.Port != "" && f.Sampling.Target.Probe == "" {
		return session.Calls
	}
	return session.Samples
}
