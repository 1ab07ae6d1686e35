package main

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mprof/mprof/session/target"
	"github.com/mprof/mprof/trace/uart"
)

// completeELF offers files with the extensions that linkers give.
func completeELF(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return []string{"elf", "axf", "out"}, cobra.ShellCompDirectiveFilterFileExt
}

// completeProbes offers the probes on USB and the simulated ones.
func completeProbes(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	var names []string
	if all, err := probes(cmd.Context()); err == nil {
		for _, p := range all {
			names = append(names, p.Probe+"\t"+p.Product)
		}
	}
	for _, s := range target.GDBServers {
		names = append(names, fmt.Sprintf("gdb:localhost:%d\t%s", s.Port, s.Name))
	}
	names = append(names, "sim\tsimulated board")
	for _, m := range simulated() {
		names = append(names, m.Probe+"\t"+m.Product)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// completePorts offers the serial ports.
func completePorts(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var names []string
	ports, _ := uart.List()
	for _, p := range ports {
		names = append(names, p.Name+"\t"+p.Product)
	}
	return append(names, "tcp:\tan emulator", "sim\tthe simulated board"), cobra.ShellCompDirectiveDefault
}

// completeMethods offers the methods that --method of each command knows.
func completeMethods(root *cobra.Command) {
	for _, cmd := range root.Commands() {
		if f := cmd.Flags().Lookup("method"); f != nil {
			if m, ok := f.Value.(*methodFlag); ok {
				_ = cmd.RegisterFlagCompletionFunc("method", cobra.FixedCompletions(m.known, cobra.ShellCompDirectiveNoFileComp))
			}
		}
		completeMethods(cmd)
	}
}

// changedFlags is what the user set, as --name=value.
func changedFlags(cmd *cobra.Command) []string {
	var set []string
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if values, ok := f.Value.(pflag.SliceValue); ok {
			for _, v := range values.GetSlice() {
				set = append(set, "--"+f.Name+"="+v)
			}
			return
		}
		set = append(set, "--"+f.Name+"="+f.Value.String())
	})
	return set
}
