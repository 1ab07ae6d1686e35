package symboltest

import "fmt"

// lines writes the line table of a unit: a sequence for each function.
func (l *large) lines(u int) (off uint32) {
	w := &l.line
	off = w.len()
	at := w.begin()
	w.u16(5)
	w.u8(4, 0)
	header := w.begin()
	w.u8(2, 1, 1, 0xfb, 14, 13)              // min_inst 2, max_ops 1, is_stmt, line_base -5, line_range 14, opcode_base
	w.u8(0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1) // operands
	w.u8(1, 1, 8)                            // directories: path as string
	w.uleb(6)
	for _, dir := range []string{"/project/firmware", "src", "include", "include/hal", "/usr/lib/gcc/arm-none-eabi/12.2.1/include", "/usr/include/newlib"} {
		w.cstring(dir)
	}
	w.u8(2, 1, 8, 2, 0x0b) // files: path as string, directory as byte
	w.uleb(12)
	for f := range 12 {
		if f < 2 {
			w.cstring(fmt.Sprintf("module_%d.c", u))
			w.u8(1)
			continue
		}
		w.cstring(fmt.Sprintf("header_%d_of_module_%d.h", f, u%101))
		w.u8(byte(2 + f%4))
	}
	w.end(header)
	for n := range perUnit {
		low := l.low(u*perUnit + n)
		w.u8(0, 5, 2)
		w.u32(low)
		w.u8(3)
		w.u8(0xff&0x3f | 0x40) // advance_line -1: back to 0
		w.u8(3)
		w.uleb(uint32(20 + n))
		for range functionSize / 2 {
			w.u8(5, 9)        // column
			w.u8(13 + 14 + 6) // 2 bytes on, 1 line on
			w.u8(6)           // negate_stmt
		}
		w.u8(0, 1, 1)
	}
	w.end(at)
	return off
}

// rnglistsHeader: one table for all units, its lists named by offset.
func (l *large) rnglistsHeader() {
	l.rnglists.begin()
	l.rnglists.u16(5)
	l.rnglists.u8(4, 0)
	l.rnglists.u32(0)
}

// rangeList writes a unit's ranges, a function each, as -ffunction-sections
// makes them.
func (l *large) rangeList(u int) (off uint32) {
	w := &l.rnglists
	off = w.len()
	for n := range perUnit {
		w.u8(7)
		w.u32(l.low(u*perUnit + n))
		w.uleb(functionSize)
	}
	w.u8(0)
	return off
}

func (l *large) arange(u int, header uint32) {
	w := &l.aranges
	at := w.begin()
	w.u16(2)
	w.u32(header)
	w.u8(4, 0)
	w.u32(0) // to a multiple of 8
	for n := range perUnit {
		w.u32(l.low(u*perUnit + n))
		w.u32(functionSize)
	}
	w.u32(0)
	w.u32(0)
	w.end(at)
}
