package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/session"
	"github.com/mprof/mprof/session/tracing"
)

func (a *app) traceCommand() *cobra.Command {
	f := &traceFlags{}
	f.watch = f.live.open
	cmd := &cobra.Command{
		Use:   "trace [flags] app.elf",
		Short: "Trace each call of instrumented firmware through its UART",
		Long: `Trace talks to firmware that was compiled with -finstrument-functions and linked
with firmware/mprof (docs/firmware.md), or to any that speaks the same protocol.
The firmware sends a record of each call that returned; mprof makes statistics
of all of them, call trees, and a timeline. app.elf is the firmware that runs on
the target; its build id is compared with the one that the firmware sends.
Without app.elf functions are addresses; on the simulated board (--port sim) a
built-in firmware runs then.

The run ends after --duration, or at Ctrl-C; the profile of what came is written
in any case. With --duration, a run that a signal cuts short exits with 130
(SIGINT) or 143 (SIGTERM).

What the columns of the summary mean, what can get lost and how far to trust the
times: docs/tracing.md.`,
		Example: `  mprof trace --port /dev/ttyUSB0 --baud 921600 app.elf
  mprof trace --port COM3 --duration 60 -o out.json.gz -o out.pb.gz app.elf
  mprof trace --port tcp:localhost:4000 --record raw.bin app.elf
  mprof trace --from raw.bin --sort p99 app.elf
  mprof trace --demo
  mprof trace --port sim --duration 10`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.Command = append([]string{"mprof", "trace"}, commandLine(cmd, args)...)
			if err := f.prepare(cmd, args); err != nil {
				return err
			}
			return a.trace(cmd.Context(), f, args)
		},
	}
	f.add(cmd)
	return cmd
}

// trace is the command: open, run, and whatever happened, write.
func (a *app) trace(ctx context.Context, f *traceFlags, args []string) error {
	progress := a.newProgress(f.quiet || f.onScreen, f.Duration)
	f.Progress = progress.calls
	r, err := tracing.New(f.Options)
	if err != nil {
		return err
	}
	if f.Port == "" {
		p, err := r.Replay(ctx)
		progress.done()
		if p == nil {
			return err
		}
		return concludeTrace(ctx, p, f.Duration != 0, err, f.deliver(a, p))
	}
	runCtx, seen, err := f.watch(ctx, a, session.Connect{Kind: session.Calls, Port: f.Port, Baud: f.Baud, ELF: f.ELF, Extra: f.Extra, Force: f.Force})
	if err != nil {
		return err
	}
	defer seen.close()
	r.Show(seen.model())
	if err := r.Open(runCtx); err != nil {
		return interrupted(ctx, err)
	}
	seen.calls(f.Options, r)
	p, runErr := r.Live(runCtx)
	progress.done()
	seen.finished(p, runErr)
	outputErr := f.deliver(a, p)
	if what := r.Recorded(); outputErr != nil && what != "" {
		again := strings.Join(append([]string{"mprof trace --from", f.Recording}, f.elfArguments(args)...), " ")
		outputErr = fmt.Errorf("%w\n  %s that came are in %s: %s makes profiles from it", outputErr, what, f.Recording, again)
	}
	runErr = errors.Join(runErr, r.KeepRecording(f.RecordingWanted || outputErr != nil))
	err = concludeTrace(ctx, p, f.Duration != 0, runErr, outputErr)
	seen.wait(ctx, f.RecordingWanted || outputErr != nil)
	return err
}

// deliver writes the outputs and the summary.
func (f *traceFlags) deliver(a *app, p *profile.Profile) error {
	top := f.top
	if top == 0 {
		top = -1
	}
	return a.deliver(p, outputs{paths: f.outputs, quiet: f.quiet, json: f.json, sort: f.order, gmon: f.gmon, functions: top})
}

// concludeTrace is what the command returns: the error of the run, of its outputs, the
// signal that cut a run with a duration short, or that there was nothing.
func concludeTrace(ctx context.Context, p *profile.Profile, limited bool, runErr, outputErr error) error {
	if err := errors.Join(runErr, outputErr); err != nil {
		return err
	}
	var sig *signalError
	if limited && errors.As(context.Cause(ctx), &sig) {
		return sig
	}
	return tracing.CheckCalls(p)
}

// elfArguments are the ELF files of the command line, to type again.
func (f *traceFlags) elfArguments(args []string) (words []string) {
	for _, e := range f.Extra {
		words = append(words, "--extra-elf", e)
	}
	return append(words, args...)
}
