// Package unwind rebuilds call stacks. In: a snapshot (registers and windows
// of stack) and what the program's image says about itself (call frame
// information, code bytes, function bounds, all as bytes and functions, never
// a file). Out: frames, innermost first, and the reason why they end.
package unwind

import "github.com/mprof/mprof/snapshot"

// Kind says what the PC of a frame means.
type Kind uint8

const (
	// Leaf is the frame that was executing: PC is the next instruction.
	Leaf Kind = iota
	// Caller waits for a call: PC is the return address, so the call itself
	// is the instruction before it.
	Caller
	// Interrupted was pre-empted by an exception: PC is exact.
	Interrupted
	// Exception is no code but the boundary between a handler and what it
	// interrupted. PC is 0, ExcNum the exception number (IPSR).
	Exception
)

// Method says how a frame was found from the frame inside it.
type Method uint8

const (
	FromRegisters Method = iota // the leaf
	FromCFI
	FromExceptionFrame
	FromLR       // a leaf without CFI: RA = LR, CFA = SP
	FromPrologue // prologue analysis of code without CFI
	FromFramePointer
	FromScan  // guessed
	FromEXIDX // exception-handling tables of the ARM ABI
)

// Frame is one physical frame; inlined functions are found by symbolisation.
type Frame struct {
	PC     uint32 // Thumb bit cleared; see Kind
	CFA    uint32 // value of SP in the caller at the call, 0 where unknown
	ExcNum uint16 // of an Exception frame
	Kind   Kind
	Method Method
	Beyond bool // a frame inside this one was guessed, so it may be false however it was found
}

// LookupPC is the address to look symbols up at: one byte before a return
// address, the PC itself otherwise.
func (f Frame) LookupPC() uint32 {
	if f.Kind == Caller {
		return f.PC - 1
	}
	return f.PC
}

// Guessed tells whether the frame was found by scanning, or stands on one that
// was.
func (f Frame) Guessed() bool { return f.Method == FromScan || f.Beyond }

// Reason says why a stack ends where it does.
type Reason uint8

const (
	Complete    Reason = iota // the outermost function of a thread or of the program
	NoRule                    // no way known to unwind from this PC
	NotCaptured               // stack memory at Stop.Addr is not in the snapshot
	NoRegister                // a register that the rule needs was not captured
	NoProgress                // the CFA did not grow
	BadRA                     // the return address Stop.Addr is not in code
	TooDeep                   // more frames than the limit
	InLockup                  // the core is locked up (PC 0xFFFFFFFE)
	NoSample                  // the snapshot has no registers (Snapshot.Miss says why)
	Shortened                 // NotCaptured or NoRegister, of a snapshot that was cut to keep the halt short
	CantUnwind                // the code at Stop.Addr is marked as not to be unwound
	NoChain                   // only frame pointers may be used, and those of the code at Stop.Addr make no chain
	BadFrame                  // what is at Stop.Addr is not what an exception leaves on a stack
	OtherState                // the stack goes on in the other security state (ARMv8-M), whose stack pointer was not captured
	NumReasons
)

var reasonText = [NumReasons]string{"complete", "no unwind information", "stack memory not captured", "register not captured",
	"stack pointer did not grow", "return address not in code", "too deep", "locked up", "no registers",
	"stack cut to keep the halt short", "code marked as not to be unwound", "frame pointers make no chain",
	"damaged exception frame", "stack pointer of the other security state not captured"}

func (r Reason) String() string {
	if r < NumReasons {
		return reasonText[r]
	}
	return "unknown reason"
}

// Stop is the end of a stack, or of what is known of one that goes on with
// guesses. Addr is the address that it failed at (stack
// address, PC or return address, by Reason), 0 for Complete.
type Stop struct {
	Reason Reason
	Addr   uint32
}

// Range is the half-open address range [Low, High).
type Range struct{ Low, High uint32 }

// Contains tells whether addr lies in r.
func (r Range) Contains(addr uint32) bool { return addr >= r.Low && addr < r.High }

// Tables are the unwind information of one image.
type Tables struct {
	DebugFrame []byte
	EHFrame    []byte
	EHFrameAt  uint32
	Exidx      Range
}

// Program is what the unwinder needs to know of the code on the target.
type Program struct {
	Arch       snapshot.Arch
	DebugFrame []byte   // .debug_frame, nil where absent
	EHFrame    []byte   // .eh_frame
	EHFrameAt  uint32   // its address (pc-relative encodings)
	Exidx      Range    // where .ARM.exidx lies, empty where absent
	Others     []Tables // of other images on the target
	Code       []Range  // executable sections, sorted
	CPUArch    uint32   // Tag_CPU_arch of the build attributes, 0 where unknown
	// ReadCode copies code and constants, .ARM.exidx and .ARM.extab among them,
	// as the image holds them; false where it does not hold all of them.
	ReadCode func(addr uint32, p []byte) bool
	// Function gives the bounds of the function symbol around pc.
	Function func(pc uint32) (Range, bool)
	// Outermost lists the entry addresses of functions that have no caller:
	// the reset handler.
	Outermost []uint32
	// FramePointers tells who compiled the code at pc ("" where unknown), and
	// whether that producer's frame pointers make a chain. nil: none do.
	FramePointers func(pc uint32) (chain bool, producer string)
	Methods       Choice // which methods may be used
	Guess         bool   // where no method knows the caller, look for it on the stack: see Frame.Guessed
}
