package main

import (
	"github.com/mprof/mprof/cortexm"
	"github.com/mprof/mprof/symbol"
)

// imageSegments lists what the program does not change: read-only segments,
// at the address where they are stored. Initialised data is compared at its
// place in flash; what is loaded into RAM directly changes and is left out.
func imageSegments(image *symbol.Image) []cortexm.Segment {
	var segments []cortexm.Segment
	for _, s := range image.Segments() {
		if len(s.Data) == 0 || s.Write && s.Paddr == s.Vaddr {
			continue
		}
		segments = append(segments, cortexm.Segment{Addr: s.Paddr, Data: s.Data})
	}
	return segments
}

// stackTops lists the stack pointers that the image itself knows: the one
// that the core loads at reset. The sampler learns others as it goes.
func stackTops(image *symbol.Image) []uint32 {
	if sp, ok := image.InitialSP(); ok {
		return []uint32{sp}
	}
	return nil
}

// ramRanges lists the memory that stacks can be in: writable segments, and
// from the lowest of them up to the initial stack pointer where that lies
// above. Nothing is known where the image has neither.
func ramRanges(image *symbol.Image) []cortexm.Extent {
	var ranges []cortexm.Extent
	for _, s := range image.Segments() {
		if s.Write && s.MemSize > 0 {
			ranges = append(ranges, cortexm.Extent{Low: s.Vaddr, High: s.Vaddr + s.MemSize})
		}
	}
	sp, ok := image.InitialSP()
	if !ok {
		return ranges
	}
	low := sp &^ 0xFFFF // where nothing is known below it: the 64 KiB block that it ends
	if low == sp {
		low -= 0x10000
	}
	for _, r := range ranges {
		if r.Low < sp && sp-r.Low < 1<<20 {
			low = min(low, r.Low)
		}
	}
	return append(ranges, cortexm.Extent{Low: low, High: sp})
}

// inCode tells which addresses hold code of the image.
func inCode(image *symbol.Image) func(pc uint32) bool {
	ranges := image.CodeRanges()
	return func(pc uint32) bool {
		for _, r := range ranges {
			if pc >= r.Low && pc < r.High {
				return true
			}
		}
		return false
	}
}
