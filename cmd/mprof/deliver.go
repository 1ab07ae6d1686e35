package main

import (
	"errors"
	"fmt"

	"github.com/mprof/mprof/export"
	"github.com/mprof/mprof/profile"
)

// deliver writes every output and prints the summary. A failed output does
// not keep the others from being written.
func (a *app) deliver(p *profile.Profile, o outputs) error {
	var errs []error
	var written, remarks []string
	for _, path := range o.paths {
		if err := (export.Options{Gmon: o.gmon.Gmon}).WriteFile(path, p); err != nil {
			errs = append(errs, err)
		} else {
			written = append(written, path)
			remarks = append(remarks, o.gmonRemarks(p, path)...)
		}
	}
	o.files = written
	p.Taken.Remarks = append(p.Taken.Remarks, remarks...)
	if err := a.summarise(p, o); err != nil {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// outputs is what becomes of a profile.
type outputs struct {
	paths []string
	files []string // of paths, those that were written
	quiet bool
	json  bool
	gmon  gmonFlag

	sort      export.Order // of the functions of a trace
	functions int          // how many are listed: see export.SummaryOptions
}

// toStdout tells whether an output takes the place of the summary.
func (o outputs) toStdout() bool {
	for _, p := range o.paths {
		if p == "-" || p == "/dev/stdout" {
			return true
		}
	}
	return false
}

func (a *app) summarise(p *profile.Profile, o outputs) error {
	switch {
	case o.json:
		return export.SummaryJSON(a.stdout, p, o.files...)
	case o.quiet:
		return nil
	}
	w, colour := a.stdout, a.outTerminal
	if o.toStdout() {
		w, colour = a.stderr, a.errTerminal
	}
	return export.Summary(w, p, export.SummaryOptions{Colour: colour, Functions: o.functions, Sort: o.sort, Files: o.files})
}

// noSamples is the error of a run that took none.
func noSamples(p *profile.Profile) error {
	for _, t := range p.Threads {
		if len(t.Samples) > 0 {
			return nil
		}
	}
	return fmt.Errorf("no sample was taken of %d that were asked for", p.Taken.Asked)
}
