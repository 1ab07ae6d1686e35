package export

import (
	"encoding/hex"
	"fmt"

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

func firefoxLibs(m profile.Mapping) []firefoxLib {
	if m.Path == "" && m.Name == "" {
		return []firefoxLib{}
	}
	lib := firefoxLib{Arch: "arm", Name: m.Name, Path: m.Path, DebugName: m.Name, DebugPath: m.Path, BreakpadID: debugID(m)}
	if len(m.BuildID) > 0 {
		lib.CodeID = ptr(hex.EncodeToString(m.BuildID))
	}
	return []firefoxLib{lib}
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
