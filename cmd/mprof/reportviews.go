package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mprof/mprof/export"
	"github.com/mprof/mprof/report"
)

// viewFlags ask for more than the flat table.
type viewFlags struct {
	graph    string // pattern of functions; "": not asked, every: all
	contexts bool
	annotate []string
	disasm   []string
	format   string
}

// every is the pattern that matches all names.
const every = "."

func (f *viewFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.graph, "graph", "", "the call graph: callers and callees of each function, or with =`FUNCTION` of that one\n(a name, or a regular expression that names match)")
	flags.Lookup("graph").NoOptDefVal = every
	flags.BoolVar(&f.contexts, "contexts", false, "tasks and interrupts, and what each ran")
	flags.StringArrayVar(&f.annotate, "annotate", nil, "source lines of a `FUNCTION` with what fell to each; may be repeated")
	flags.StringArrayVar(&f.disasm, "disasm", nil, "instructions of a `FUNCTION` with what fell to each; may be repeated")
	flags.StringVar(&f.format, "format", string(report.Text), "how it is printed: "+strings.Join(reportFormats(), ", "))
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(reportFormats(), cobra.ShellCompDirectiveNoFileComp))
}

func reportFormats() (names []string) {
	for _, f := range report.Formats {
		names = append(names, string(f))
	}
	return names
}

// asked tells whether a view is.
func (f *viewFlags) asked() bool {
	return f.graph != "" || f.contexts || len(f.annotate) > 0 || len(f.disasm) > 0
}

// prepare checks the flags. json, fit and sort: those are given, too; changed tells whether a flag is.
func (f *viewFlags) prepare(json, fit, sort bool, changed func(string) bool) error {
	switch {
	case changed("graph") && f.graph == "":
		return errors.New("--graph= needs the name of a function, or a regular expression; --graph alone lists all")
	case sort && f.asked():
		return errors.New("--sort orders the table of functions: leave it out with --graph, --contexts, --annotate and --disasm, which have orders of their own")
	case !slices.Contains(reportFormats(), f.format):
		return fmt.Errorf("--format %s: use one of %s", f.format, strings.Join(reportFormats(), ", "))
	case json && f.format == string(report.Markdown):
		return errors.New("--json and --format markdown: which of the two?")
	case fit && (f.asked() || f.format == string(report.Markdown)):
		return errors.New("--fit prints its own table: leave --graph, --contexts, --annotate, --disasm and --format out")
	case slices.Contains(f.annotate, "") || slices.Contains(f.disasm, ""):
		return errors.New("--annotate and --disasm need the name of a function, or a regular expression")
	}
	if json {
		f.format = string(report.JSON)
	}
	return nil
}

// reportViews prints the views that were asked for.
func (a *app) reportViews(ctx context.Context, f *reportFlags, topGiven bool) error {
	p, program, err := a.openProfile(ctx, f.path, f.elf, f.extra)
	if err != nil {
		return err
	}
	if err := f.checkSort(p); err != nil {
		return err
	}
	format := report.Format(f.views.format)
	if !f.views.asked() {
		return report.WriteFlat(a.stdout, p, export.Order(f.sort), f.top)
	}
	r, err := report.New(p, program)
	if err != nil {
		return err
	}
	if f.views.graph != "" {
		pattern, most := f.views.graph, 0
		if pattern == every {
			pattern = ""
		}
		if topGiven {
			most = f.top
		}
		if err := r.AddGraph(pattern, most); err != nil {
			return err
		}
	}
	if f.views.contexts {
		if err := r.AddContexts(f.top); err != nil {
			return err
		}
	}
	for _, pattern := range f.views.annotate {
		if err := r.AddSource(pattern); err != nil {
			return err
		}
	}
	for _, pattern := range f.views.disasm {
		if err := r.AddCode(pattern); err != nil {
			return err
		}
	}
	return r.Write(a.stdout, format)
}

// viewsAsked tells whether report.Report prints what was asked for, or the summary.
func (f *reportFlags) viewsAsked() bool {
	return f.views.asked() || f.views.format == string(report.Markdown)
}
