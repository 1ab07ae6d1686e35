// Package profile is the model between sampling and files. In: snapshots with
// their unwound frames, and a symbolizer. Out: threads of samples over a
// prefix tree of stacks, functions, counters, markers, and how it was taken.
package profile

import (
	"iter"
	"strings"
	"time"

	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/symbol"
	"github.com/mprof/mprof/unwind"
)

// Indexes into the tables of a Profile; -1 is none.
type (
	FunctionIndex int32
	SymbolIndex   int32
	FrameIndex    int32
	StackIndex    int32
)

// None is the index of nothing: the caller of a root, the symbol of a label.
const None = -1

// Category groups frames for colour and filtering.
type Category uint8

const (
	Thread    Category = iota // code in Thread mode
	Interrupt                 // code in Handler mode, and the exception boundary itself
	Idle                      // asleep in WFI or WFE
	Unknown                   // no symbol, or the stack was cut
	NumCategories
)

// String is the name that viewers show. The Firefox Profiler knows "Idle" by
// its name.
func (c Category) String() string {
	switch c {
	case Thread:
		return "Thread mode"
	case Interrupt:
		return "Interrupt"
	case Idle:
		return "Idle"
	}
	return "Unknown"
}

// Function is a function of the program as its author wrote it, or a label
// such as "<exception: SysTick>". Clones of one function (foo.constprop.0,
// foo.cold) are one Function. Name is unique in a profile, so that viewers
// that know functions only by name count them alike.
type Function struct {
	Name    string
	Linkage string // in the symbol table, "" for a label or where there is none
	File    string
	Line    int // of the definition
	Label   bool
}

// Symbol is a piece of machine code with a name: what contains an address.
type Symbol struct {
	Name      string // linkage name
	Low, High uint32
}

// Frame is one line of code of one function in one place: frames that differ
// only in the physical address below an inlined call are different frames.
type Frame struct {
	Function  FunctionIndex
	Symbol    SymbolIndex // None for a label and for an unknown address
	Addr      uint32      // lookup address of the physical frame (see unwind.Frame.LookupPC); 0 for a label
	File      string      // of the line that executes; in an inlined function's caller, of the call
	Line, Col int
	Depth     int // 0 for the physical function, 1.. for functions inlined into it
	Category  Category
	Guessed   bool
}

// Stack is a node of the prefix tree: Prefix is the caller, None at the root.
// Parents stand before their children.
type Stack struct {
	Prefix StackIndex
	Frame  FrameIndex
}

// Sample is one sample of one thread, or several of one stack at about one time.
type Sample struct {
	Time   time.Duration // since the start of the run
	Weight time.Duration // the time it stands for, of all of them together
	Halted time.Duration // stolen from the core for it
	Count  int           // how many they are, 1 or more
	Stack  StackIndex
	State  snapshot.State
	Stop   unwind.Stop
}

// ThreadTrack is a context of execution: the core, later an RTOS task.
type ThreadTrack struct {
	Name    string
	Samples []Sample // by time
	Calls   []Call   // by time of entry; those of a trace that are kept
}

// Mapping is the program image.
type Mapping = symbol.Mapping

// Event is something that happened to the run at a time: a reset, a miss, a
// lockup. Exporters draw it as a marker.
type Event struct {
	Time, Duration time.Duration // Duration 0: an instant
	Name, Detail   string
	Off            bool // no sample could be taken meanwhile: nothing is known of the time
}

// Profile is one run.
type Profile struct {
	Start     time.Time     // wall clock
	Duration  time.Duration // on the clock of the run
	Period    time.Duration // nominal interval
	Mapping   Mapping       // of the application
	Others    []Mapping     // of the other images on the target
	Functions []Function
	Symbols   []Symbol
	Frames    []Frame
	Stacks    []Stack
	Threads   []ThreadTrack
	Events    []Event
	Sources   map[string]string // file name -> content, where it could be read
	Taken     Acquisition
	Trace     *Trace // nil: the profile was sampled
	Sums      *Sums  // nil: each row stands where its sample was taken
}

// Acquisition says how the samples were taken and how far to trust them.
type Acquisition struct {
	Command    []string // the command line, without paths of the host beyond what the user typed
	Version    string   // of mprof
	Device     string   // core and target, such as "Cortex-M4 r0p1"
	Probe      string   // product, serial, firmware
	Method     string   // how: "dwarf" or "fp" (call stacks), "pc", "pcsr"; "" is "dwarf"
	Unwinding  string   // how callers were found: "auto", "dwarf", "fp"; "" is "auto"
	Asked      uint64   // samples requested
	NoPCs      NoPCs    // words that were read and are no samples
	Missed     [snapshot.NumMisses]uint64
	Stops      [unwind.NumReasons]uint64
	Cuts       []Cut // where stacks end that are not complete, most stacks first
	Guessed    Guesses
	HaltedP50  time.Duration
	HaltedP99  time.Duration
	Halted     time.Duration // in all, of missed samples, too
	Resets     uint64
	Sleeping   uint64   // samples taken while the core slept
	Away       []Away   // time of which nothing is known, by its cause
	LostResets uint64   // samples that a reset has cost
	EndReason  string   // why the run ended: "duration reached", "interrupted", or an error
	Remarks    []string // sentences for the user: ELF without DWARF, and so on
	Seed       int64
	RateHz     float64
	SWCLKHz    uint32
	ClockLabel string // "virtual time" or "host time"
	Budget     Budget
	// Unrecorded: the profile was read from a file that does not say how it was taken.
	// What counts here are 0 and not known, but Asked, which is what there is.
	Unrecorded bool
	// Measured: rows are times that somebody measured, a sample for each ns of them: how many
	// observations that were, nobody knows.
	Measured bool `json:",omitempty"`
}

// NoPCs counts words of DWT_PCSR that are no PC of the program.
type NoPCs struct {
	Zero    uint64
	Ones    uint64 // 0xffffffff: in Debug state, not permitted, or no instruction recently
	Outside uint64 // of the code in the image
}

// Guesses counts what the unwinder found by looking for it on the stack: see
// unwind.Frame.Guessed. The stacks are among those that were cut.
type Guesses struct{ Stacks, Frames uint64 }

// Sum counts all of them.
func (n NoPCs) Sum() uint64 { return n.Zero + n.Ones + n.Outside }

// Flat tells whether the samples hold no call stacks.
func (a *Acquisition) Flat() bool { return a.Method == MethodPC || a.Method == MethodPCSR }

// Methods of sampling.
const (
	MethodDWARF = "dwarf"
	MethodFP    = "fp"
	MethodPC    = "pc"
	MethodPCSR  = "pcsr"
)

// Budget is what the target was allowed to lose, and what was done to keep it.
type Budget struct {
	MaxOverhead float64       // share of time halted, 0: no limit
	Delayed     uint64        // samples that came later than asked for it
	MaxHalt     time.Duration // of one sample, 0: no limit
	Shortened   uint64        // samples whose stack was cut for it
	Depth       int           // words of stack that fit into it, 0: none or not known
	Longer      uint64        // samples that halted for longer all the same
}

// Away is the time of a run of which no sample could be taken for one reason.
type Away struct {
	Name   string // of its events, as in "Target off"
	Pieces int
	Time   time.Duration
}

// Mappings lists the images, the application first.
func (p *Profile) Mappings() []Mapping { return append([]Mapping{p.Mapping}, p.Others...) }

// MappingOf is the index in Mappings of the image that names addr, None where
// none does.
func (p *Profile) MappingOf(addr uint32) int {
	for i, m := range p.Mappings() {
		if m.Holds(addr) {
			return i
		}
	}
	return None
}

// Callers walks from a stack to its root: the frame itself first.
func (p *Profile) Callers(at StackIndex) iter.Seq2[StackIndex, *Frame] {
	return func(yield func(StackIndex, *Frame) bool) {
		for ; at != None; at = p.Stacks[at].Prefix {
			if !yield(at, &p.Frames[p.Stacks[at].Frame]) {
				return
			}
		}
	}
}

const exceptionPrefix = "<exception: "

// Exception is the name of the exception whose boundary f labels, "" for any
// other function.
func (f *Function) Exception() string {
	if name, ok := strings.CutPrefix(f.Name, exceptionPrefix); ok && f.Label {
		return strings.TrimSuffix(name, ">")
	}
	return ""
}

// Samples counts the samples of all threads.
func (p *Profile) Samples() (n int) {
	for _, t := range p.Threads {
		for i := range t.Samples {
			n += t.Samples[i].Count
		}
	}
	return n
}

// MissedSamples counts the requested samples that have no registers.
func (a *Acquisition) MissedSamples() (n uint64) {
	for miss, k := range a.Missed {
		if snapshot.Miss(miss) != snapshot.Taken {
			n += k
		}
	}
	return n
}

// CutStacks counts the stacks that are not complete.
func (a *Acquisition) CutStacks() (n uint64) {
	for reason, k := range a.Stops {
		if unwind.Reason(reason) != unwind.Complete {
			n += k
		}
	}
	return n
}

// HaltedShare is the part of the run during which the core stood still for
// samples, 0 to 1.
func (p *Profile) HaltedShare() float64 {
	if p.Duration <= 0 {
		return 0
	}
	return float64(p.Taken.Halted) / float64(p.Duration)
}
