package export

import (
	"encoding/hex"
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
	lib := firefoxLib{Arch: "arm", Name: m.Name, Path: m.Path, DebugName: m.Name, DebugPath: m.Path, BreakpadID: m.DebugID()}
	if m.RISCV {
		lib.Arch = "riscv32"
	}
	if len(m.BuildID) > 0 {
		lib.CodeID = ptr(hex.EncodeToString(m.BuildID))
	}
	return lib
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
