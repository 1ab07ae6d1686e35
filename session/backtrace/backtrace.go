// Package backtrace reads the call stacks of cores that stand still in a file. In: a dump (an ELF core
// file, a capture in JSON) or samples of a recording, and the program. Out: for each the frames, innermost
// first, why they end, what the fault registers say, and in sentences what to mistrust.
package backtrace

import (
	"context"

	"github.com/mprof/mprof/session/sampling"
	"github.com/mprof/mprof/session/target"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/snapshot/core"
	"github.com/mprof/mprof/symbol"
	"github.com/mprof/mprof/unwind"
)

// Options say which stacks, and how their callers are found.
type Options struct {
	ELF     string   // of the program
	Core    string   // the dump or the recording, told apart by what is in it
	Extra   []string // ELF files beside the application's, in place of those that a recording names
	Sample  *uint64  // of a recording, by its number from 0; nil: none is chosen
	All     bool     // every sample of a recording
	Method  string   // sampling.MethodAuto or ""; profile.MethodDWARF, profile.MethodFP
	NoGuess bool     // cut a stack where no method knows the caller
}

// Dump is what the file holds.
type Dump struct {
	Kind     core.Kind
	Arch     snapshot.Arch
	Warnings []string // sentences without a full stop: what the dump lacks, and why names may be wrong
	Stacks   []Stack  // one of each thread, or of each sample that was chosen

	options *Options
	buildID string // hexadecimal, "" where the file has none
	chip    string
	extra   []string // ELF files beside the application's
	cores   []halted
}

// Read reads the file and unwinds what it holds. A stack that ends early is no error: its End says why.
// Errors: of a file that is neither dump nor recording, of samples that it does not have (a
// *target.UsageError where none was chosen, or one of a dump), of another architecture than the
// program's, of the ELF files, sampling.ErrNoChain.
func Read(ctx context.Context, o Options) (*Dump, error) {
	d, err := openDump(ctx, &o)
	if err != nil {
		return nil, err
	}
	app, err := symbol.OpenAny(o.ELF)
	if err != nil {
		return nil, err
	}
	of, remarks, err := target.JoinRecorded(app, o.Extra, d.extra)
	if err != nil {
		return nil, err
	}
	of.SetChip(d.chip)
	d.compare(of.App())
	d.Warnings = append(d.Warnings, remarks...)
	if err := d.unwind(of); err != nil {
		return nil, err
	}
	return d, nil
}

// unwind makes the stacks.
func (d *Dump) unwind(of *symbol.Program) error {
	w := sampling.UnwindingOf(d.options.Method, d.options.NoGuess)
	remark, err := w.Check(of)
	if err != nil {
		return err
	}
	if remark != "" {
		d.Warnings = append(d.Warnings, remark)
	}
	program := w.Program(of)
	if err := d.checkArch(program.Arch); err != nil {
		return err
	}
	u, err := unwind.New(program)
	if err != nil {
		return err
	}
	n := &namer{symbols: sampling.Names(program.Arch, of), kind: d.Kind, consulted: u.Consulted, inCode: target.InCode(of)}
	for i := range d.cores {
		c := &d.cores[i]
		frames, stop := u.Unwind(nil, c.snap)
		d.Stacks = append(d.Stacks, n.stack(c, frames, stop))
	}
	d.Warnings = append(d.Warnings, of.Remarks()...)
	d.Warnings = append(d.Warnings, u.Remarks()...)
	return nil
}
