package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
)

// printText prints the stacks for people.
func (d *stackDump) printText(out io.Writer, verbose bool) error {
	w := bufio.NewWriter(out)
	for i := range d.Stacks {
		if i > 0 {
			fmt.Fprintln(w)
		}
		t := &d.Stacks[i]
		if title := t.title(len(d.Stacks) > 1); title != "" {
			fmt.Fprintln(w, title)
		}
		if verbose {
			t.printRegisters(w)
		}
		for _, fault := range t.Faults {
			fmt.Fprintf(w, "fault: %s\n", fault)
		}
		for i := range t.Frames {
			fmt.Fprintln(w, t.Frames[i].text(verbose))
		}
		fmt.Fprintln(w, t.End.Text)
		if t.End.hint == nil {
			continue
		}
		for _, hint := range hintsFor(t.End.hint) {
			fmt.Fprintf(w, "  %s\n", hint)
		}
	}
	return w.Flush()
}

// title tells a stack from the others.
func (t *stackTrace) title(several bool) string {
	var what string
	switch {
	case t.Sample != nil:
		what = fmt.Sprintf("sample %d at %v", *t.Sample, time.Duration(t.TimeNs))
	case several:
		what = fmt.Sprintf("thread %d", t.Thread)
	default:
		return ""
	}
	if len(t.State) > 0 {
		what += " (" + strings.Join(t.State, ", ") + ")"
	}
	return what
}

// registersPerLine keeps the lines below 120 columns.
const registersPerLine = 6

func (t *stackTrace) printRegisters(w io.Writer) {
	for i := 0; i < len(t.registers); i += registersPerLine {
		fmt.Fprintf(w, "     %s\n", strings.Join(t.registers[i:min(i+registersPerLine, len(t.registers))], "  "))
	}
}

// printJSON prints them for programs.
func (d *stackDump) printJSON(out io.Writer) error {
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	return e.Encode(d)
}
