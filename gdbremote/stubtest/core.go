// Package stubtest is a GDB server with a simulated processor behind it, for tests.
// In: what the server is like (QEMU, OpenOCD, Black Magic Probe, ...), which faults
// it has, registers and memory. Out: a connection, and what became of the
// processor. Its framing shares no code with the client's: gdb itself judges it.
package stubtest

import (
	"sync"

	"github.com/mprof/mprof/snapshot"
)

// Core is a processor that stands or runs. Its program is a Go function: what
// happened since it was resumed happens when it halts. Methods may be called by
// any goroutine.
type Core struct {
	mu      sync.Mutex
	arch    snapshot.Arch
	regs    map[string]uint32
	memory  []region
	run     func(*Core)
	running bool
	halts   int
	stops   chan byte // signals of halts that nobody asked for
}

type region struct {
	addr uint32
	data []byte
}

// NewCore makes a core that stands, without memory. run is its program: it is
// called with every halt of the running core, and may use Set, Load and Store. nil:
// nothing changes.
func NewCore(arch snapshot.Arch, run func(*Core)) *Core {
	return &Core{arch: arch, regs: map[string]uint32{}, run: run, stops: make(chan byte, 16)}
}

// Map gives the core memory at addr.
func (c *Core) Map(addr uint32, data []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.memory = append(c.memory, region{addr, data})
}

// Set sets a register. The names are snapshot's, and those of the parts of
// CONTROL.
func (c *Core) Set(r snapshot.Reg, v uint32) { c.SetNamed(r.String(), v) }

// SetNamed sets a register by its name.
func (c *Core) SetNamed(name string, v uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.regs[name] = v
}

// Register is the value of a register.
func (c *Core) Register(name string) uint32 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.regs[name]
}

// Load copies memory and tells whether there is that much.
func (c *Core) Load(addr uint32, p []byte) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := c.find(addr, len(p))
	copy(p, at)
	return at != nil
}

// Store writes memory and tells whether there is that much.
func (c *Core) Store(addr uint32, p []byte) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := c.find(addr, len(p))
	copy(at, p)
	return at != nil
}

func (c *Core) find(addr uint32, n int) []byte {
	for _, r := range c.memory {
		if off := addr - r.addr; addr >= r.addr && uint64(off)+uint64(n) <= uint64(len(r.data)) {
			return r.data[off : off+uint32(n) : off+uint32(n)]
		}
	}
	return nil
}

// Running tells whether the core runs.
func (c *Core) Running() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.running
}

// Halts counts how often the running core was halted.
func (c *Core) Halts() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.halts
}

// Start lets the core run, as a resume does.
func (c *Core) Start() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running = true
}

// Stop halts the core as a breakpoint does: the server tells its client by itself.
func (c *Core) Stop(signal byte) {
	if c.halt() {
		c.stops <- signal
	}
}

// halt stops the core and tells whether it ran.
func (c *Core) halt() bool {
	c.mu.Lock()
	was := c.running
	c.running = false
	if was {
		c.halts++
	}
	c.mu.Unlock()
	if was && c.run != nil {
		c.run(c)
	}
	return was
}
