package export

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"github.com/fatih/color"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/unwind"
)

// SummaryOptions says how a summary is printed.
type SummaryOptions struct {
	Colour    bool
	Functions int      // how many of the hottest are listed; 0: ten of samples, twenty of traced calls; below 0: all
	Sort      Order    // of the functions; "": ByTotal of a trace, "self" of samples
	Files     []string // written files, for the next command to type
}

// Summary prints what a run took, what it cost the target, how far to
// trust it, the hottest functions, and the next command to type.
func Summary(w io.Writer, p *profile.Profile, o SummaryOptions) error {
	if err := p.Check(); err != nil {
		return err
	}
	s := newSummary(p, o)
	s.next(o.Files)
	_, err := io.WriteString(w, s.out.String())
	return err
}

// newSummary has all but the next command.
func newSummary(p *profile.Profile, o SummaryOptions) *summary {
	s := &summary{p: p, strong: style(o.Colour, color.Bold), faint: style(o.Colour, color.Faint), warn: style(o.Colour, color.FgYellow)}
	if p.Trace != nil {
		s.trace(o)
	} else {
		s.head()
		if !p.Taken.Unrecorded {
			s.cost()
			s.stacks()
		}
		s.target()
		s.functions(limit(o.Functions), o.Sort)
	}
	s.remarks()
	return s
}

// limit is how many functions of samples are listed.
func limit(functions int) int {
	if functions < 0 {
		return math.MaxInt
	}
	return cmp.Or(functions, 10)
}

// style colours only where asked to, whatever the terminal.
func style(enabled bool, attribute color.Attribute) func(string) string {
	c := color.New(attribute)
	c.DisableColor()
	if enabled {
		c.EnableColor()
	}
	return func(text string) string { return c.Sprint(text) }
}

type summary struct {
	p                   *profile.Profile
	out                 strings.Builder
	strong, faint, warn func(string) string
}

func (s *summary) printf(format string, args ...any) { fmt.Fprintf(&s.out, format, args...) }

// line prints "  label   text"; a line without label continues the one before.
func (s *summary) line(label, format string, args ...any) {
	s.printf("  %-8s  %s\n", label, fmt.Sprintf(format, args...))
}

func (s *summary) head() {
	a := &s.p.Taken
	if a.Unrecorded {
		s.readHead()
		return
	}
	s.printf("%s: %s of %d samples in %s", s.strong(processName(s.p)), s.strong(fmt.Sprint(s.p.Samples())), a.Asked, seconds(s.p.Duration))
	if a.ClockLabel != "" {
		s.printf(" of %s", a.ClockLabel)
	}
	s.printf("\n")
	if missed := a.MissedSamples(); missed > 0 {
		s.line("missed", "%s", s.warn(fmt.Sprintf("%d (%s)", missed, percent(float64(missed)/float64(max(a.Asked, 1))))))
		for miss, n := range a.Missed {
			if n > 0 && snapshot.Miss(miss) != snapshot.Taken {
				s.line("", "  %d %v", n, snapshot.Miss(miss))
			}
		}
	}
	if none := a.NoPCs.Sum(); none > 0 {
		s.line("no PC", "%d (%s) of the words read: %s; they are no samples", none, percent(float64(none)/float64(max(a.Asked, 1))), noPCsText(a.NoPCs))
	}
	if a.EndReason != "" && a.EndReason != "duration reached" {
		s.line("ended", "%s", s.warn(a.EndReason))
	}
}

// readHead is all that is known of a profile whose file does not say how it was
// taken.
func (s *summary) readHead() {
	s.printf("%s: %s", s.strong(processName(s.p)), s.strong(counted(uint64(s.p.Samples()), "sample")))
	if s.p.Duration > 0 {
		s.printf(" in %s", seconds(s.p.Duration))
	}
	s.printf("\n")
}

func (s *summary) cost() {
	a := &s.p.Taken
	if a.Method == profile.MethodPCSR {
		s.line("method", "pcsr, %s reached: read from DWT_PCSR while the core runs", frequency(s.rate()))
		s.line("halted", "never")
		return
	}
	if a.Method == profile.MethodPC {
		s.line("method", "pc, %s reached: registers without stacks", frequency(s.rate()))
	}
	if how := unwindingText(a.Unwinding); how != "" && !a.Flat() {
		s.line("callers", "by %s", how)
	}
	s.line("halted", "%s median, %s 99th percentile, %s of the run", micros(a.HaltedP50), micros(a.HaltedP99), percent(s.p.HaltedShare()))
	for _, line := range budgetLines(s.p) {
		s.line("", "%s", line)
	}
}

// rate is that of the samples taken, Hz.
func (s *summary) rate() float64 {
	if s.p.Duration <= 0 {
		return 0
	}
	return float64(s.p.Samples()) / s.p.Duration.Seconds()
}

// noPCsText lists what words that are no PC were.
func noPCsText(n profile.NoPCs) string {
	var parts []string
	for _, c := range []struct {
		n    uint64
		what string
	}{{n.Zero, "0"}, {n.Ones, "0xffffffff"}, {n.Outside, "outside of the code in the ELF file"}} {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	return strings.Join(parts, ", ")
}

func micros(d time.Duration) string { return fmt.Sprintf("%.1f µs", float64(d)/1e3) }

func (s *summary) stacks() {
	a := &s.p.Taken
	n := s.p.Samples()
	switch {
	case n == 0:
		return
	case a.Method == profile.MethodPCSR:
		s.line("stacks", "none: the innermost function only")
		return
	case a.Method == profile.MethodPC:
		s.line("stacks", "none: the innermost function, and its caller where LR holds it")
		return
	}
	complete := a.Stops[unwind.Complete]
	text := fmt.Sprintf("%d complete (%s)", complete, percent(float64(complete)/float64(n)))
	if cut := uint64(n) - min(complete, uint64(n)); cut > 0 {
		text += fmt.Sprintf(", %d cut", cut)
	}
	s.line("stacks", "%s", text)
	for reason, k := range a.Stops {
		if k > 0 && unwind.Reason(reason) != unwind.Complete {
			s.line("", "  %d %v%s", k, unwind.Reason(reason), s.cutsOf(unwind.Reason(reason)))
		}
	}
	if g := a.Guessed; g.Stacks > 0 {
		s.line("", "%s", s.warn(fmt.Sprintf("of the cut stacks, %d with guesses from there on: %d frames, marked [guessed]", g.Stacks, g.Frames)))
	}
}

// maxCuts bounds the functions that are named for one reason.
const maxCuts = 3

// cutsOf names the functions whose callers are not known, those with most stacks
// first.
func (s *summary) cutsOf(r unwind.Reason) string {
	var parts []string
	more := 0
	for _, c := range s.p.Taken.Cuts {
		switch {
		case c.Reason != r:
		case len(parts) == maxCuts:
			more++
		default:
			parts = append(parts, fmt.Sprintf("%s %d", c.Function, c.Stacks))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	if more > 0 {
		parts = append(parts, fmt.Sprintf("%d more", more))
	}
	return s.faint(": callers of " + strings.Join(parts, ", "))
}

func (s *summary) target() {
	a := &s.p.Taken
	if idle := s.p.IdleShare(); a.Sleeping > 0 {
		s.line("asleep", "%s ±%s of the samples (%d) found the core in WFI or WFE", percent(idle.Value), errorText(idle), a.Sleeping)
	}
	for i, text := range awaySentences(s.p) {
		label := ""
		if i == 0 {
			label = "away"
		}
		s.line(label, "%s", s.warn(text))
	}
	if a.Resets > 0 {
		s.line("resets", "%s", s.warn(fmt.Sprint(a.Resets)))
	}
}

// errorText is a standard error in the unit of percent, to go behind one.
func errorText(s profile.Share) string { return fmt.Sprintf("%.2f", s.Error*100) }

// functions prints the hottest ones: percent, standard error and number of
// samples, for self and total.
func (s *summary) functions(limit int, order Order) {
	top := order.Top(s.p)
	if len(top) == 0 {
		return
	}
	s.printf("\n")
	t := tabwriter.NewWriter(&s.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "self\t±\tsamples\ttotal\t±\tsamples\t  function\n")
	for _, e := range top[:min(limit, len(top))] {
		fmt.Fprintf(t, "%s\t%s\t%d\t%s\t%s\t%d\t  %s\n", percent(e.SelfShare.Value), errorText(e.SelfShare), e.Self,
			percent(e.TotalShare.Value), errorText(e.TotalShare), e.Total, s.describe(e))
	}
	_ = t.Flush()
	if more := len(top) - limit; more > 0 {
		s.printf("  and %d more\n", more)
	}
	how := "sqrt(p(1-p)/n)"
	if s.p.InBlocks() {
		how = "from how the parts of the run differ (PCs read in a row are not independent)"
	}
	s.printf("  %s\n", s.faint("± is the standard error of a share, "+how+", in percent points"))
}

// maxName bounds the width of a function's name in the table, in runes.
const maxName = 72

func (s *summary) describe(e profile.Entry) string {
	name := Printable(e.Name)
	if utf8.RuneCountInString(name) > maxName {
		name = string([]rune(name)[:maxName-1]) + "…"
	}
	f := s.p.Functions[e.Function]
	if f.File == "" {
		return name
	}
	return name + "  " + s.faint(Place(f.File, f.Line))
}

func (s *summary) remarks() {
	if len(s.p.Taken.Remarks) > 0 {
		s.printf("\n")
	}
	for _, r := range s.p.Taken.Remarks {
		s.printf("%s %s\n", s.warn("note:"), Printable(r))
	}
}

// next says what to type now, once per format.
func (s *summary) next(files []string) {
	var commands []string
	for _, file := range files {
		f, err := ByPath(file)
		if err != nil || isStream(file) {
			continue
		}
		command := s.gprof(files)
		if f.Next != "" {
			command = fmt.Sprintf(f.Next, quote(file))
		}
		if page := viewer(f.Ext); page != "" {
			command += "   (or open the file in " + page + ")"
		}
		if !slices.Contains(commands, command) {
			commands = append(commands, command)
		}
	}
	if len(commands) > 0 {
		s.printf("\nNext:\n")
	}
	for _, c := range commands {
		s.printf("  %s\n", s.strong(c))
	}
}

// gprof is the command that reads the first gmon.out of files, with the table of symbols where
// there is one.
func (s *summary) gprof(files []string) string {
	tool, table, data := "arm-none-eabi-gprof", "", "gmon.out"
	if s.p.Mapping.RISCV {
		tool = "riscv64-unknown-elf-gprof"
	}
	for _, file := range slices.Backward(files) {
		switch f, _ := ByPath(file); f.Ext {
		case GmonExt:
			data = file
		case symsExt:
			table = "-S " + quote(file) + " "
		}
	}
	return tool + " " + table + quote(cmp.Or(s.p.Mapping.Path, "app.elf")) + " " + quote(data)
}

// quote makes a path one word for a shell.
func quote(path string) string {
	plain := func(r rune) bool {
		return !(strings.ContainsRune("/._-+=,@%:", r) || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z')
	}
	if strings.IndexFunc(path, plain) < 0 {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
