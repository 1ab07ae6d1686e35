package symbol

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// identify says what a file that does not start with the ELF magic looks
// like, as the end of a sentence. head is its first bytes, size its length.
func identify(head []byte, size int64) string {
	const wanted = "mprof needs the linked ELF that it was made from (often .elf, .axf or .out, or without extension)"
	switch {
	case size == 0:
		return "is empty"
	case bytes.HasPrefix(head, []byte("UF2\n")):
		return "looks like a UF2 image; " + wanted
	case bytes.HasPrefix(head, []byte("!<arch>\n")):
		return "is a static library (.a); mprof needs the linked ELF"
	case bytes.HasPrefix(head, []byte("MZ")):
		return "is a Windows executable, not an ELF for a microcontroller"
	case bytes.HasPrefix(head, []byte{0xcf, 0xfa, 0xed, 0xfe}), bytes.HasPrefix(head, []byte{0xce, 0xfa, 0xed, 0xfe}):
		return "is a macOS (Mach-O) executable, not an ELF for a microcontroller"
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}), bytes.HasPrefix(head, []byte("PK\x03\x04")):
		return "is a compressed archive; unpack it first"
	case looksLikeIntelHex(head):
		return "looks like an Intel HEX file; " + wanted
	case looksLikeSRecord(head):
		return "looks like a Motorola S-record file; " + wanted
	case looksLikeText(head):
		return "is a text file, not an ELF"
	case looksLikeFlash(head):
		return "looks like a raw flash image (.bin); " + wanted
	}
	return fmt.Sprintf("is not an ELF (it starts with % x)", head[:min(4, len(head))])
}

func looksLikeIntelHex(head []byte) bool {
	return len(head) >= 9 && head[0] == ':' && allHex(head[1:9])
}

func looksLikeSRecord(head []byte) bool {
	return len(head) >= 6 && head[0] == 'S' && head[1] >= '0' && head[1] <= '9' && allHex(head[2:6])
}

func allHex(p []byte) bool {
	for _, c := range p {
		if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F') {
			return false
		}
	}
	return true
}

func looksLikeText(head []byte) bool {
	for _, c := range head {
		if c < 0x20 && c != '\n' && c != '\r' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return len(head) > 0
}

// looksLikeFlash: the first two words of a vector table are an initial stack
// pointer in SRAM and a Thumb address (ARMv7-M ARM, B1.5.3).
func looksLikeFlash(head []byte) bool {
	if len(head) < 8 {
		return false
	}
	sp, reset := binary.LittleEndian.Uint32(head), binary.LittleEndian.Uint32(head[4:])
	return sp>>28 <= 3 && sp>>28 >= 1 && sp%4 == 0 && reset&1 == 1
}
