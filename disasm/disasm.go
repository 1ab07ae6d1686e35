// Package disasm prints machine code. In: bytes of Thumb (ARMv6-M to ARMv8-M Mainline with FPU and DSP) or
// of RV32IMC, and the names of addresses. Out: one line per instruction, as objdump -d prints it.
package disasm

// Arch is whose code it is.
type Arch uint8

// The architectures.
const (
	Thumb Arch = iota
	RV32
)

// Instruction is one of them, or what stands between them.
type Instruction struct {
	Addr     uint32
	Size     int    // bytes: 2 or 4; of data 1, 2 or 4
	Raw      uint32 // the halfwords in the order of memory, the first one in the upper half of a wide instruction of Thumb; of RISC-V and of data the little-endian value
	Mnemonic string // "bl", "vldr", "ldr.w"; ".word", ".short", ".byte"; Undefined where the architecture has no such instruction
	Operands string // "r0, [r7, #4]", "8000244 <main>"
	Comment  string // with objdump's mark: "@ (80001f0 <main+0x10>)" of Thumb, "# 80001f0 <main>" of RISC-V
	Target   uint32 // of a direct branch or call
	Branches bool   // Target is valid
	Data     bool   // no instruction
}

// Undefined is the Mnemonic of bytes that the architecture gives no meaning.
const Undefined = "<UNDEFINED>"

// Symbols names an address, as objdump does: the function or object at or before it, and how
// far behind its begin the address is. In front of all, it is the first one, and the offset negative.
type Symbols func(addr uint32) (name string, offset int64, ok bool)

// Decoder knows of a program what its code does not say.
type Decoder struct {
	Arch          Arch
	Symbols       Symbols // may be nil
	GlobalPointer uint32  // of RISC-V: the value of __global_pointer$, which gp has; 0 where unknown
}

// Decode appends the instructions of code, which lies at addr, to dst. Code starts with an
// instruction, outside of an IT block. A wide instruction that code cuts in two is data; no input
// is an error.
func (d Decoder) Decode(dst []Instruction, addr uint32, code []byte) []Instruction {
	if d.Symbols == nil {
		d.Symbols = func(uint32) (string, int64, bool) { return "", 0, false }
	}
	if d.Arch == RV32 {
		return decodeRISCV(dst, addr, code, d)
	}
	return decodeThumb(dst, addr, code, d.Symbols)
}

// Decode is Decoder.Decode of a program of which no more is known.
func Decode(dst []Instruction, arch Arch, addr uint32, code []byte, symbols Symbols) []Instruction {
	return Decoder{Arch: arch, Symbols: symbols}.Decode(dst, addr, code)
}
