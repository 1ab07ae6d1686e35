package backtrace

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/mprof/mprof/session/sampling"
	"github.com/mprof/mprof/session/target"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/snapshot/core"
)

// halted is a core that stands still, with what tells it from the others.
type halted struct {
	snap   *snapshot.Snapshot
	thread uint32
	sample *uint64
}

// openDump reads the file by what it is.
func openDump(ctx context.Context, o *Options) (*Dump, error) {
	file, err := os.Open(o.Core)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	kind, rest, err := identify(file)
	if err != nil {
		return nil, err
	}
	d := &Dump{Kind: kind, options: o}
	if kind == core.Recording {
		return d, d.openRecording(ctx)
	}
	if o.Sample != nil || o.All {
		return nil, &target.UsageError{Err: fmt.Errorf("--sample and --all are for recordings; %s is another file (%s)", o.Core, kind)}
	}
	in, err := core.ReadFrom(rest, o.Core)
	if err != nil {
		return nil, err
	}
	d.Arch, d.Warnings = in.Arch, in.Remarks
	if in.BuildID != nil {
		d.buildID = fmt.Sprintf("%x", in.BuildID)
	}
	for i := range in.Threads {
		d.cores = append(d.cores, halted{snap: &in.Threads[i].Snapshot, thread: in.Threads[i].ID})
	}
	return d, nil
}

// identify tells what a file is by how it begins. rest reads it from its start: a
// pipe gives nothing twice.
func identify(file io.Reader) (kind core.Kind, rest io.Reader, err error) {
	in := bufio.NewReaderSize(file, 64)
	head, err := in.Peek(64)
	if err != nil && err != io.EOF {
		return 0, nil, err
	}
	return core.Identify(head), in, nil
}

// openRecording takes the samples that the options choose.
func (d *Dump) openRecording(ctx context.Context) error {
	o := d.options
	r, err := snapshot.Open(o.Core)
	if err != nil {
		return err
	}
	defer r.Close()
	d.buildID = r.Header().BuildID
	d.extra, d.chip = sampling.RecordedExtra(r.Header()), r.Header().Parameters[sampling.KeyChip]
	first, last, met := uint64(0), uint64(0), 0
	for {
		s, err := r.Next(ctx)
		var cut *snapshot.CutError
		if errors.As(err, &cut) {
			d.Warnings = append(d.Warnings, cut.Error())
		} else if err != nil && err != io.EOF {
			return err
		}
		if err != nil {
			break
		}
		if met == 0 {
			first = s.Seq
		}
		met, last = met+s.Samples(), s.Seq+uint64(max(s.Samples(), 1)-1)
		d.choose(s)
	}
	switch {
	case met == 0:
		return fmt.Errorf("%s holds no samples", o.Core)
	case o.Sample == nil && !o.All:
		return &target.UsageError{Err: fmt.Errorf("%s holds %d samples, numbered %d to %d: say which with --sample N, or --all", o.Core, met, first, last)}
	case len(d.cores) == 0:
		return fmt.Errorf("%s has no sample %d; its numbers are %d to %d", o.Core, *o.Sample, first, last)
	}
	return nil
}

// checkArch compares the architecture of a dump with that of the program. A
// recording does not say its own.
func (d *Dump) checkArch(a snapshot.Arch) error {
	if d.Kind != core.Recording && d.Arch != a {
		return fmt.Errorf("%s is of a %v, but %s is a program for %v", d.options.Core, d.Arch, d.options.ELF, a)
	}
	d.Arch = a
	return nil
}

// choose keeps s if it was asked for. Of a block of PCs each is a sample of its
// own, with nothing but its PC; those that were lost have not even that.
func (d *Dump) choose(s *snapshot.Snapshot) {
	wanted := func(seq uint64) bool {
		return d.options.All || d.options.Sample != nil && seq == *d.options.Sample
	}
	keep := func(s *snapshot.Snapshot) {
		if wanted(s.Seq) {
			d.cores = append(d.cores, halted{snap: s, sample: &s.Seq})
		}
	}
	if s.Block == nil {
		keep(s)
		return
	}
	for i := range s.Samples() {
		one := &snapshot.Snapshot{Seq: s.Seq + uint64(i), Time: s.Time + time.Duration(i)*s.Block.Spacing, State: s.State, Miss: s.Miss}
		if i < len(s.Block.PCs) {
			one.Miss = snapshot.Taken
			one.Regs.Set(snapshot.PC, s.Block.PCs[i])
		}
		keep(one)
	}
}
