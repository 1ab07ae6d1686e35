// Package profile is the model between sampling and files. In: snapshots with
// their unwound frames, and a symbolizer. Out: threads of samples over a
// prefix tree of stacks, functions, counters, markers, and how it was taken.
package profile

import (
	"time"

	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/unwind"
)

// Indexes into the tables of a Profile; -1 is none.
type (
	FunctionIndex int32
	FrameIndex    int32
	StackIndex    int32
)

// Category groups frames for colour and filtering.
type Category uint8

const (
	Thread    Category = iota // code in Thread mode
	Interrupt                 // code in Handler mode, and the exception boundary itself
	Idle                      // asleep in WFI or WFE
	Unknown                   // no symbol, or the stack was cut
	NumCategories
)

// Function is a function of the program, or a label such as
// "<exception: SysTick>".
type Function struct {
	Name, Linkage string
	Low, High     uint32 // 0, 0 for a label
	File          string
	Line          int // of the definition
}

// Frame is one line of code of one function in one place: frames that differ
// only in the physical address below an inlined call are different frames.
type Frame struct {
	Function  FunctionIndex
	Addr      uint32 // lookup address of the physical frame (see unwind.Frame.LookupPC); 0 for a label
	File      string
	Line, Col int
	Depth     int // 0 for the physical function, 1.. for functions inlined into it
	Physical  FunctionIndex
	Category  Category
	Guessed   bool
}

// Stack is a node of the prefix tree: Prefix is the caller, -1 at the root.
// Parents stand before their children.
type Stack struct {
	Prefix StackIndex
	Frame  FrameIndex
}

// Sample is one sample of one thread.
type Sample struct {
	Time   time.Duration // since the start of the run
	Weight time.Duration // the time it stands for
	Halted time.Duration // stolen from the core for it
	Stack  StackIndex
	State  snapshot.State
	Stop   unwind.Stop
}

// ThreadTrack is a context of execution: the core, later an RTOS task.
type ThreadTrack struct {
	Name    string
	Samples []Sample
}

// Mapping is the program image.
type Mapping struct {
	Path, Name  string // absolute path as given, base name
	BuildID     []byte // nil where the image has none
	LoadBase    uint32 // p_vaddr of the first PT_LOAD in header order
	Low, High   uint32 // address range of its code
	TextPrefix  []byte // first 4096 bytes of .text, for the id of an image without build id
	HasLines    bool
	HasFunction bool
}

// Event is something that happened to the run at a time: a reset, a miss, a
// lockup. Exporters draw it as a marker.
type Event struct {
	Time, Duration time.Duration
	Name, Detail   string
}

// Profile is one run.
type Profile struct {
	Start     time.Time     // wall clock
	Duration  time.Duration // on the clock of the run
	Period    time.Duration // nominal interval
	Mapping   Mapping
	Functions []Function
	Frames    []Frame
	Stacks    []Stack
	Threads   []ThreadTrack
	Events    []Event
	Sources   map[string]string // file name -> content, where it could be read
	Taken     Acquisition
}

// Acquisition says how the samples were taken and how far to trust them.
type Acquisition struct {
	Command    []string // the command line, without paths of the host beyond what the user typed
	Version    string   // of mprof
	Device     string   // core and target, such as "Cortex-M4 r0p1"
	Probe      string   // product, serial, firmware
	Asked      uint64   // samples requested
	Missed     [snapshot.NumMisses]uint64
	Stops      [unwind.NumReasons]uint64
	HaltedP50  time.Duration
	HaltedP99  time.Duration
	Halted     time.Duration // in all
	Resets     uint64
	Sleeping   uint64
	EndReason  string   // why the run ended: "duration reached", "interrupted", or an error
	Remarks    []string // sentences for the user: ELF without DWARF, and so on
	Seed       int64
	RateHz     float64
	SWCLKHz    uint32
	ClockLabel string // "virtual time" or "host time"
}
