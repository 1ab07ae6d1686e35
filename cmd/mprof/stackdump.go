package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/mprof/mprof/session/sampling"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/snapshot/core"
)

// dump is what mprof stack was given: cores that stand still.
type dump struct {
	File     string   `json:"file"`
	Kind     string   `json:"kind"`
	ELF      string   `json:"elf"`
	Arch     string   `json:"arch"`
	Warnings []string `json:"warnings,omitempty"`

	kind    core.Kind
	arch    snapshot.Arch
	buildID string // hexadecimal, "" where the file has none
	chip    string
	extra   []string // ELF files beside the application's
	cores   []halted
	stacks  []stackTrace
}

// halted is one of them, with what tells it from the others.
type halted struct {
	snap   *snapshot.Snapshot
	thread uint32
	sample *uint64
}

// openDump reads the file by what it is.
func openDump(ctx context.Context, f *stackFlags) (*dump, error) {
	file, err := os.Open(f.core)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	kind, rest, err := identify(file)
	if err != nil {
		return nil, err
	}
	d := &dump{File: f.core, ELF: f.elf, kind: kind, Kind: kind.String()}
	if kind == core.Recording {
		return d, d.openRecording(ctx, f)
	}
	if f.sampleGiven || f.all {
		return nil, usageError{fmt.Errorf("--sample and --all are for recordings; %s is another file (%s)", f.core, kind)}
	}
	in, err := core.ReadFrom(rest, f.core)
	if err != nil {
		return nil, err
	}
	d.arch, d.Arch, d.Warnings = in.Arch, in.Arch.String(), in.Remarks
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

// openRecording takes the samples that the flags choose.
func (d *dump) openRecording(ctx context.Context, f *stackFlags) error {
	r, err := snapshot.Open(f.core)
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
		d.choose(s, f)
	}
	switch {
	case met == 0:
		return fmt.Errorf("%s holds no samples", f.core)
	case !f.sampleGiven && !f.all:
		return usageError{fmt.Errorf("%s holds %d samples, numbered %d to %d: say which with --sample N, or --all", f.core, met, first, last)}
	case len(d.cores) == 0:
		return fmt.Errorf("%s has no sample %d; its numbers are %d to %d", f.core, f.sample, first, last)
	}
	return nil
}

// checkArch compares the architecture of a dump with that of the program. A
// recording does not say its own.
func (d *dump) checkArch(a snapshot.Arch) error {
	if d.kind != core.Recording && d.arch != a {
		return fmt.Errorf("%s is of a %v, but %s is a program for %v", d.File, d.arch, d.ELF, a)
	}
	d.arch, d.Arch = a, a.String()
	return nil
}

// choose keeps s if it was asked for. Of a block of PCs each is a sample of its
// own, with nothing but its PC; those that were lost have not even that.
func (d *dump) choose(s *snapshot.Snapshot, f *stackFlags) {
	wanted := func(seq uint64) bool { return f.all || f.sampleGiven && seq == uint64(f.sample) }
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
