package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mprof/mprof/export"
	"github.com/mprof/mprof/live"
	"github.com/mprof/mprof/top"
)

// topFlags is the command line of mprof top.
type topFlags struct {
	sampleFlags
	traced   traceFlags
	sort     string
	filter   string
	interval durationFlag
	rows     int
	once     bool
	plain    bool
}

// defaultInterval is often enough to see changes, and rare enough to read numbers.
const defaultInterval = durationFlag(500 * time.Millisecond)

func (a *app) topCommand() *cobra.Command {
	f := &topFlags{interval: defaultInterval}
	cmd := &cobra.Command{
		Use:   "top [flags] app.elf",
		Short: "Show the hottest functions in the terminal while the firmware runs",
		Long: `Top samples as mprof sample does, or traces as mprof trace does (--port), and shows in the
terminal what the summary of a run shows, while it goes on: rate, time stolen, stacks cut or calls
lost, and the table of functions, of all of the run or of one task or interrupt.

  s, S        sort by the next column, the one before     r     reverse
  /           show functions with some text in their name or file; esc ends it
  tab         the next task or interrupt                  p     pause the screen
  arrows      scroll                                      q     end the run
  ?           all keys

The run ends with q, Ctrl-C or --duration; the core is left running, and the summary is
printed. With -o the profile is written then, as by sample and trace.

Where the output is no terminal, the table is printed as text at each --interval, and with --once
a single time.`,
		Example: `  mprof top app.elf
  mprof top --probe sim
  mprof top --rate 1000 --duration 60 -o out.json.gz app.elf
  mprof top --port /dev/ttyUSB0 --sort p99 app.elf
  mprof top --once --duration 5 app.elf`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.prepareTop(cmd, args); err != nil {
				return err
			}
			if f.traced.Port == "" {
				return a.sample(cmd.Context(), &f.sampleFlags, args)
			}
			if err := f.traced.prepare(cmd, args); err != nil {
				return err
			}
			return a.trace(cmd.Context(), &f.traced, args)
		},
	}
	f.add(cmd)
	f.traced.addPort(cmd)
	flags := cmd.Flags()
	flags.Lookup("output").Usage = "file to write in the end; may be repeated; the extension names the format:\n" + formatHelp()
	flags.Lookup("method").Usage = "how to sample: see mprof sample"
	flags.StringVar(&f.sort, "sort", "", "column to begin with, the largest first: of samples "+strings.Join(top.Keys(live.Samples), ", ")+"; of calls "+strings.Join(top.Keys(live.Calls), ", "))
	flags.StringVar(&f.filter, "filter", "", "show functions with this in their name, or in that of their file")
	flags.Var(&f.interval, "interval", "time between refreshes: 0.5, 500ms, 2s (default 500ms)")
	flags.Lookup("interval").DefValue = ""
	flags.IntVar(&f.rows, "rows", defaultTop, "length of the table as text; 0: all")
	flags.BoolVar(&f.once, "once", false, "print the table once, after --duration (default one second)")
	flags.BoolVar(&f.plain, "plain", false, "print text in a terminal, too")
	for _, name := range []string{"json", "quiet"} {
		_ = flags.MarkHidden(name)
	}
	_ = cmd.RegisterFlagCompletionFunc("sort", cobra.FixedCompletions(slices.Compact(slices.Sorted(slices.Values(append(top.Keys(live.Samples), top.Keys(live.Calls)...)))), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// ofSamples and ofCalls are flags that make no sense for the other.
var (
	ofSamples = []string{"method", "rate", "max-overhead", "max-halt", "probe", "speed", "core", "ap", "monitor", "connect-under-reset", "reset", "resume", "seed", "no-guess"}
	ofCalls   = []string{"baud", "keep", "no-calibrate", "crc", "cycles", "v1"}
)

// prepareTop checks what is top's own, and shares out what sampling and tracing have in common.
func (f *topFlags) prepareTop(cmd *cobra.Command, args []string) error {
	kind, others, why := live.Samples, ofCalls, "is for a port: --port"
	if f.traced.Port != "" {
		kind, others, why = live.Calls, ofSamples, "is for a probe, and --port is for firmware that sends its calls"
	}
	for _, name := range others {
		if cmd.Flags().Changed(name) {
			return usageError{fmt.Errorf("--%s %s", name, why)}
		}
	}
	switch {
	case f.sort != "" && !slices.Contains(top.Keys(kind), f.sort):
		return usageError{fmt.Errorf("--sort %s: the columns of %s are %s", f.sort, kind, strings.Join(top.Keys(kind), ", "))}
	case f.rows < 0:
		return usageError{fmt.Errorf("--rows %d: how many functions? 0 lists all", f.rows)}
	case f.interval <= 0:
		return usageError{fmt.Errorf("--interval: nothing is refreshed every %v", time.Duration(f.interval))}
	}
	if f.once {
		f.Duration = cmp.Or(f.Duration, time.Second)
	}
	f.chooseSeed(cmd)
	f.Command = append([]string{"mprof", "top"}, commandLine(cmd, args)...)
	f.watch, f.onScreen = f.open(kind), true
	t := &f.traced
	t.Duration, t.Extra, t.Force, t.Command = f.Duration, f.Extra, f.Force, f.Command
	t.outputs, t.record, t.gmon, t.watch, t.onScreen = f.outputs, f.record, f.gmon, f.watch, true
	t.sort, t.top = string(export.ByTotal), f.rows
	return nil
}
