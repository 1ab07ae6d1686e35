package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/mprof/mprof/snapshot"
)

// convertCommand makes profiles from a recording: after a crash, in another
// format, or with a better ELF file.
func (a *app) convertCommand() *cobra.Command {
	var o outputs
	cmd := &cobra.Command{
		Use:   "convert [flags] recording.mprof [app.elf]",
		Short: "Make profiles from a recording",
		Long: `Convert reads a recording that mprof sample left (after a crash, or with
--record) and writes profiles of it. A recording that was cut short gives all
whole samples before the cut. Without app.elf it takes the file that the
recording names.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > 2 {
				return usageError{errors.New("convert takes a recording and, if the one it names is not right, an ELF file")}
			}
			if len(o.paths) == 0 {
				o.paths = []string{defaultOutput}
			}
			if err := checkOutputs(o.paths); err != nil {
				return err
			}
			return a.convert(cmd.Context(), args, o)
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVarP(&o.paths, "output", "o", nil, "file to write; may be repeated; the extension names the format:\n"+formatHelp()+"\n(default "+defaultOutput+")")
	flags.BoolVarP(&o.quiet, "quiet", "q", false, "print errors only")
	flags.BoolVar(&o.json, "json", false, "print the summary as JSON")
	_ = cmd.MarkFlagFilename("output")
	return cmd
}

func (a *app) convert(ctx context.Context, args []string, o outputs) error {
	recording, err := snapshot.Open(args[0])
	if err != nil {
		return err
	}
	defer recording.Close()
	header := recording.Header()
	image, _, err := openImage(elfArgument(args[1:], header))
	if err != nil {
		return err
	}
	s, err := newStacks(image, profileOptions(header, image))
	if err != nil {
		return err
	}
	if id := fmt.Sprintf("%x", image.BuildID()); header.BuildID != "" && id != header.BuildID {
		s.remark("the recording was made of another build (build id %s) than %s (%s); addresses may carry the names of the wrong code", header.BuildID, image.Path(), id)
	}
	if err := s.addAll(ctx, recording); err != nil {
		return err
	}
	for _, e := range recording.Events() {
		s.event(e)
	}
	end, _ := recording.End()
	s.remarkTroubles(end)
	p := s.profile(recordedAcquisition(header, end), elapsed(end, s.last))
	if err := a.deliver(p, o); err != nil {
		return err
	}
	return noSamples(p)
}

// elfArgument is the ELF file of a recording, unless another one is named.
func elfArgument(named []string, h snapshot.Header) []string {
	if len(named) > 0 || h.ELF == builtInPath || h.ELF == "" {
		return named
	}
	return []string{h.ELF}
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
