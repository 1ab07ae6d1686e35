package lockstep

// Board is a QEMU machine and the memory that program and data may use. The
// same memory is given to the simulated core.
type Board struct {
	Name      string // as for qemu-system-arm -M
	CPU       string // as for gcc -mcpu
	Arch      Level
	FlashSize uint32 // from address 0
	FlashROM  bool   // writes by the processor are ignored
	RAMSize   uint32 // from RAMBase
}

// RAMBase is the address of the RAM of all boards.
const RAMBase = 0x20000000

// Boards has one machine for each architecture. The M4 of the mps2-an386 has a
// floating-point unit; it is there twice, once for programs that leave it
// disabled, as it is at reset.
var Boards = []Board{
	{"microbit", "cortex-m0", V6M, 256 << 10, true, 16 << 10},
	{"mps2-an385", "cortex-m3", V7M, 4 << 20, false, 4 << 20},
	{"mps2-an386", "cortex-m4", V7EM, 4 << 20, false, 4 << 20},
	{"mps2-an386", "cortex-m4", FPv4, 4 << 20, false, 4 << 20},
}

// String is the processor, with "+fp" for the floating-point extension.
func (b Board) String() string {
	if b.Arch.Has(FPv4) {
		return b.CPU + "+fp"
	}
	return b.CPU
}

// FloatABI is the compiler's option for the board.
func (b Board) FloatABI() string {
	if b.Arch.Has(FPv4) {
		return "-mfloat-abi=hard"
	}
	return "-mfloat-abi=soft"
}

// WithFPU is the board of Boards whose programs may use floating point.
var WithFPU = Boards[3]

// Program is what a board executes from reset.
type Program struct {
	Flash []byte // contents from address 0, shorter than the flash
	Done  uint32 // address of the instruction at which the program is over
}

// State is what a debugger sees of a processor between two instructions.
type State struct {
	R    [16]uint32 // R15 is the address of the next instruction
	XPSR uint32

	S     [32]uint32 // zero on a board without the floating-point extension
	FPSCR uint32
}

// Machine executes a program and tells every state in order: the state before
// the first instruction, then the one before the second, and so on. A state
// before which an exception is going to be taken may come as a state of its
// own.
type Machine interface {
	Next(*State) error
	// Memory reads len(p) bytes of RAM, once the program has ended.
	Memory(addr uint32, p []byte) error
	Close() error
}
