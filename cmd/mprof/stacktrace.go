package main

import (
	"fmt"
	"strings"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/snapshot/core"
	"github.com/mprof/mprof/unwind"
)

// stackTrace is one printed stack.
type stackTrace struct {
	Thread    uint32            `json:"thread,omitempty"`
	Sample    *uint64           `json:"sample,omitempty"`
	TimeNs    int64             `json:"time_ns,omitempty"` // of the sample, since the start of the run
	State     []string          `json:"state,omitempty"`
	Faults    []string          `json:"faults,omitempty"` // what the fault registers in the dump say
	Registers map[string]string `json:"registers"`
	Frames    []traceFrame      `json:"frames"`
	End       traceEnd          `json:"end"`

	registers []string // as text, in order
}

// traceFrame is one line of it. Inlined functions have lines of their own.
type traceFrame struct {
	Number    int    `json:"number"`
	PC        string `json:"pc,omitempty"`
	Function  string `json:"function,omitempty"` // "" where no symbol is known
	Symbol    string `json:"symbol,omitempty"`   // as linked, where that is another name
	Inlined   bool   `json:"inlined,omitempty"`
	File      string `json:"file,omitempty"`
	Line      int    `json:"line,omitempty"`
	Column    int    `json:"column,omitempty"`
	Kind      string `json:"kind"`
	Exception string `json:"exception,omitempty"`
	CFA       string `json:"cfa,omitempty"`
	Method    string `json:"method"`
	Guessed   bool   `json:"guessed,omitempty"`
}

// traceEnd says why there are no more.
type traceEnd struct {
	Complete bool   `json:"complete"`
	Reason   string `json:"reason"`
	Address  string `json:"address,omitempty"`
	Text     string `json:"text"` // the sentence
	hint     error
}

// stackPrinter makes traces of frames.
type stackPrinter struct {
	symbols profile.Symbolizer
	kind    core.Kind
	// consulted tells which registers the last stack needed.
	consulted func(snapshot.Reg) bool
	inCode    func(pc uint32) bool // of the ELF files
}

var frameKinds = [...]string{unwind.Leaf: "leaf", unwind.Caller: "caller", unwind.Interrupted: "interrupted", unwind.Exception: "exception"}

func (p *stackPrinter) stack(c *halted, frames []unwind.Frame, stop unwind.Stop) stackTrace {
	t := stackTrace{Thread: c.thread, Sample: c.sample, Registers: map[string]string{}, State: stateWords(c.snap.State), Frames: []traceFrame{}}
	if c.sample != nil {
		t.TimeNs = int64(c.snap.Time)
	}
	for r := range snapshot.Reg(snapshot.NumRegs) {
		if v, ok := c.snap.Regs.Value(r); ok {
			t.Registers[r.String()] = hex32(v)
			t.registers = append(t.registers, fmt.Sprintf("%s %s", r, hex32(v)))
		}
	}
	for i := range frames {
		t.Frames = append(t.Frames, p.lines(frames, i)...)
	}
	for i := range t.Frames {
		t.Frames[i].Number = i
	}
	t.End = p.end(c.snap, frames, stop)
	t.Faults = faults(c.snap)
	return t
}

// lines are those of physical frame i, the innermost inlined function first.
func (p *stackPrinter) lines(frames []unwind.Frame, i int) []traceFrame {
	f, names := frames[i], profile.FrameNames(p.symbols, frames, i)
	line := traceFrame{Kind: frameKinds[f.Kind], Method: methodNames[f.Method], Guessed: f.Guessed()}
	if f.CFA != 0 {
		line.CFA = hex32(f.CFA)
	}
	if f.Kind == unwind.Exception {
		line.Exception = names.Label
		return []traceFrame{line}
	}
	line.PC = hex32(f.PC)
	if len(names.Functions) == 0 {
		line.Function = names.Label
		return []traceFrame{line}
	}
	var lines []traceFrame
	for _, l := range names.Functions {
		one := line
		one.Function, one.Inlined, one.File, one.Line, one.Column = l.Name, l.Inlined, l.CallFile, l.CallLine, l.CallColumn
		if l.Linkage != l.Name {
			one.Symbol = l.Linkage
		}
		lines = append(lines, one)
	}
	return lines
}

func hex32(v uint32) string { return fmt.Sprintf("0x%08x", v) }

// stateWords names what the debug unit said of the core.
func stateWords(s snapshot.State) (words []string) {
	for _, w := range []struct {
		bit  snapshot.State
		text string
	}{{snapshot.Sleeping, "sleeping"}, {snapshot.Lockup, "lockup"}, {snapshot.Reset, "reset before"}, {snapshot.AlreadyHalted, "halted before"}, {snapshot.Shortened, "stack shortened"}} {
		if s&w.bit != 0 {
			words = append(words, w.text)
		}
	}
	return words
}

// text is the line as printed.
func (f *traceFrame) text(verbose bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "#%-3d", f.Number)
	if f.Exception != "" {
		fmt.Fprintf(&b, "<exception: %s>", f.Exception)
	} else {
		b.WriteString(f.PC + " ")
		b.WriteString(orText(f.Function, "??"))
	}
	if f.Inlined {
		b.WriteString(" (inlined)")
	}
	if f.Guessed {
		b.WriteString(" (guessed)")
	}
	if f.File != "" {
		fmt.Fprintf(&b, " at %s:%d", f.File, f.Line)
	}
	if verbose && !f.Inlined {
		fmt.Fprintf(&b, "  [CFA %s, %s]", orText(f.CFA, "unknown"), f.Method)
	}
	return b.String()
}

func orText(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
