package armv7m

import "fmt"

// FetchWait is how slow the flash is: a model of a flash interface that has one
// line buffered, without prefetch and without a cache. An instruction that lies
// in another line of a ROM region than the last fetch from ROM costs Cycles
// more; one across two lines fetches both. Fetches from RAM leave the buffer as
// it is. Data in ROM, literal pools among it, and vectors cost nothing more.
type FetchWait struct {
	Cycles uint32 // of a new line; 0: none, and Line does not count
	Line   uint32 // bytes: a power of two from 4 to 1024; 0: 16
}

// fetching is the line buffer.
type fetching struct {
	wait   uint64 // cycles
	mask   uint32 // of an address: that of its line
	line   uint32 // buffered; noLine: none
	waited uint64
}

// noLine is no multiple of a line.
const noLine = 1

func newFetching(w FetchWait) (fetching, error) {
	if w.Line == 0 {
		w.Line = 16
	}
	if w.Line < 4 || w.Line > pageBytes || w.Line&(w.Line-1) != 0 {
		return fetching{}, fmt.Errorf("armv7m: flash line of %d bytes: not a power of two from 4 to %d", w.Line, pageBytes)
	}
	return fetching{wait: uint64(w.Cycles), mask: ^(w.Line - 1), line: noLine}, nil
}

// FetchWaits is how many of Cycles instructions from ROM were waited for.
func (c *Core) FetchWaits() uint64 { return c.waited }

// fetch waits for the line with the halfword at addr.
func (c *Core) fetch(addr uint32) {
	if line := addr & c.mask; line != c.line {
		c.line = line
		c.cycles += c.wait
		c.waited += c.wait
	}
}

// executeWaiting is execute with a flash that is slow: a loop of its own, so
// that the other has nothing to ask.
func (c *Core) executeWaiting() {
	for c.cycles < c.horizon {
		pc := c.pc
		p := c.page
		i := pc - p.base
		if i >= p.limit {
			c.turnPage(pc)
			continue
		}
		o := &p.ops[i/2%pageOps]
		if p.rom {
			c.fetch(pc)
			if c.size(p, o, pc) == 4 {
				c.fetch(pc + 2)
			}
		}
		if c.it != 0 {
			c.executeIT(p, pc)
			continue
		}
		c.at = pc
		c.pc = pc + uint32(o.size)
		c.cycles += uint64(o.cost)
		c.instructions++
		o.do(c, o)
	}
}

// size of the instruction at pc, in bytes, by what was decoded; 0 before that.
func (c *Core) size(p *codePage, o *op, pc uint32) uint8 {
	if c.it == 0 {
		return o.size
	}
	if p.it == nil {
		return 0
	}
	return p.it[(pc-p.base)/2%pageOps].size
}
