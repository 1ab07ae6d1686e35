package main

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/symbol"
	"github.com/mprof/mprof/unwind"
)

// Parameters of a recording that say how its callers are found.
const (
	keyUnwinding = "unwinding" // "auto", "dwarf", "fp"
	keyGuess     = "guess"     // "no": callers are not guessed
)

// unwinding says how callers are found.
type unwinding struct {
	method  string // "" is auto
	noGuess bool
}

// unwindingOf reads from the method of a command line how to find callers.
func unwindingOf(method string, noGuess bool) unwinding {
	switch method {
	case profile.MethodDWARF, profile.MethodFP:
		return unwinding{method, noGuess}
	}
	return unwinding{methodAuto, noGuess}
}

// guesses tells whether callers are looked for on the stack as the last resort.
func (w unwinding) guesses() bool { return !w.noGuess && (w.method == "" || w.method == methodAuto) }

// parameters writes it into the header of a recording.
func (w unwinding) parameters(p map[string]string) {
	p[keyUnwinding] = cmp.Or(w.method, methodAuto)
	delete(p, keyGuess)
	if w.noGuess {
		p[keyGuess] = "no"
	}
}

// recordedUnwinding reads it back.
func recordedUnwinding(h snapshot.Header) unwinding {
	return unwindingOf(h.Parameters[keyUnwinding], h.Parameters[keyGuess] == "no")
}

// program is what an unwinder needs of the image, with these methods.
func (w unwinding) program(of *symbol.Program) unwind.Program {
	p := program(of)
	switch w.method {
	case profile.MethodDWARF:
		p.Methods = unwind.DWARF
	case profile.MethodFP:
		p.Methods = unwind.FramePointers
	}
	p.Guess = w.guesses()
	return p
}

// errNoChain is a program in which no frame pointer leads to another.
var errNoChain = errors.New("frame pointers make no chain")

// check refuses frame pointers for a program in which they make no chain, and
// warns of one in which some do not.
func (w unwinding) check(of *symbol.Program) (remark string, err error) {
	if w.method != profile.MethodFP {
		return "", nil
	}
	var gcc, chained, others []string
	for _, p := range of.Producers() {
		switch {
		case symbol.ChainsFrames(p):
			chained = append(chained, p)
		case strings.HasPrefix(p, "GNU AS"):
		case strings.HasPrefix(p, "GNU"):
			gcc = append(gcc, p)
		default:
			others = append(others, p)
		}
	}
	const why = "whose r7 points below the locals of a Thumb function and to no other frame"
	switch {
	case len(chained) > 0 && len(gcc) > 0:
		return fmt.Sprintf("--method fp: parts of the program are compiled by GCC, %s: stacks are cut there; --method auto finds their callers by call frame information", why), nil
	case len(chained) > 0:
		return "", nil
	case len(gcc) > 0:
		return "", fmt.Errorf("--method fp: %s is compiled by GCC, %s: %w", of.App().Path(), why, errNoChain)
	case len(others) > 0:
		return "", fmt.Errorf("--method fp: %s is compiled by %s, not by clang or rustc: %w", of.App().Path(), others[0], errNoChain)
	}
	return "", fmt.Errorf("--method fp: %s does not say who compiled it (it has no DWARF), so nobody knows: %w", of.App().Path(), errNoChain)
}
