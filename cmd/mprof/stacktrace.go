package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/mprof/mprof/session/backtrace"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/unwind"
)

// stackDump is what mprof stack prints of a file.
type stackDump struct {
	File     string       `json:"file"`
	Kind     string       `json:"kind"`
	ELF      string       `json:"elf"`
	Arch     string       `json:"arch"`
	Warnings []string     `json:"warnings,omitempty"`
	Stacks   []stackTrace `json:"stacks"`
}

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

var frameKinds = [...]string{unwind.Leaf: "leaf", unwind.Caller: "caller", unwind.Interrupted: "interrupted", unwind.Exception: "exception"}

// methodNames say how a frame was found from the one inside it.
var methodNames = map[unwind.Method]string{
	unwind.FromRegisters: "registers", unwind.FromCFI: "call frame information", unwind.FromExceptionFrame: "exception frame",
	unwind.FromLR: "LR", unwind.FromPrologue: "instructions", unwind.FromFramePointer: "frame pointer", unwind.FromScan: "scan of the stack",
	unwind.FromEXIDX: "exception tables",
}

// printed is a dump as it is printed.
func (f *stackFlags) printed(d *backtrace.Dump) *stackDump {
	out := &stackDump{File: f.Core, Kind: d.Kind.String(), ELF: f.ELF, Arch: d.Arch.String(), Warnings: d.Warnings}
	for i := range d.Stacks {
		out.Stacks = append(out.Stacks, printedStack(&d.Stacks[i]))
	}
	return out
}

func printedStack(s *backtrace.Stack) stackTrace {
	t := stackTrace{Thread: s.Thread, Sample: s.Sample, Registers: map[string]string{}, State: stateWords(s.Core.State), Faults: s.Faults, Frames: []traceFrame{}}
	if s.Sample != nil {
		t.TimeNs = int64(s.Core.Time)
	}
	for r := range snapshot.Reg(snapshot.NumRegs) {
		if v, ok := s.Core.Regs.Value(r); ok {
			t.Registers[r.String()] = hex32(v)
			t.registers = append(t.registers, fmt.Sprintf("%s %s", r, hex32(v)))
		}
	}
	for i := range s.Frames {
		t.Frames = append(t.Frames, printedFrame(i, &s.Frames[i]))
	}
	t.End = traceEnd{Complete: s.End.Reason == unwind.Complete, Reason: s.End.Reason.String(), Text: s.End.Text, hint: s.End.Err}
	if s.End.Addr != 0 {
		t.End.Address = hex32(s.End.Addr)
	}
	return t
}

func printedFrame(number int, f *backtrace.Frame) traceFrame {
	line := traceFrame{
		Number: number, Function: cmp.Or(f.Function, f.Label), Inlined: f.Inlined, File: f.File, Line: f.Line, Column: f.Column,
		Kind: frameKinds[f.Kind], Method: methodNames[f.Method], Guessed: f.Guessed(),
	}
	if f.CFA != 0 {
		line.CFA = hex32(f.CFA)
	}
	if f.Kind == unwind.Exception {
		line.Function, line.Exception = "", f.Label
		return line
	}
	line.PC = hex32(f.PC)
	if f.Linkage != f.Function {
		line.Symbol = f.Linkage
	}
	return line
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
		b.WriteString(cmp.Or(f.Function, "??"))
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
		fmt.Fprintf(&b, "  [CFA %s, %s]", cmp.Or(f.CFA, "unknown"), f.Method)
	}
	return b.String()
}
