// Command mprof profiles the firmware of a microcontroller. In: a command
// line, a debug probe or the simulated board, an ELF file. Out: profiles as
// files and a summary on the terminal. It is the only package that wires the
// others together, prints, exits and gives hints.
//
// A command is in the file of its name, with its flags and its help; what it alone needs is in
// files whose names begin with that: sample.go, trace*.go, gmon*.go, stack*.go. Flags of several commands are
// in flags*.go. main.go, root.go, signal.go and hints.go are the frame; deliver.go writes outputs,
// readprofile.go reads what other runs have left. What runs on a target is not here, but in
// package session and those below it.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/fatih/color"
	"golang.org/x/term"

	"github.com/mprof/mprof/session/target"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run executes one command line and returns the exit code: 0 for success, 1
// for an error, 2 for a command line that makes no sense, 3 for a change beyond its
// rule (mprof diff), 128+n for a run that signal n cut short.
func run(args []string, stdout, stderr io.Writer) int {
	ctx, stop := withSignals(context.Background())
	defer stop()
	a := &app{
		stdout: stdout, stderr: stderr,
		outTerminal: isTerminal(stdout), errTerminal: isTerminal(stderr),
	}
	root := a.root()
	root.SetArgs(args)
	return a.report(root.ExecuteContext(ctx))
}

// app is what every command shares.
type app struct {
	stdout, stderr           io.Writer
	outTerminal, errTerminal bool
	// opened is called with each target that a command opens: tests look at
	// the simulated board through it.
	opened func(*target.Target)
}

// usageError is a command line that makes no sense.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// report prints an error with its hint and chooses the exit code.
func (a *app) report(err error) int {
	if err == nil {
		return 0
	}
	code, sig := 1, (*signalError)(nil)
	if errors.As(err, &sig) {
		code = 128 + int(sig.signal)
		if err = besideSignal(err); err == nil {
			return code
		}
	}
	label := "mprof: "
	if a.errTerminal {
		label = color.New(color.FgRed, color.Bold).Sprint("mprof: ")
	}
	fmt.Fprintf(a.stderr, "%s%v\n", label, err)
	for _, hint := range hintsFor(err) {
		fmt.Fprintf(a.stderr, "  %s\n", hint)
	}
	if sig != nil {
		return code
	}
	if as[usageError](err) || as[*target.UsageError](err) {
		return 2
	}
	if rules := (*rulesError)(nil); errors.As(err, &rules) {
		return 3
	}
	return code
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
