package export

import (
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/mprof/mprof/profile"
)

// firefoxLib is how samply and other symbol servers find the program again.
type firefoxLib struct {
	Arch       string  `json:"arch"`
	Name       string  `json:"name"`
	Path       string  `json:"path"`
	DebugName  string  `json:"debugName"`
	DebugPath  string  `json:"debugPath"`
	BreakpadID string  `json:"breakpadId"`
	CodeID     *string `json:"codeId"`
}

// firefoxLibs has an entry for each image, in the order of Profile.Mappings.
func firefoxLibs(mappings []profile.Mapping) []firefoxLib {
	libs := []firefoxLib{}
	for _, m := range mappings {
		if m.Path != "" || m.Name != "" {
			libs = append(libs, newFirefoxLib(m))
		}
	}
	return libs
}

func newFirefoxLib(m profile.Mapping) firefoxLib {
	lib := firefoxLib{Arch: "arm", Name: m.Name, Path: m.Path, DebugName: m.Name, DebugPath: m.Path, BreakpadID: debugID(m)}
	if m.RISCV {
		lib.Arch = "riscv32"
	}
	if len(m.BuildID) > 0 {
		lib.CodeID = ptr(hex.EncodeToString(m.BuildID))
	}
	return lib
}

// debugID is the Breakpad id of an ELF (google/breakpad, "ELF file
// identifiers"): the first 16 bytes of the build id, zero-padded, as a GUID
// whose fields of 4, 2 and 2 bytes are stored little-endian, and the age 0.
// Without a build id, the first 4096 bytes of .text, folded by XOR into 16.
func debugID(m profile.Mapping) string {
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

// relative is an address as the format wants it: which library, and relative
// to its first PT_LOAD; false where it lies below, or in none.
func (t *sharedTables) relative(addr uint32) (offset uint32, lib int, ok bool) {
	lib = t.profile.MappingOf(addr)
	if lib < 0 || lib >= len(t.libs) {
		return 0, 0, false
	}
	base := t.profile.Mappings()[lib].LoadBase
	return addr - base, lib, addr >= base
}

// resources are the libraries that functions are of, by the first frame of
// each: the application's where no image has its address.
func (t *sharedTables) resources() []int {
	of := make([]int, len(t.profile.Functions))
	for i := range of {
		of[i] = min(0, len(t.libs)-1)
	}
	if len(t.libs) < 2 {
		return of
	}
	for _, f := range slices.Backward(t.profile.Frames) {
		if lib := t.profile.MappingOf(f.Addr); lib >= 0 && lib < len(t.libs) {
			of[f.Function] = lib
		}
	}
	return of
}
