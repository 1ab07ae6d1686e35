package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mprof/mprof/cortexm/check"
	"github.com/mprof/mprof/session/target"
)

// checkFlags is the command line of mprof probe check.
type checkFlags struct {
	target.Options
	json bool
}

func (a *app) probeCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "probe",
		Short: "Find out what a debug probe does",
		Args:  knownCommand,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.probeCheckCommand())
	return cmd
}

func (a *app) probeCheckCommand() *cobra.Command {
	f := &checkFlags{}
	cmd := &cobra.Command{
		Use:   "check [flags] [app.elf]",
		Short: "Check a probe and the core behind it for all that sampling relies on",
		Long: `Check tries on this probe and this core everything that the driver assumes:
packets, clocks, registers, memory. docs/hardware.md says what each point is
for, and where to send the report.

It halts the core a few hundred times, for some milliseconds each, and puts
everything back; the core is left running. Do not run it on a target that drives
something which must not stop.

With app.elf, flash is compared with it as well. The exit code is 0 unless a
check says that sampling would not be safe, or the probe was lost.`,
		Example: `  mprof probe check
  mprof probe check --probe 0d28:0204 --speed 1M --json
  mprof probe check --probe sim:free-dap`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.probeCheck(cmd.Context(), f, args) },
	}
	addTarget(cmd, &f.Options)
	cmd.Flags().BoolVar(&f.json, "json", false, "print the report as JSON")
	cmd.ValidArgsFunction = completeELF
	return cmd
}

// unsafeError is a report that says: do not sample with this.
type unsafeError struct{ checks []string }

func (e *unsafeError) Error() string {
	return "sampling with this probe would not be safe: " + strings.Join(e.checks, ", ")
}

// checked is the report with where and by what it was made.
type checked struct {
	Mprof string `json:"mprof"`
	Go    string `json:"go"`
	OS    string `json:"os"`
	Probe string `json:"probe,omitempty"` // on USB
	*check.Report
	Error string `json:"error,omitempty"` // why it ends early
}

func (a *app) probeCheck(ctx context.Context, f *checkFlags, args []string) error {
	var segments []check.Segment
	if len(args) > 0 || target.IsSim(f.Probe) {
		image, err := target.OpenImage(firstOf(args))
		if err != nil {
			return err
		}
		for _, s := range image.Stored() {
			segments = append(segments, check.Segment{Addr: s.Paddr, Data: s.Data})
		}
	}
	t, err := target.Open(ctx, f.Probe, firstOf(args))
	if err != nil {
		return err
	}
	if a.opened != nil {
		a.opened(t)
	}
	fmt.Fprintf(a.stderr, "The core is halted a few hundred times now, for some milliseconds each (less than %v); it is left running.\n", check.Longest)
	progress := &checkProgress{w: a.stderr, show: a.errTerminal}
	connect := f.ProbeOptions(t)
	connect.Reopen = nil // a probe that goes away has ended its check
	report, err := check.Run(ctx, t.Transport, check.Options{Connect: connect, Clock: t.Clock, Image: segments, Begin: progress.begin})
	progress.done()
	err = interrupted(ctx, err)
	if report == nil {
		return err
	}
	c := checked{Mprof: versionString(), Go: runtime.Version(), OS: runtime.GOOS + "/" + runtime.GOARCH, Report: report}
	if t.USB != nil {
		c.Probe = fmt.Sprintf("%s, %s", t.USB, t.USB.Kind)
	}
	if err != nil {
		c.Error = err.Error()
	}
	if printErr := a.printCheck(c, f.json); printErr != nil {
		return errors.Join(err, printErr)
	}
	if names := report.Unsafe(); err == nil && len(names) > 0 {
		return &unsafeError{names}
	}
	return err
}

func (a *app) printCheck(c checked, asJSON bool) error {
	if asJSON {
		e := json.NewEncoder(a.stdout)
		e.SetIndent("", "  ")
		return e.Encode(c)
	}
	_, err := io.WriteString(a.stdout, c.text())
	return err
}

// text is the report for people, a block of Markdown that can be pasted whole.
func (c checked) text() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("```")
	line("mprof   %s, %s, %s", c.Mprof, c.Go, c.OS)
	line("probe   %s, firmware %s, CMSIS-DAP %s", dash(c.Product), dash(c.Firmware), dash(c.Protocol))
	if c.Probe != "" {
		line("usb     %s", c.Probe)
	}
	line("target  %s, DPIDR 0x%08x, AP 0x%x with IDR 0x%08x, SWCLK asked for %d kHz", c.Core, c.DPIDR, c.AP, c.APIDR, c.SWCLKHz/1000)
	for _, f := range c.Findings {
		verdict := string(f.Verdict)
		if f.Unsafe {
			verdict += ", NOT SAFE"
		}
		line("\n(%s) %s: %s", f.Point, f.Name, verdict)
		for _, fact := range f.Facts {
			line("    %s", fact)
		}
		if f.Consequence != "" {
			line("    -> %s", f.Consequence)
		}
	}
	line("\nhalted %d times, %v in all, %v at most by the host's clock", c.Halts, c.HaltedTotal.Round(time.Microsecond), c.HaltedLongest.Round(time.Microsecond))
	line("\n| %s | %s | %s |", c.Product, c.Core, strings.Join(c.Row(), " | "))
	if c.Error != "" {
		line("ended early: %s", c.Error)
	}
	line("```")
	return b.String()
}

// checkProgress says on a terminal which check is under way.
type checkProgress struct {
	w    io.Writer
	show bool
}

func (p *checkProgress) begin(name string) {
	if p.show {
		fmt.Fprintf(p.w, "\r\x1b[K%s ...", name)
	}
}

func (p *checkProgress) done() {
	if p.show {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
