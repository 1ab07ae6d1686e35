package profile

import (
	"github.com/mprof/mprof/symbol"
	"github.com/mprof/mprof/unwind"
)

// Symbolizer names code. *symbol.Program is one, and so is *symbol.Image.
type Symbolizer interface {
	// Lookup lists the functions at pc, innermost inlined first, the physical
	// one last; nothing for unknown code.
	Lookup(pc uint32) []symbol.Location
	// Handler names an exception by its number (IPSR).
	Handler(exc uint16) string
	// HandlerAt names an exception whose handler has the code at pc, and the
	// one of the handler's names that the exception means, "" where it has one.
	HandlerAt(exc uint16, pc uint32) (exception, alias string)
	// Region names the memory around an address that Lookup does not know.
	Region(addr uint32) string
}

// Names are those of one frame of a stack: of the functions there, or a label.
type Names struct {
	Functions []symbol.Location // innermost inlined first; not to be modified
	Label     string            // of an exception, or of memory without functions
}

// FrameNames names frame i of a stack, leaf first. The handler of an exception
// and the boundary behind it name each other: a handler of many names has the
// one that the exception means ("Default_Handler (TIM2_IRQHandler)"), an
// exception that the vector table does not name has that of its handler.
func FrameNames(sym Symbolizer, frames []unwind.Frame, i int) Names {
	f := frames[i]
	if f.Kind == unwind.Exception {
		if i == 0 || frames[i-1].Kind == unwind.Exception {
			return Names{Label: sym.Handler(f.ExcNum)}
		}
		exception, _ := sym.HandlerAt(f.ExcNum, frames[i-1].LookupPC())
		return Names{Label: exception}
	}
	addr := f.LookupPC()
	at := sym.Lookup(addr)
	if len(at) == 0 {
		return Names{Label: sym.Region(addr &^ 1)}
	}
	if i+1 < len(frames) && frames[i+1].Kind == unwind.Exception {
		if _, alias := sym.HandlerAt(frames[i+1].ExcNum, addr); alias != "" && alias != at[len(at)-1].Name {
			named := append([]symbol.Location(nil), at...)
			named[len(named)-1].Name += " (" + alias + ")"
			at = named
		}
	}
	return Names{Functions: at}
}
