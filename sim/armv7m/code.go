package armv7m

import "encoding/binary"

const (
	pageBytes = 1 << 10
	pageOps   = pageBytes / 2
)

// codePage holds the decoded instructions of a piece of a region, one op for
// each halfword. An instruction means something else inside an IT block, so
// those have ops of their own.
type codePage struct {
	base, limit uint32 // limit: bytes, less than pageBytes at the end of a region
	rom         bool
	ops         [pageOps]op
	it          *[pageOps]op
}

// noPage matches no address.
var noPage = &codePage{}

func newOps(ops *[pageOps]op) *[pageOps]op {
	for i := range ops {
		ops[i].do = execUndecoded
	}
	return ops
}

// executeNever says whether addr is in a part of the default memory map that
// holds no code (DDI 0403E B3.1, table B3-1).
func executeNever(addr uint32) bool {
	return addr>>29 == 2 || addr >= 0xa0000000
}

// turnPage makes the page with pc the current one; where there is no code it
// raises the fault.
func (c *Core) turnPage(pc uint32) {
	r := c.regionAt(pc)
	if r == nil || executeNever(pc) {
		c.at = pc
		c.fetchFault(pc)
		return
	}
	i := (pc - r.base) / pageBytes
	if r.pages == nil {
		r.pages = make([]*codePage, (len(r.data)+pageBytes-1)/pageBytes)
	}
	if r.pages[i] == nil {
		p := &codePage{base: r.base + i*pageBytes, rom: r.rom}
		p.limit = min(pageBytes, uint32(len(r.data))-i*pageBytes) &^ 1
		newOps(&p.ops)
		r.pages[i] = p
	}
	c.page = r.pages[i]
	if pc-c.page.base >= c.page.limit { // the odd byte at the end of a region
		c.at = pc
		c.page = noPage
		c.fetchFault(pc)
	}
}

// fetchHalf reads a halfword of code.
func (c *Core) fetchHalf(pc uint32) (uint32, bool) {
	r := c.regionAt(pc)
	if r == nil || executeNever(pc) || pc-r.base+2 > uint32(len(r.data)) {
		return 0, false
	}
	return uint32(binary.LittleEndian.Uint16(r.data[pc-r.base:])), true
}

// execUndecoded stands where no instruction has been decoded. It decodes, and
// leaves PC where it is for the new op to be executed.
func execUndecoded(c *Core, o *op) {
	c.instructions--
	pc := c.at
	c.pc = pc
	if c.debugEnabled && c.breakpoints[pc] {
		*o = op{do: execBreakpoint}
		return
	}
	c.decodeAt(o, pc)
}

// decodeAt decodes the instruction at pc into o, or raises the fault of its
// fetch.
func (c *Core) decodeAt(o *op, pc uint32) {
	hw, ok := c.fetchHalf(pc)
	if !ok {
		c.fetchFault(pc)
		return
	}
	inIT := c.it != 0
	if hw>>11 < 0x1d {
		*o = c.finish(c.decode16(hw, pc, inIT), pc, inIT)
		return
	}
	hw2, ok := c.fetchHalf(pc + 2)
	if !ok {
		c.fetchFault(pc + 2)
		return
	}
	*o = c.finish(c.decode32(hw<<16|hw2, pc, inIT), pc, inIT)
}

// written forgets the instructions decoded from [off, off+size) of r.
func (c *Core) written(r *region, off, size uint32) {
	first := off / 2
	if first > 0 {
		first-- // the second half of a 32-bit instruction
	}
	for i := first; i <= (off+size-1)/2; i++ {
		p := r.pages[i/pageOps]
		if p == nil {
			continue
		}
		p.ops[i%pageOps] = op{do: execUndecoded}
		if p.it != nil {
			p.it[i%pageOps] = op{do: execUndecoded}
		}
	}
}

// forgetCode drops everything decoded.
func (c *Core) forgetCode() {
	for _, r := range c.regions {
		r.pages = nil
	}
	c.page = noPage
}
