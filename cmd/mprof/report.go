package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mprof/mprof/export"
	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/report"
)

// reportCommand prints what a profile says, without a viewer.
func (a *app) reportCommand() *cobra.Command {
	f := &reportFlags{}
	cmd := &cobra.Command{
		Use:   "report [flags] PROFILE",
		Short: "Print what a profile says: functions, call graph, contexts, lines, instructions",
		Long: `Report prints how a profile was taken and its hottest functions, as mprof sample
and mprof trace do at their end. PROFILE is any file that mprof writes or reads,
recognised by its content: a recording, or a profile for the Firefox Profiler or
pprof, or folded stacks.

Other views take the place of that table, several at once where asked for:
--graph (as gprof -q, pprof -peek), --contexts, --annotate FUNCTION (as perf
annotate, pprof -list) and --disasm FUNCTION (pprof -disasm). Each share of
samples has its standard error.

With --fit it says which functions are worth moving from flash into RAM: those
that cover the most time awake within so many bytes, what that can gain, and, by
--ld and --attributes, the lines for the linker or the compiler.`,
		Example: `  mprof report mprof-profile.json.gz --top 0
  mprof report run.mprof --sort total
  mprof report mprof-profile.pb.gz --json
  mprof report mprof-profile.json.gz --graph
  mprof report mprof-profile.json.gz --annotate parse --disasm parse
  mprof report mprof-profile.json.gz --contexts --format markdown
  mprof report mprof-profile.json.gz --fit 8K --flash-wait 5 --ld ramtext.ld`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := errors.Join(f.prepare(args, cmd.Flags().Changed), f.fit.prepare(cmd.Flags().Changed), f.views.prepare(f.json, f.fit.size != "", f.sort != "", cmd.Flags().Changed)); err != nil {
				return usageError{err}
			}
			if f.fit.size != "" {
				return a.reportFit(cmd.Context(), f)
			}
			if f.viewsAsked() {
				return a.reportViews(cmd.Context(), f, cmd.Flags().Changed("top"))
			}
			f.json = f.json || f.views.format == string(report.JSON)
			return a.reportProfile(cmd.Context(), f)
		},
	}
	f.add(cmd)
	return cmd
}

// reportFlags is the command line of mprof report.
type reportFlags struct {
	path  string
	elf   string
	extra []string // ELF files beside the application's
	top   int
	sort  string
	json  bool
	fit   fitFlags
	views viewFlags
}

func (f *reportFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.elf, "elf", "", "ELF file of the program (default the one that PROFILE names)")
	addExtraELF(flags, &f.extra, "those that PROFILE names")
	flags.IntVar(&f.top, "top", defaultTop, "how many functions are listed; 0: all")
	flags.StringVar(&f.sort, "sort", "", "column by which functions are listed, the largest first: "+strings.Join(orderNames(), ", ")+"\nof samples: "+strings.Join(sampleOrderNames(), ", ")+" (default total of traced calls, self of samples)")
	flags.BoolVar(&f.json, "json", false, "print it as JSON, with all functions")
	f.views.add(cmd)
	f.fit.add(flags)
	_ = cmd.RegisterFlagCompletionFunc("sort", cobra.FixedCompletions(orderNames(), cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.MarkFlagFilename("elf")
}

func (f *reportFlags) prepare(args []string, changed func(string) bool) error {
	switch {
	case len(args) == 0:
		return errors.New("which profile? name a file, as in: mprof report mprof-profile.json.gz")
	case len(args) == 2 && changed("graph") && f.views.graph == every:
		return fmt.Errorf("report takes one profile, got %s: to name a function, write --graph=FUNCTION", strings.Join(args, " and "))
	case len(args) > 1:
		return fmt.Errorf("report takes one profile, got %d: %s", len(args), strings.Join(args, ", "))
	case f.top < 0:
		return fmt.Errorf("--top %d: how many functions? 0 lists all", f.top)
	}
	f.path = args[0]
	if f.sort == "" {
		return nil
	}
	if _, err := export.ParseOrder(f.sort); err != nil {
		return fmt.Errorf("--sort: %w", err)
	}
	return nil
}

// reportProfile is the command.
func (a *app) reportProfile(ctx context.Context, f *reportFlags) error {
	p, _, err := a.openProfile(ctx, f.path, f.elf, f.extra)
	if err != nil {
		return err
	}
	if err := f.checkSort(p); err != nil {
		return err
	}
	top := f.top
	if top == 0 {
		top = -1
	}
	return a.summarise(p, outputs{json: f.json, sort: export.Order(f.sort), functions: top})
}

// checkSort tells whether the profile has the column to sort by.
func (f *reportFlags) checkSort(p *profile.Profile) error {
	if p.Trace == nil && f.sort != "" && !export.Order(f.sort).OfSamples() {
		return usageError{fmt.Errorf("--sort %s is for traced calls; samples have %s", f.sort, strings.Join(sampleOrderNames(), ", "))}
	}
	return nil
}

func sampleOrderNames() (names []string) {
	for _, o := range export.Orders {
		if o.OfSamples() {
			names = append(names, string(o))
		}
	}
	return names
}
