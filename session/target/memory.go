package target

import (
	"context"
	"fmt"
	"slices"

	"github.com/mprof/mprof/symbol"
	"github.com/mprof/mprof/unwind"
)

// StackTops lists the stack pointers that the images themselves know: those
// that the core loads at reset, and a boot loader for the application. The
// sampler learns others as it goes.
func StackTops(of *symbol.Program) (tops []uint32) {
	for _, image := range of.Images() {
		if sp, ok := image.InitialSP(); ok && !slices.Contains(tops, sp) {
			tops = append(tops, sp)
		}
	}
	return tops
}

// Verify compares the target with all images; the error names the image
// where there are several.
func Verify(ctx context.Context, mem symbol.Memory, of *symbol.Program) error {
	for _, image := range of.Images() {
		if err := image.Verify(ctx, mem); err != nil {
			if len(of.Images()) > 1 {
				err = fmt.Errorf("%s: %w", image.Path(), err)
			}
			return err
		}
	}
	return nil
}

// RAM lists the memory that stacks of all images can be in.
func RAM(of *symbol.Program) (ranges []unwind.Range) {
	for _, image := range of.Images() {
		ranges = append(ranges, imageRAM(image)...)
	}
	return ranges
}

// imageRAM lists the memory that stacks can be in: writable segments, and
// from the lowest of them up to the initial stack pointer where that lies
// above. Nothing is known where the image has neither.
func imageRAM(image *symbol.Image) []unwind.Range {
	var ranges []unwind.Range
	for _, s := range image.Segments() {
		if s.Write && s.MemSize > 0 {
			ranges = append(ranges, unwind.Range{Low: s.Vaddr, High: s.Vaddr + s.MemSize})
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
	return append(ranges, unwind.Range{Low: low, High: sp})
}

// InCode tells which addresses hold code of the images.
func InCode(of *symbol.Program) func(pc uint32) bool {
	ranges := of.CodeRanges()
	return func(pc uint32) bool {
		for _, r := range ranges {
			if pc >= r.Low && pc < r.High {
				return true
			}
		}
		return false
	}
}
