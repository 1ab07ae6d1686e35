package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/mprof/mprof/export"
	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/session/sampling"
	"github.com/mprof/mprof/session/target"
	"github.com/mprof/mprof/session/tracing"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/symbol"
)

// openProfile reads any file that mprof writes or reads: a recording of samples or of
// traced calls, or a profile. elf and extra name ELF files in place of those that the
// file names; "" and none: those. The program is nil where no ELF file is at hand.
func (a *app) openProfile(ctx context.Context, path, elf string, extra []string) (*profile.Profile, *symbol.Program, error) {
	f := &convertFlags{input: path, ReadOptions: sampling.ReadOptions{ELF: elf, Extra: extra}, outputs: outputs{quiet: true}}
	p, program, err := a.readProfile(ctx, f)
	if err != nil {
		return nil, nil, err
	}
	if program == nil {
		program = namedProgram(p)
	}
	if program != nil {
		p.AddSymbols(program)
	}
	return p, program, nil
}

// readProfile reads the file of a command line. err with a profile says why it ends
// early.
func (a *app) readProfile(ctx context.Context, f *convertFlags) (*profile.Profile, *symbol.Program, error) {
	in, regular, err := openInput(f.input)
	if err != nil {
		return nil, nil, err
	}
	defer in.Close()
	b := bufio.NewReader(in)
	if head, _ := b.Peek(snapshot.MagicSize); snapshot.IsRecording(head) {
		return sampling.Read(ctx, b, f.input, f.ReadOptions)
	}
	if regular && !knownProfile(f.input) && tracing.IsRecording(f.input) {
		return a.readTrace(ctx, f)
	}
	return f.readExported(b)
}

// openInput opens a file; - is standard input. regular: it can be opened again.
func openInput(path string) (in io.ReadCloser, regular bool, err error) {
	if path == "-" {
		return io.NopCloser(os.Stdin), false, nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, false, err
	}
	st, err := file.Stat()
	return file, err == nil && st.Mode().IsRegular(), nil
}

// knownProfile tells whether a file is beyond doubt a profile.
func knownProfile(path string) bool {
	in, err := os.Open(path)
	if err != nil {
		return false
	}
	defer in.Close()
	return export.Known(in)
}

// readExported reads a profile.
func (f *convertFlags) readExported(in io.Reader) (*profile.Profile, *symbol.Program, error) {
	if f.forSamples() {
		return nil, nil, usageError{fmt.Errorf("--method and --no-guess are for recordings of samples: %s is none", f.input)}
	}
	var given export.Input
	switch {
	case f.ELF != "":
		program, err := target.OpenAnyProgram(f.ELF, f.Extra)
		if err != nil {
			return nil, nil, err
		}
		given.Program = program
	case len(f.Extra) > 0:
		return nil, nil, usageError{errors.New("--extra-elf is for what is on the chip beside the application: name the application's ELF file, too (--elf)")}
	}
	p, err := export.Read(in, given)
	if err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", f.input, err)
	}
	if given.Program == nil {
		return p, nil, nil
	}
	if err := target.CheckBuild("profile", fmt.Sprintf("%x", p.Mapping.BuildID), given.Program.App()); err != nil {
		if !f.Force {
			return nil, nil, err
		}
		p.Taken.Remarks = append(p.Taken.Remarks, fmt.Sprintf("%v; read all the same (--force)", err))
	}
	return p, given.Program, nil
}

// forSamples tells whether the command line has what is for recordings of samples alone.
func (f *convertFlags) forSamples() bool {
	return f.Method != "" && f.Method != sampling.MethodAuto || f.NoGuess
}

// namedProgram is the program that a profile was made of, where its ELF files are still
// where they were; nil where they are not.
func namedProgram(p *profile.Profile) *symbol.Program {
	app := namedImage(p)
	if app == nil {
		return nil
	}
	var others []string
	for _, m := range p.Others {
		others = append(others, m.Path)
	}
	program, _, err := target.JoinRecorded(app, nil, others)
	if err != nil {
		return nil
	}
	return program
}

// namedImage is the application's: what is built in under its path, or the file there, whichever is of the profile's
// build; nil where none is.
func namedImage(p *profile.Profile) *symbol.Image {
	of := func(app *symbol.Image) bool {
		return app != nil && target.CheckBuild("profile", fmt.Sprintf("%x", p.Mapping.BuildID), app) == nil
	}
	path := filepath.ToSlash(p.Mapping.Path)
	if path == "" {
		return nil
	}
	switch {
	case strings.HasSuffix(path, target.BuiltIn):
		if app, _ := target.OpenImage(""); of(app) {
			return app
		}
	case strings.HasSuffix(path, target.BuiltInTraced):
		if program, err := target.OpenBuiltInTraced(); err == nil && of(program.App()) {
			return program.App()
		}
	}
	if app, _ := symbol.OpenAny(p.Mapping.Path); of(app) {
		return app
	}
	return nil
}
