package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

// version is set by the linker (make build); go install leaves it to the
// module's own version.
var version = ""

func versionString() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "unknown"
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:     "mprof",
		Short:   "A profiler for microcontrollers",
		Version: versionText(),
		Long: `mprof shows where the time of a firmware goes. It halts a Cortex-M core for
microseconds through a CMSIS-DAP debug probe, copies registers and stack, and
writes call stacks for the Firefox Profiler and pprof.

  mprof sample --rate 100 --duration 60 app.elf
  mprof view mprof-profile.json.gz

mprof trace measures each call of firmware that was compiled with
-finstrument-functions and sends its records over a UART.

mprof stack app.elf --core FILE prints the call stack of a crash dump.

mprof serve shows a page that does both, and the profile while it grows.

No probe at hand? mprof sample --probe sim runs a built-in firmware on a
simulated board.`,
		SilenceErrors:              true,
		SuggestionsMinimumDistance: 2,
		SilenceUsage:               true,
		Args:                       knownCommand,
		RunE:                       func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	root.AddCommand(a.sampleCommand(), a.traceCommand(), a.topCommand(), a.serveCommand(), a.gmonCommand(), a.convertCommand(), a.reportCommand(), a.viewCommand(), a.diffCommand(), a.stackCommand(), a.listCommand(), a.infoCommand(), a.probeCommand(), a.simCommand(), a.versionCommand())
	root.SetVersionTemplate("{{.Version}}\n")
	root.Flags().Bool("version", false, "print the version")
	completeMethods(root)
	return root
}

// knownCommand is what is left when no command has that name.
func knownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	err := fmt.Errorf("there is no command %q", args[0])
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		err = fmt.Errorf("%w; did you mean %s?", err, strings.Join(near, " or "))
	}
	return usageError{err}
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(a.stdout, versionText())
			return err
		},
	}
}

// versionText is the answer to mprof version and mprof --version.
func versionText() string {
	usb := "with USB"
	if !usbBuiltIn {
		usb = "without USB (built without cgo)"
	}
	return fmt.Sprintf("mprof %s, %s, %s/%s, %s", versionString(), runtime.Version(), runtime.GOOS, runtime.GOARCH, usb)
}

func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usageError{fmt.Errorf("%s takes no argument, got %q", cmd.CommandPath(), args[0])}
	}
	return nil
}
