package coresight

import (
	"testing"

	"github.com/mprof/mprof/sim/armv7m"
)

var _ Core = (*armv7m.Core)(nil)

// core is a processor that does what it is told and nothing else.
type core struct {
	halted, sleeping, locked, enabled, masked bool
	cycles, haltedCycles, slept, instructions uint64
	catch                                     uint32
	breakpoints                               []uint32
	regs                                      [32]uint32
	steps                                     int
	onReset                                   []func()
	mounts                                    []armv7m.Mount
}

func (c *core) Halt()                      { c.halted = true }
func (c *core) Resume()                    { c.halted = false }
func (c *core) Step()                      { c.steps++; c.instructions++ }
func (c *core) Halted() bool               { return c.halted }
func (c *core) Sleeping() bool             { return c.sleeping }
func (c *core) LockedUp() bool             { return c.locked }
func (c *core) Cycles() uint64             { return c.cycles }
func (c *core) HaltedCycles() uint64       { return c.haltedCycles }
func (c *core) SleepCycles() uint64        { return c.slept }
func (c *core) Instructions() uint64       { return c.instructions }
func (c *core) LastPC() uint32             { return 0x08001234 }
func (c *core) SetDebugEnabled(on bool)    { c.enabled = on }
func (c *core) SetBreakpoints(a []uint32)  { c.breakpoints = a }
func (c *core) SetMaskInterrupts(on bool)  { c.masked = on }
func (c *core) SetVectorCatch(mask uint32) { c.catch = mask }
func (c *core) OnReset(f func())           { c.onReset = append(c.onReset, f) }

func (c *core) ReadReg(sel uint8) (uint32, bool) {
	if sel >= 21 {
		return 0, false
	}
	return c.regs[sel], true
}

func (c *core) WriteReg(sel uint8, v uint32) bool {
	if sel >= 21 {
		return false
	}
	c.regs[sel] = v
	return true
}

func (c *core) device(addr uint32) (armv7m.Device, uint32) {
	for _, m := range c.mounts {
		if addr-m.Base < m.Size {
			return m.Device, addr - m.Base
		}
	}
	return nil, 0
}

func (c *core) ReadBus(addr uint32, size int) (uint32, bool) {
	if d, off := c.device(addr); d != nil {
		return d.Read(off, size)
	}
	return 0, false
}

func (c *core) WriteBus(addr uint32, size int, v uint32) bool {
	if d, off := c.device(addr); d != nil {
		return d.Write(off, size, v)
	}
	return false
}

// run lets cycles pass, halted or not.
func (c *core) run(n uint64) {
	c.cycles += n
	if c.halted {
		c.haltedCycles += n
		return
	}
	c.instructions += n / 2
}

// Register addresses (DDI 0403E, table C1-6, C1-21, C1-29).
const (
	dhcsr = 0xe000edf0
	dcrsr = 0xe000edf4
	dcrdr = 0xe000edf8
	demcr = 0xe000edfc

	dwtCTRL   = 0xe0001000
	dwtCYCCNT = 0xe0001004
	dwtCPICNT = 0xe0001008
	dwtPCSR   = 0xe000101c

	fpCTRL  = 0xe0002000
	fpCOMP0 = 0xe0002008

	halt   = 0xa05f0003
	resume = 0xa05f0001
)

// bench is a unit on such a core, accessed as the debug port does.
type bench struct {
	*testing.T
	*Unit
	core *core
}

func newBench(t *testing.T, cfg Config) *bench {
	b := &bench{T: t, Unit: New(cfg), core: &core{}}
	b.core.mounts = b.Mounts()
	b.Attach(b.core)
	return b
}

func (b *bench) read(addr uint32) uint32 {
	b.Helper()
	v, ok := b.Read(addr, 4)
	if !ok {
		b.Fatalf("read 0x%08x: bus error", addr)
	}
	return v
}

func (b *bench) write(addr, v uint32) {
	b.Helper()
	if !b.Write(addr, 4, v) {
		b.Fatalf("write 0x%08x: bus error", addr)
	}
}
