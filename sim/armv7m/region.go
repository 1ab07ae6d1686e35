package armv7m

import (
	"encoding/binary"
	"fmt"
)

// region is memory with the instructions decoded from it; pages is nil as long
// as none was executed.
type region struct {
	base  uint32
	data  []byte
	rom   bool
	pages []*codePage
}

func (c *Core) placeRegions(rs []Region) error {
	type span struct{ first, last uint64 }
	var taken []span
	place := func(base uint32, size uint64, what string) error {
		s := span{uint64(base), uint64(base) + size - 1}
		if size == 0 || s.last > 0xffffffff {
			return fmt.Errorf("armv7m: %s at 0x%08x: size 0x%x does not fit", what, base, size)
		}
		for _, t := range taken {
			if s.first <= t.last && t.first <= s.last {
				return fmt.Errorf("armv7m: %s at 0x%08x: overlaps another", what, base)
			}
		}
		taken = append(taken, s)
		return nil
	}
	for _, r := range rs {
		if err := place(r.Base, uint64(len(r.Data)), "region"); err != nil {
			return err
		}
		if r.Base&3 != 0 {
			return fmt.Errorf("armv7m: region at 0x%08x: not word-aligned", r.Base)
		}
		c.regions = append(c.regions, &region{base: r.Base, data: r.Data, rom: r.ROM})
	}
	for _, m := range c.mounts {
		if err := place(m.Base, uint64(m.Size), "device"); err != nil {
			return err
		}
	}
	for _, r := range c.regions {
		if !r.rom {
			c.window(r)
			break
		}
	}
	return nil
}

// coded says whether instructions were decoded from around off.
func (r *region) coded(off uint32) bool { return r.pages != nil && r.pages[off/pageBytes] != nil }

// regionAt returns the region that holds addr, or nil.
func (c *Core) regionAt(addr uint32) *region {
	for _, r := range c.regions {
		if addr-r.base < uint32(len(r.data)) {
			return r
		}
	}
	return nil
}

// Memory is the memory from addr to the end of its region, nil where there is
// none: no copy, so it changes as the core runs, and is to be read only.
func (c *Core) Memory(addr uint32) []byte {
	r := c.regionAt(addr)
	if r == nil {
		return nil
	}
	return r.data[addr-r.base:]
}

// mountAt returns the device mounted at addr, or nil.
func (c *Core) mountAt(addr uint32) *Mount {
	for i := range c.mounts {
		if m := &c.mounts[i]; addr-m.Base < m.Size {
			return m
		}
	}
	return nil
}

// window points the fast path of loads and stores at r.
func (c *Core) window(r *region) {
	c.ram, c.ramBase, c.ramData = r, r.base, r.data
	c.ramLimit = uint32(max(len(r.data)-3, 0))
}

// readMemory reads size bytes from a region; false where there is none.
func (c *Core) readMemory(addr uint32, size int) (uint32, bool) {
	r := c.regionAt(addr)
	if r == nil || int(addr-r.base)+size > len(r.data) {
		return 0, false
	}
	return r.read(addr-r.base, size), true
}

func (r *region) read(off uint32, size int) uint32 {
	switch b := r.data[off:]; size {
	case 1:
		return uint32(b[0])
	case 2:
		return uint32(binary.LittleEndian.Uint16(b))
	default:
		return binary.LittleEndian.Uint32(b)
	}
}

func (c *Core) writeRegion(r *region, off uint32, size int, v uint32) {
	switch b := r.data[off:]; size {
	case 1:
		b[0] = byte(v)
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(v))
	default:
		binary.LittleEndian.PutUint32(b, v)
	}
	if r.pages != nil {
		c.written(r, off, uint32(size))
	}
}
