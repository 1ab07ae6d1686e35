package sampling

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
	KeyUnwinding = "unwinding" // "auto", "dwarf", "fp"
	KeyGuess     = "guess"     // "no": callers are not guessed
)

// Unwinding says how callers are found.
type Unwinding struct {
	method  string // "" is auto
	NoGuess bool
}

// UnwindingOf reads from the method of a command line how to find callers.
func UnwindingOf(method string, noGuess bool) Unwinding {
	switch method {
	case profile.MethodDWARF, profile.MethodFP:
		return Unwinding{method, noGuess}
	}
	return Unwinding{MethodAuto, noGuess}
}

// guesses tells whether callers are looked for on the stack as the last resort.
func (w Unwinding) guesses() bool { return !w.NoGuess && (w.method == "" || w.method == MethodAuto) }

// parameters writes it into the header of a recording.
func (w Unwinding) parameters(p map[string]string) {
	p[KeyUnwinding] = cmp.Or(w.method, MethodAuto)
	delete(p, KeyGuess)
	if w.NoGuess {
		p[KeyGuess] = "no"
	}
}

// recordedUnwinding reads it back.
func recordedUnwinding(h snapshot.Header) Unwinding {
	return UnwindingOf(h.Parameters[KeyUnwinding], h.Parameters[KeyGuess] == "no")
}

// Program is what an unwinder needs of the image, with these methods.
func (w Unwinding) Program(of *symbol.Program) unwind.Program {
	p := UnwindProgram(of)
	switch w.method {
	case profile.MethodDWARF:
		p.Methods = unwind.DWARF
	case profile.MethodFP:
		p.Methods = unwind.FramePointers
	}
	p.Guess = w.guesses()
	return p
}

// ErrNoChain is a program in which no frame pointer leads to another.
var ErrNoChain = errors.New("frame pointers make no chain")

// Check refuses frame pointers for a program in which they make no chain, and
// warns of one in which some do not.
func (w Unwinding) Check(of *symbol.Program) (remark string, err error) {
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
		return "", fmt.Errorf("--method fp: %s is compiled by GCC, %s: %w", of.App().Path(), why, ErrNoChain)
	case len(others) > 0:
		return "", fmt.Errorf("--method fp: %s is compiled by %s, not by clang or rustc: %w", of.App().Path(), others[0], ErrNoChain)
	}
	return "", fmt.Errorf("--method fp: %s does not say who compiled it (it has no DWARF), so nobody knows: %w", of.App().Path(), ErrNoChain)
}
