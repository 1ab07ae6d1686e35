package main

import (
	"github.com/spf13/cobra"
)

func (a *app) traceCommand() *cobra.Command {
	f := &traceFlags{}
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
			f.command = append([]string{"mprof", "trace"}, commandLine(cmd, args)...)
			if err := f.prepare(cmd, args); err != nil {
				return err
			}
			return a.trace(cmd.Context(), f, args)
		},
	}
	f.add(cmd)
	return cmd
}
