package coresight

import "github.com/mprof/mprof/sim/armv7m"

// codeComparators is how many breakpoints there are: 6 as on Cortex-M3 and M4,
// 4 in the breakpoint unit of ARMv6-M.
func codeComparators(a armv7m.Arch) int {
	if a == armv7m.V6M {
		return 4
	}
	return 6
}

// fpb is the state of the Flash Patch and Breakpoint unit, version 1 (DDI
// 0403E, C1.11). It has no literal comparators and does not remap.
type fpb struct {
	fpbOn bool
	comp  []uint32
}

const compWritable = 0xdffffffd // REPLACE, COMP, ENABLE

// fpbRegisters are the registers at 0xE0002000.
type fpbRegisters struct{ u *Unit }

// Read reads FP_CTRL (NUM_CODE in bits 14:12 and 7:4), FP_REMAP (zero: not
// supported) and the comparators.
func (f fpbRegisters) Read(offset uint32, size int) (uint32, bool) {
	u := f.u
	n := uint32(len(u.comp))
	var v uint32
	switch i := (offset&^3 - 8) / 4; {
	case offset&^3 == 0:
		v = n>>4<<12 | n&0xf<<4
		if u.fpbOn {
			v |= 1
		}
	case offset >= 8 && i < n:
		v = u.comp[i]
	}
	return lanes(v, offset, size), true
}

// Write sets FP_CTRL, which needs KEY (bit 1), or a comparator.
func (f fpbRegisters) Write(offset uint32, size int, v uint32) bool {
	u := f.u
	if size != 4 {
		return true
	}
	switch i := (offset - 8) / 4; {
	case offset == 0 && v&2 != 0:
		u.fpbOn = v&1 != 0
	case offset >= 8 && i < uint32(len(u.comp)):
		u.comp[i] = v & compWritable
	default:
		return true
	}
	u.setBreakpoints()
	return true
}

// setBreakpoints hands the addresses to the core: REPLACE 1 is the lower
// halfword of the word at COMP, 2 the upper, 3 both; 0 would remap.
func (u *Unit) setBreakpoints() {
	var at []uint32
	for _, c := range u.comp {
		if !u.fpbOn || c&1 == 0 {
			continue
		}
		word := c & 0x1ffffffc
		if c>>30&1 != 0 {
			at = append(at, word)
		}
		if c>>30&2 != 0 {
			at = append(at, word|2)
		}
	}
	u.core.SetBreakpoints(at)
}
