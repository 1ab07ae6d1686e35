package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mprof/mprof/diff"
	"github.com/mprof/mprof/export"
)

// diffCommand compares two profiles.
func (a *app) diffCommand() *cobra.Command {
	f := &diffFlags{}
	cmd := &cobra.Command{
		Use:   "diff [flags] OLD NEW",
		Short: "Compare two profiles, and fail where a change is too much",
		Long: `Diff compares two profiles of a program, before a change and after it, and says which
functions have changed: functions are matched by name, whatever the linker did to
their addresses. OLD and NEW are any files that mprof writes or reads.

Of samples it compares shares, of traced calls times per call, calls per second and
shares; each change with the interval that it lies in with 95 %. What is significant
(*) comes first: between two runs of one firmware, 95 times of 100 nothing is.

Rules for --fail-if: NAME [self|total|call|calls] > AMOUNT, or < -AMOUNT. NAME is a
function, a pattern with * and ?, a context (context:SysTick), or any. AMOUNT is +3%
(of the old value), +0.5pp (percent points), +2us per call (ns, us, ms, s), or +10/s
(calls). Without a word between, it is the share, and of traced calls the time per
call. A change fails where it is beyond the amount and significant. A name that is in
neither profile is an error. docs/diff.md has an example for CI.

Exit code: 0, 1 for an error, 2 for a wrong command line, 3 where a rule failed.`,
		Example: `  mprof diff before.json.gz after.json.gz
  mprof diff main.json.gz branch.json.gz --fail-if 'isr_adc > +3%' --fail-if 'any self > +1pp'
  mprof diff old.mprof new.mprof --awake --top 0
  mprof diff old.json.gz new.json.gz --format markdown >> "$GITHUB_STEP_SUMMARY"
  mprof diff old.json.gz new.json.gz -o diff.pb.gz -o diff.json.gz`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.prepare(args); err != nil {
				return usageError{err}
			}
			return a.diff(cmd.Context(), f)
		},
	}
	f.add(cmd)
	return cmd
}

// diffFlags is the command line of mprof diff.
type diffFlags struct {
	old, new       string
	elfOld, elfNew string
	options        diff.Options
	failIf         []string
	rules          []*diff.Rule
	anyhow         bool
	format         string
	top            int
	paths          []string
	quiet          bool
}

var diffFormats = []string{"text", "json", "markdown"}

func (f *diffFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringArrayVar(&f.failIf, "fail-if", nil, "rule on a change that is too much, see above: exit with 3 where it is; may be repeated")
	flags.BoolVar(&f.anyhow, "no-significance", false, "rules fail also by changes that chance may explain")
	flags.BoolVar(&f.options.Awake, "awake", false, "shares of the time awake: leave out samples that found the core asleep")
	flags.StringVar(&f.options.Context, "context", "", "functions in this interrupt or task alone, as the table of contexts names it (default all)")
	flags.StringVar(&f.format, "format", "text", "what is printed: "+strings.Join(diffFormats, ", "))
	flags.IntVar(&f.top, "top", defaultTop, "how many functions that have not changed significantly are listed; 0: all")
	flags.StringArrayVarP(&f.paths, "output", "o", nil, "file to write the difference to; may be repeated; the extension names the format:\n"+diffOutputHelp())
	flags.StringVar(&f.elfOld, "elf-old", "", "ELF file of the program that OLD is of (default the one that OLD names)")
	flags.StringVar(&f.elfNew, "elf-new", "", "ELF file of the program that NEW is of (default the one that NEW names)")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "print only what rules found")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(diffFormats, cobra.ShellCompDirectiveNoFileComp))
	for _, name := range []string{"output", "elf-old", "elf-new"} {
		_ = cmd.MarkFlagFilename(name)
	}
}

// diffOutputHelp lists the formats of a difference.
func diffOutputHelp() string {
	var all []string
	for _, f := range export.DiffFormats {
		all = append(all, fmt.Sprintf("%s (%s)", f.Ext, f.Name))
	}
	return strings.Join(all, ", ")
}

func (f *diffFlags) prepare(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("diff takes two profiles, OLD and NEW, got %d, as in: mprof diff before.json.gz after.json.gz", len(args))
	}
	f.old, f.new = args[0], args[1]
	known := false
	for _, name := range diffFormats {
		known = known || name == f.format
	}
	switch {
	case !known:
		return fmt.Errorf("--format %s: use one of %s", f.format, strings.Join(diffFormats, ", "))
	case f.top < 0:
		return fmt.Errorf("--top %d: how many functions? 0 lists all", f.top)
	case f.top == 0:
		f.top = -1
	case f.old == "-" && f.new == "-":
		return errors.New("OLD and NEW cannot both be standard input")
	}
	for _, text := range f.failIf {
		r, err := diff.ParseRule(text)
		if err != nil {
			return fmt.Errorf("--fail-if: %w", err)
		}
		f.rules = append(f.rules, r)
	}
	for _, path := range f.paths {
		if _, err := export.DiffByPath(path); err != nil {
			return err
		}
		if err := export.CheckWritable(path); err != nil {
			return err
		}
	}
	return nil
}

// diff is the command.
func (a *app) diff(ctx context.Context, f *diffFlags) error {
	old, _, err := a.openProfile(ctx, f.old, f.elfOld, nil)
	if err != nil {
		return err
	}
	new, _, err := a.openProfile(ctx, f.new, f.elfNew, nil)
	if err != nil {
		return err
	}
	d, err := diff.Compare(old, new, f.options)
	if err != nil {
		return err
	}
	results, err := d.Judge(f.rules, f.anyhow)
	if err != nil {
		return err
	}
	written, err := writeDiffs(d, f.paths)
	return errors.Join(err, a.printDiff(d, f, results, written), failed(results))
}

func (a *app) printDiff(d *diff.Diff, f *diffFlags, results []diff.Result, written []string) error {
	o := diff.Layout{Colour: a.outTerminal, Functions: f.top, Old: f.old, New: f.new, Results: results, Quiet: f.quiet, Next: export.DiffNext(written)}
	w := a.stdout
	if (outputs{paths: f.paths}).toStdout() {
		w, o.Colour = a.stderr, a.errTerminal
	}
	switch f.format {
	case "json":
		return d.JSON(w, o)
	case "markdown":
		return d.Markdown(w, o)
	}
	return d.Text(w, o)
}

// writeDiffs writes every output. A failed one does not keep the others from being written.
func writeDiffs(d *diff.Diff, paths []string) (written []string, err error) {
	for _, path := range paths {
		if failed := export.WriteDiffFile(path, d.Pair()); failed != nil {
			err = errors.Join(err, failed)
		} else {
			written = append(written, path)
		}
	}
	return written, err
}

// rulesError is a change that is too much.
type rulesError struct{ failed int }

func (e *rulesError) Error() string {
	if e.failed == 1 {
		return "a change is beyond its rule"
	}
	return fmt.Sprintf("%d changes are beyond their rules", e.failed)
}

func failed(results []diff.Result) error {
	n := 0
	for _, x := range results {
		if x.Violated {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return &rulesError{failed: n}
}
