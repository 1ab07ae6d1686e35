package symbol

import (
	"errors"
	"fmt"
)

// Entries of range lists (DWARF 5, table 7.30).
const (
	rleEndOfList    = 0
	rleBaseAddressx = 1
	rleStartxEndx   = 2
	rleStartxLength = 3
	rleOffsetPair   = 4
	rleBaseAddress  = 5
	rleStartEnd     = 6
	rleStartLength  = 7
)

var errRangeLists = errors.New("range lists overlap")

// ranges appends the address ranges of an entry that lie in code to dst. GNU
// as describes assembly functions by their symbols, Thumb bit and all; it is
// cleared. What the linker dropped lies at 0, at its offset in the dropped
// section, or at a tombstone (lld: the highest addresses, or empty); where
// that is no code it is left out.
func (d *debugInfo) ranges(dst []Range, u *unit, e *entry) []Range {
	keep := func(low, high uint64) {
		if high <= low || high > 1<<32 {
			return
		}
		thumb := low & 1
		if r := clampedRange(low-thumb, high-low); d.image.inCode(r) {
			dst = append(dst, r)
		}
	}
	if low, ok := d.address(u, e.low); ok && e.high.present() {
		if high, absolute := d.address(u, e.high); absolute {
			keep(low, high)
		} else if size := e.high.integer(0); size > 0 {
			keep(low, low+uint64(size))
		}
	}
	if e.ranges.present() {
		if err := d.rangeList(u, e.ranges, keep); err != nil {
			d.fault("ranges of the entry at .debug_info+0x%x: %v", e.offset, err)
		}
	}
	return dst
}

// rangeList decodes the list that DW_AT_ranges names.
func (d *debugInfo) rangeList(u *unit, v value, keep func(low, high uint64)) error {
	if u.version < 5 {
		off, ok := v.offset()
		if !ok {
			return fmt.Errorf("form 0x%x leads to no list", uint16(v.form))
		}
		return d.oldRangeList(u, off, keep)
	}
	if v.form == formRnglistx {
		off, ok := word(d.sections.rnglists, u.rnglists, v.n, int(u.offsetSize))
		if !ok {
			return fmt.Errorf(".debug_rnglists+0x%x: has no list %d", u.rnglists, v.n)
		}
		return d.newRangeList(u, u.rnglists+off, keep)
	}
	off, ok := v.offset()
	if !ok {
		return fmt.Errorf("form 0x%x leads to no list", uint16(v.form))
	}
	return d.newRangeList(u, off, keep)
}

// oldRangeList reads .debug_ranges (DWARF 4, 2.17.3).
func (d *debugInfo) oldRangeList(u *unit, off uint64, keep func(low, high uint64)) error {
	if off > uint64(len(d.sections.ranges)) {
		return fmt.Errorf(".debug_ranges+0x%x: outside of the section", off)
	}
	c := &cursor{data: d.sections.ranges[off:]}
	base, size := u.low, int(u.addrSize)
	for largest := uint64(1)<<(8*size-1)<<1 - 1; ; {
		low, high := c.number(size), c.number(size)
		switch {
		case c.err != nil:
			return fmt.Errorf(".debug_ranges+0x%x: %w", off, c.err)
		case !d.spend():
			return errRangeLists
		case low == 0 && high == 0:
			return nil
		case low == largest:
			base = high
		case low < high:
			keep(base+low, base+high)
		}
	}
}

// newRangeList reads .debug_rnglists (DWARF 5, 2.17.3).
func (d *debugInfo) newRangeList(u *unit, off uint64, keep func(low, high uint64)) error {
	if off > uint64(len(d.sections.rnglists)) {
		return fmt.Errorf(".debug_rnglists+0x%x: outside of the section", off)
	}
	c := &cursor{data: d.sections.rnglists[off:]}
	size := int(u.addrSize)
	index := func() uint64 {
		i := c.uleb()
		a, ok := word(d.sections.addr, u.addrBase, i, size)
		if !ok && c.err == nil {
			c.err = fmt.Errorf("address %d is not in .debug_addr", i)
		}
		return a
	}
	for base := u.low; ; {
		var low, high uint64
		switch kind := c.u8(); kind {
		case rleEndOfList:
			if c.err != nil {
				return fmt.Errorf(".debug_rnglists+0x%x: %w", off, c.err)
			}
			return nil
		case rleBaseAddressx:
			base = index()
		case rleBaseAddress:
			base = c.number(size)
		case rleOffsetPair:
			low, high = base+c.uleb(), base+c.uleb()
		case rleStartxEndx:
			low, high = index(), index()
		case rleStartxLength:
			low = index()
			high = low + c.uleb()
		case rleStartEnd:
			low, high = c.number(size), c.number(size)
		case rleStartLength:
			low = c.number(size)
			high = low + c.uleb()
		default:
			return fmt.Errorf(".debug_rnglists+0x%x: kind %d is unknown", off, kind)
		}
		if c.err != nil {
			return fmt.Errorf(".debug_rnglists+0x%x: %w", off, c.err)
		}
		if !d.spend() {
			return errRangeLists
		}
		keep(low, high)
	}
}

// spend counts the elements of range lists. Compilers share lists seldom; a
// damaged file can have each of its entries read the whole section.
func (d *debugInfo) spend() bool {
	d.rangesRead++
	return d.rangesRead <= len(d.sections.ranges)+len(d.sections.rnglists)+1<<16
}
