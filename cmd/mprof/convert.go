package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/symbol"
)

// convertCommand makes profiles from a recording: after a crash, in another
// format, or with a better ELF file.
func (a *app) convertCommand() *cobra.Command {
	f := &convertFlags{method: newMethodFlag(methodAuto, profile.MethodDWARF, profile.MethodFP, profile.MethodPC)}
	cmd := &cobra.Command{
		Use:   "convert [flags] recording.mprof",
		Short: "Make profiles from a recording",
		Long: `Convert reads a recording that mprof sample left (after a crash, or with
--record) and writes profiles of it, in any format. A recording that was cut
short gives all whole samples before the cut. The ELF file is the one that the
recording names, unless --elf names another of the same build: one with debug
information, for instance.

What mprof trace --record kept is taken as well, with the ELF file that --elf
names; mprof trace --from has more options for it.

Methods:
  auto   what was recorded
  dwarf  call stacks, without frame pointers and guesses
  fp     call stacks by frame pointers alone (code of clang and rustc)
  pc     the innermost function, and its caller where LR holds it`,
		Example: `  mprof convert run.mprof -o out.json.gz
  mprof convert run.mprof --elf with-debug-info.elf -o out.pb.gz`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.command = append([]string{"mprof", "convert"}, commandLine(cmd, args)...)
			if err := f.prepare(args); err != nil {
				return err
			}
			return a.convert(cmd.Context(), f)
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVarP(&f.paths, "output", "o", nil, "file to write; may be repeated; the extension names the format:\n"+formatHelp()+"\n(default "+defaultOutput+")")
	flags.StringVar(&f.elf, "elf", "", "ELF file to take functions and call frames from (default the one that the recording names)")
	addExtraELF(flags, &f.extra, "those that the recording names")
	flags.Var(&f.method, "method", "what to make of the samples, see above")
	addGuess(flags, &f.noGuess)
	flags.BoolVar(&f.force, "force", false, "go on when the ELF file is of another build than the recording")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "print errors only")
	flags.BoolVar(&f.json, "json", false, "print the summary as JSON")
	_ = cmd.MarkFlagFilename("output")
	_ = cmd.MarkFlagFilename("elf")
	return cmd
}

// convertFlags is the command line of mprof convert.
type convertFlags struct {
	outputs
	recording string
	elf       string
	extra     []string
	method    methodFlag
	noGuess   bool
	force     bool
	command   []string // for profiles of traced calls
}

// prepare takes the arguments: a recording, and perhaps an ELF file, which is
// another way to write --elf.
func (f *convertFlags) prepare(args []string) error {
	switch {
	case len(args) < 1 || len(args) > 2:
		return usageError{errors.New("convert takes a recording; --elf names an ELF file if the one in the recording is not right")}
	case len(args) == 2 && f.elf != "":
		return usageError{fmt.Errorf("the ELF file is named twice: %s and --elf %s", args[1], f.elf)}
	case len(args) == 2:
		f.elf = args[1]
	}
	f.recording = args[0]
	if len(f.paths) == 0 {
		f.paths = []string{defaultOutput}
	}
	return checkOutputs(f.paths)
}

// buildError says that a recording was made of another build than an ELF file.
type buildError struct{ recorded, path, found string }

func (e *buildError) Error() string {
	return fmt.Sprintf("the recording was made of another build (build id %s) than %s (%s)", e.recorded, e.path, e.found)
}

// checkBuild compares build ids, where both have one.
func checkBuild(h snapshot.Header, image *symbol.Image) error {
	id := fmt.Sprintf("%x", image.BuildID())
	if h.BuildID == "" || id == h.BuildID {
		return nil
	}
	return &buildError{h.BuildID, image.Path(), cmp.Or(id, "no build id")}
}

func (a *app) convert(ctx context.Context, f *convertFlags) error {
	recording, err := snapshot.Open(f.recording)
	if err != nil && isTrace(f.recording) {
		return a.convertTrace(ctx, f)
	}
	if err != nil {
		return err
	}
	defer recording.Close()
	header := recording.Header()
	app, err := openImage(f.elfArgument(header))
	if err != nil {
		return err
	}
	of, remarks, err := joinRecorded(app, f.extra, recordedExtra(header), symbol.Open)
	if err != nil {
		return err
	}
	of.SetChip(header.Parameters[keyChip])
	buildErr := checkBuild(header, of.App())
	if buildErr != nil && !f.force {
		return buildErr
	}
	if err := f.chooseMethod(header); err != nil {
		return err
	}
	w := recordedUnwinding(header)
	remark, err := w.check(of)
	if err != nil {
		return err
	}
	s, err := newStacks(of, profileOptions(header, of), w)
	if err != nil {
		return err
	}
	if remark != "" {
		s.remark("%s", remark)
	}
	if buildErr != nil {
		s.remark("%v; converted all the same (--force), so functions may carry the wrong names", buildErr)
	}
	s.remarks = append(s.remarks, remarks...)
	if err := s.addAll(ctx, recording); err != nil {
		return err
	}
	for _, e := range recording.Events() {
		s.event(e)
	}
	end, _ := recording.End()
	s.remarkTroubles(end)
	p := s.profile(recordedAcquisition(header, end), elapsed(end, s.last))
	if err := a.deliver(p, f.outputs); err != nil {
		return err
	}
	return noSamples(p)
}

// chooseMethod makes the header say what is to be made of the samples. PCs have
// no stacks to be found.
func (f *convertFlags) chooseMethod(h snapshot.Header) error {
	recorded := cmp.Or(h.Parameters[keyMethod], profile.MethodDWARF)
	w := recordedUnwinding(h)
	w.noGuess = w.noGuess || f.noGuess
	switch {
	case f.method.value == methodAuto || f.method.value == profile.MethodPC && recorded == profile.MethodPC:
	case recorded == profile.MethodPC || recorded == profile.MethodPCSR:
		return fmt.Errorf("--method %s: the recording was made with --method %s", f.method.value, recorded)
	default:
		h.Parameters[keyMethod] = f.method.value
		w = unwindingOf(f.method.value, w.noGuess)
	}
	w.parameters(h.Parameters)
	return nil
}

// elfArgument is the ELF file of a recording, unless another one is named.
func (f *convertFlags) elfArgument(h snapshot.Header) []string {
	switch {
	case f.elf != "":
		return []string{f.elf}
	case h.ELF == builtInPath || h.ELF == "":
		return nil
	}
	return []string{h.ELF}
}

// recordedExtra are the ELF files beside the application's that a recording
// was made with.
func recordedExtra(h snapshot.Header) []string {
	return strings.FieldsFunc(h.Parameters[keyExtraELF], func(r rune) bool { return r == '\n' })
}

// addAll reads a recording to its end; a cut is a remark, not an error.
func (s *stacks) addAll(ctx context.Context, source snapshot.Source) error {
	for {
		snap, err := source.Next(ctx)
		var cut *snapshot.CutError
		switch {
		case err == nil:
			s.add(snap)
		case errors.As(err, &cut):
			s.remark("%v", cut)
			return nil
		case errors.Is(err, io.EOF):
			return nil
		default:
			return err
		}
	}
}

// elapsed is how long the run took: what its end says, or else the time of
// the last sample.
func elapsed(end snapshot.End, last time.Duration) time.Duration {
	if d, err := time.ParseDuration(end.Facts[keyElapsed]); err == nil {
		return max(d, last)
	}
	return last
}
