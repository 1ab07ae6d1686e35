package symbol

import (
	"slices"
	"strings"
)

// Producer is the DW_AT_producer of the unit around pc, "" where no unit says
// that it holds pc: "GNU C17 12.2.1 20221205 -mthumb ... -O2", "Debian clang
// version 14.0.6", "clang LLVM (rustc version 1.70.0 (90c541806 2023-05-31))",
// "GNU AS 2.40". It reads the heads of units, once, and entries only where
// several units claim pc.
func (im *Image) Producer(pc uint32) string {
	pc &^= 1
	im.mu.Lock()
	defer im.mu.Unlock()
	d := im.debugData()
	if d == nil {
		return ""
	}
	units := d.claiming(pc)
	if len(units) > 1 { // one is right, the others describe dropped code
		if best := d.best(pc, units); best.match != none {
			units = []*unit{best.unit}
		}
	}
	for _, u := range units {
		if producer := d.text(u, u.head.unit.producer); producer != "" {
			return producer
		}
	}
	return ""
}

// ChainsFrames tells whether the frame pointers of a producer's Thumb code make
// a chain: in the code of LLVM (clang, rustc, Zig, TinyGo), r7 points to the caller's r7 with
// the return address behind it, where a function has a frame pointer at all.
// That of GCC points below the locals, at no fixed distance from either.
func ChainsFrames(producer string) bool {
	for _, name := range []string{"clang", "rustc", "zig", "TinyGo"} {
		if strings.Contains(producer, name) {
			return true
		}
	}
	return false
}

// Producers lists who compiled the program, each once, in the order of their
// first units. It reads the heads of units.
func (im *Image) Producers() (all []string) {
	im.mu.Lock()
	defer im.mu.Unlock()
	d := im.debugData()
	if d == nil {
		return nil
	}
	for _, u := range d.units {
		if p := d.text(u, u.head.unit.producer); p != "" && !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	return all
}
