// Package armv7m executes Thumb code as an ARMv6-M, ARMv7-M or ARMv7E-M
// processor does (integer core, floating-point extension FPv4-SP, exceptions,
// NVIC, SysTick, sleep). In: memory with a program. Out: its effect, cycle by
// cycle, and to a Tracer every change of control flow that a call stack depends
// on.
package armv7m

// Arch is the architecture whose encodings are defined.
type Arch uint8

const (
	V7EM Arch = iota // Cortex-M4, M7; with Config.FPU a Cortex-M4F
	V7M              // Cortex-M3
	V6M              // Cortex-M0, M0+
)

// Region is a piece of memory. ROM takes no writes from the core. Data is the
// memory itself; once instructions of it were executed it is to be changed by
// the core and by Core.WriteBus only, which keep what was decoded in step.
type Region struct {
	Base uint32
	Data []byte
	ROM  bool
}

// Device is a block of registers on the bus, for the core and for the debug
// port alike. Offsets are relative to the base where it is mounted; size is 1,
// 2 or 4 bytes and the access is aligned. ok false is a bus error.
type Device interface {
	Read(offset uint32, size int) (v uint32, ok bool)
	Write(offset uint32, size int, v uint32) (ok bool)
}

// Mount places a Device.
type Mount struct {
	Base, Size uint32
	Device     Device
}

// Tracer hears of changes of control flow, before the target executes. The
// clock of the core (Cycles) stands at the end of the instruction that caused
// it. from is the address of that instruction, to that of the next one, both
// without the Thumb bit.
type Tracer interface {
	// Call is BL or BLX. ret is the return address without the Thumb bit; sp
	// the stack pointer.
	Call(from, to, ret, sp uint32)
	// Jump is every other branch that may leave the function: BX, POP {PC},
	// LDM with PC, LDR PC, MOV PC, TBB and TBH; and direct branches and
	// fall-through where Config.Leaves says so. sp is as it is after.
	Jump(from, to, sp uint32)
	// Enter is exception entry, after stacking. ret is the stacked return
	// address, frame the address of the stacked frame, excReturn the value put
	// into LR; to is the handler. A tail-chained exception is a Leave with to 0
	// followed by an Enter with the same frame.
	Enter(exc int, ret, frame, excReturn, to uint32)
	// Leave is exception return, after unstacking: excReturn says which stack
	// it used, frame where the frame was, to where execution goes on.
	Leave(exc int, frame, excReturn, to uint32)
}

// Config describes a processor and what hangs on its bus.
type Config struct {
	Arch    Arch
	Regions []Region
	Mounts  []Mount // devices; the core itself mounts NVIC, SysTick and SCB
	VTOR    uint32  // vector table at reset
	Tracer  Tracer  // nil: none
	// Leaves says whether a direct branch or the fall-through from one address
	// to another leaves the function; nil: none does. It is asked once per
	// instruction, when it is decoded.
	Leaves func(from, to uint32) bool
	// IRQs is the number of external interrupts; 0: 240, on ARMv6-M 32.
	IRQs int
	// PriorityBits is how many bits of a priority exist, from the top; 0: 4, on
	// ARMv6-M 2.
	PriorityBits int
	// FPU: the floating-point extension FPv4-SP is there (V7EM only).
	FPU bool
	// FetchWait is how slow the ROM regions are; the zero value: not at all.
	FetchWait FetchWait
}
