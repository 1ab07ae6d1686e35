package main

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/symbol"
	"github.com/mprof/mprof/trace"
)

// maxRecognise is how many bytes of a file are looked at.
const maxRecognise = 1 << 20

// isTrace tells whether a file holds packets of instrumented firmware: what
// mprof trace --record keeps.
func isTrace(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	if st, err := file.Stat(); err != nil || !st.Mode().IsRegular() {
		return false // what is read from it is gone
	}
	d := trace.NewDecoder(ignore{}, trace.DecoderOptions{})
	if _, err := io.Copy(d, io.LimitReader(file, maxRecognise)); err != nil {
		return false
	}
	_ = d.Close() // never fails
	return d.Counts().Packets > 0
}

// ignore hears nothing.
type ignore struct{}

func (ignore) Records(trace.Batch)     {}
func (ignore) Metadata(trace.Metadata) {}
func (ignore) Status(trace.Status)     {}
func (ignore) Answer(_, _ byte)        {}
func (ignore) Loss(trace.Loss)         {}

// readTrace makes a profile of a recording of mprof trace. err with a profile is why it
// ends early.
func (a *app) readTrace(ctx context.Context, f *convertFlags) (p *profile.Profile, program *symbol.Program, err error) {
	if f.method.value != methodAuto || f.noGuess {
		return nil, nil, usageError{errors.New("--method and --no-guess are for samples: this is a recording of traced calls")}
	}
	r := &tracingRun{app: a, flags: &traceFlags{from: f.input, extra: f.extra, force: f.force, keep: defaultKeep, quiet: f.quiet, json: f.json, command: f.command}}
	var elf []string
	if f.elf != "" {
		elf = []string{f.elf}
	}
	if err := r.openProgram(elf); err != nil {
		return nil, nil, err
	}
	if p, err = r.replayed(ctx); p != nil {
		err = r.conclude(ctx, p, err, nil)
	}
	return p, r.program, err
}
