package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/mprof/mprof/firmware/examples"
	"github.com/mprof/mprof/session/target"
	"github.com/mprof/mprof/sim"
)

// simFlags are the flags of `mprof sim`.
type simFlags struct {
	uarts    []string
	duration durationFlag
	options  [4]simOption
}

// simOption is a flag whose value is an option of the board.
type simOption struct {
	name, usage, value string
	known              []string // values; nil: others, too
}

func (a *app) simCommand() *cobra.Command {
	f := &simFlags{options: [4]simOption{
		{name: "clock", usage: "clock of the core in Hz: 16M, 168M, 25000000 (default 16M)"},
		{name: "board", usage: "peripherals: " + strings.Join(sim.Boards(), ", ") + " (default those for which the program was linked)", known: sim.Boards()},
		{name: "chip", usage: "cores and debug ports: " + strings.Join(sim.Chips(), ", ") + " (default " + sim.Chips()[0] + ")", known: sim.Chips()},
		{name: "fpu", usage: "floating-point unit: on or off (default where the program was built for one)", known: []string{"on", "off"}},
	}}
	cmd := &cobra.Command{
		Use:   "sim [app.elf]",
		Short: "Run firmware on the simulated board, with its serial ports",
		Long: `Runs firmware on the simulated board in real time, until Ctrl-C or for --duration, and
connects its serial ports to this machine. Without app.elf it runs the built-in
firmware that is traced. docs/simulated-board.md says which UARTs are there.

--uart says where the first UART that the firmware sets up goes, or UART2=WHERE a
certain one: pty (a pseudo-terminal, the default; Linux and macOS), tcp:PORT or
tcp:HOST:PORT (waits there for a connection), stdio, none. What the firmware sends
while nobody listens is lost.`,
		Example: `  mprof sim app.elf
  mprof sim --uart tcp:3456 --clock 168M app.elf
  mprof sim --uart USART2=pty --uart USART1=stdio --duration 60 app.elf`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeELF,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.runSim(cmd.Context(), f, args)
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&f.uarts, "uart", nil, "where a UART goes: [UART=]pty, tcp:[HOST:]PORT, stdio or none; may be repeated (default pty)")
	flags.Var(&f.duration, "duration", "how long to run: 60, 60s, 2m (default until Ctrl-C)")
	for i := range f.options {
		o := &f.options[i]
		flags.StringVar(&o.value, o.name, "", o.usage)
		if o.known != nil {
			_ = cmd.RegisterFlagCompletionFunc(o.name, cobra.FixedCompletions(o.known, cobra.ShellCompDirectiveNoFileComp))
		}
	}
	return cmd
}

// newBoard builds the board that the flags describe.
func (f *simFlags) newBoard(args []string) (*sim.Board, error) {
	elf := examples.DemoELF
	if len(args) > 0 {
		var err error
		if elf, err = target.ReadELF(args[0]); err != nil {
			return nil, err
		}
	}
	o := sim.Options{ELF: elf}
	for _, option := range f.options {
		if option.value == "" {
			continue
		}
		if _, err := target.ParseSimOption(&o, option.name+"="+option.value); err != nil {
			return nil, usageError{fmt.Errorf("--%s: %w", option.name, err)}
		}
	}
	return sim.New(o)
}

// runSim runs the board until the duration or a signal ends it.
func (a *app) runSim(ctx context.Context, f *simFlags, args []string) error {
	b, err := f.newBoard(args)
	if err != nil {
		return err
	}
	if a.opened != nil {
		a.opened(&target.Target{Board: b})
	}
	links, err := f.links(b)
	if err != nil {
		return err
	}
	talk := a.stdout
	for _, l := range links {
		if l.where == "stdio" {
			talk = a.stderr
		}
	}
	if len(links) == 0 {
		fmt.Fprintf(talk, "no serial port: the firmware sets none up in its first %v, or --uart none says so\n", target.AwaitUART)
	}
	defer b.RunPaced()()
	var cancel context.CancelFunc = func() {}
	if d := time.Duration(f.duration); d > 0 {
		ctx, cancel = context.WithTimeout(ctx, d)
	}
	defer cancel()
	var running sync.WaitGroup
	defer running.Wait()
	for _, l := range links {
		end, err := l.open(ctx, os.Stdin, a.stdout)
		if err != nil {
			cancel()
			return err
		}
		defer end.Close()
		printLink(talk, b, l, end, args)
		running.Go(func() { end.serve(ctx, b, l.uart) })
	}
	<-ctx.Done()
	if lag := b.Lag(); lag > 0 {
		fmt.Fprintf(talk, "note: the board's clock is %v behind: this machine is too slow for its --clock\n", lag.Round(time.Millisecond))
	}
	for _, remark := range b.Remarks() {
		fmt.Fprintf(talk, "note: %s\n", remark)
	}
	return simEnd(ctx)
}

// simEnd is what a run returns: to be ended is what it is there for, but a run
// with a duration that a signal cut short says so.
func simEnd(ctx context.Context) error {
	if _, limited := ctx.Deadline(); limited && !errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return context.Cause(ctx)
	}
	return nil
}

// printLink says where a UART is.
func printLink(w io.Writer, b *sim.Board, l link, end simEnding, args []string) {
	for _, p := range b.Ports() {
		if p.Name != l.uart {
			continue
		}
		rate := ""
		if p.Baud > 0 {
			rate = fmt.Sprintf(", %d baud", p.Baud)
		}
		fmt.Fprintf(w, "%s (%s, 0x%08x%s): %s\n", p.Name, p.Kind, p.Address, rate, end.describe(args))
	}
}
