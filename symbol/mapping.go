package symbol

import (
	"debug/elf"
	"fmt"
	"path/filepath"
	"slices"
)

// Mapping is what viewers need to find an image again and to turn addresses
// into offsets.
type Mapping struct {
	Path, Name  string  // absolute path, base name
	BuildID     []byte  // nil where the image has none
	LoadBase    uint32  // p_vaddr of the first PT_LOAD in header order: what addresses are relative to in Firefox profiles
	Low, High   uint32  // [Low, High) spans its code
	Code        []Range // the addresses that it names
	TextPrefix  []byte  // first 4096 bytes of .text, for the id of an image without build id; nil where it has no .text
	RISCV       bool    // else ARM
	HasLines    bool
	HasFunction bool
}

// Holds tells whether the mapping names addr.
func (m *Mapping) Holds(addr uint32) bool {
	for _, r := range m.Code {
		if r.Contains(addr) {
			return true
		}
	}
	return m.Code == nil && Range{m.Low, m.High}.Contains(addr)
}

// DebugID is the Breakpad id of an ELF (google/breakpad, "ELF file identifiers"), by which symbol servers know it: the
// first 16 bytes of the build id, zero-padded, as a GUID whose fields of 4, 2 and 2 bytes are stored little-endian, and the
// age 0. Without a build id, the first 4096 bytes of .text, folded by XOR into 16.
func (m *Mapping) DebugID() string {
	var id [16]byte
	if len(m.BuildID) > 0 {
		copy(id[:], m.BuildID)
	} else {
		for i, b := range m.TextPrefix {
			id[i%16] ^= b
		}
	}
	swapped := [16]byte{id[3], id[2], id[1], id[0], id[5], id[4], id[7], id[6]}
	copy(swapped[8:], id[8:])
	return fmt.Sprintf("%X0", swapped[:])
}

// textPrefix is how much of .text goes into an id.
const textPrefix = 4096

// Mapping describes the image.
func (im *Image) Mapping() Mapping {
	m := Mapping{Path: im.path, Name: filepath.Base(im.path), BuildID: im.buildID, RISCV: im.Machine() == elf.EM_RISCV, HasLines: im.HasDWARF(),
		HasFunction: len(im.symbols.functions) > 0 || im.hasDebug("info")}
	if abs, err := filepath.Abs(im.path); err == nil {
		m.Path = abs
	}
	if len(im.segments) > 0 {
		m.LoadBase = im.segments[0].Vaddr
	}
	if n := len(im.code); n > 0 {
		m.Low, m.High = im.code[0].Low, im.code[n-1].High
		m.Code = im.code
	}
	if text, _, ok := im.Section(".text"); ok {
		m.TextPrefix = slices.Clone(text[:min(len(text), textPrefix)])
	}
	return m
}
