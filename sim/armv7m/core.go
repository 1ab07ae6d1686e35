package armv7m

import (
	"fmt"
	"math"
)

// registers are indexed by a byte without a bounds check. 0 to 15 are the
// architected ones (15 is never read), the others are operands that let one
// routine serve several encodings.
type registers [256]uint32

const (
	sp        = 13
	lr        = 14
	slotZero  = 16 // always 0: "no index register"
	slotShift = 17 // the shifted operand of the instruction under way
)

// Core is one processor. It is not safe for concurrent use.
type Core struct {
	r  registers
	pc uint32 // of the next instruction
	at uint32 // of the instruction executed most recently

	cycles  uint64
	horizon uint64 // the inner loop runs until here; 0 calls for attention
	page    *codePage

	// APSR: N is bit 31 of nf, Z is zf == 0, C is cf, V is bit 31 of vf.
	nf, zf, cf, vf uint32
	q              bool
	ge             uint8 // APSR.GE, four bits
	it             uint8 // EPSR.IT
	thumb          bool  // EPSR.T

	faulted bool // the instruction under way raised a fault

	instructions uint64

	// The region where data was last written or read, for the fast path.
	ramBase, ramLimit uint32 // ramLimit: offsets below it hold a whole word
	ramData           []byte
	ram               *region

	ipsr       uint32 // exception number, 0 in Thread mode
	control    uint32
	otherSP    uint32 // MSP while PSP is in use, and the reverse
	process    bool   // PSP is in use
	primask    bool
	faultmask  bool
	basepri    uint8
	exclusive  bool
	exclusiveA uint32
	event      bool

	sleep  sleepKind
	locked bool

	halted       bool
	haltedCycles uint64
	sleepCycles  uint64
	entryCycles  uint64
	debugEnabled bool
	maskInts     bool
	vectorCatch  uint32
	haltReason   uint32
	breakpoints  map[uint32]bool
	onReset      []func()
	resets       uint64

	arch    Arch
	cfg     Config
	regions []*region
	mounts  []Mount
	tracer  Tracer

	nvic
	scb
	systick
	events
	fpState
	fetching
}

// New returns a core in its power-on reset state: MSP and PC come from the
// first two words of the vector table at cfg.VTOR. Errors: regions or mounts
// that overlap or wrap, a vector table that is not in memory.
func New(cfg Config) (*Core, error) {
	c := &Core{cfg: cfg, arch: cfg.Arch, tracer: cfg.Tracer, mounts: cfg.Mounts, breakpoints: map[uint32]bool{}, events: events{eventNext: never}}
	if cfg.Arch > V6M {
		return nil, fmt.Errorf("armv7m: architecture %d: unknown", cfg.Arch)
	}
	if cfg.FPU && cfg.Arch != V7EM {
		return nil, fmt.Errorf("armv7m: architecture %d: has no floating-point extension", cfg.Arch)
	}
	if err := c.placeRegions(cfg.Regions); err != nil {
		return nil, err
	}
	if err := c.sizeNVIC(cfg); err != nil {
		return nil, err
	}
	var err error
	if c.fetching, err = newFetching(cfg.FetchWait); err != nil {
		return nil, err
	}
	if cfg.VTOR&0x7f != 0 {
		return nil, fmt.Errorf("armv7m: vector table at 0x%08x: not a multiple of 128", cfg.VTOR)
	}
	for _, a := range []uint32{cfg.VTOR, cfg.VTOR + 4} {
		if _, ok := c.readMemory(a, 4); !ok {
			return nil, fmt.Errorf("armv7m: vector table at 0x%08x: no memory there", cfg.VTOR)
		}
	}
	c.reset()
	return c, nil
}

// Reset is a system reset as by SYSRESETREQ or nRESET (DDI 0403E B1.5.5):
// memory is kept, the cycle counters go on, Debug state and the debug settings
// stay as they are (they belong to the debug reset domain).
func (c *Core) Reset() {
	c.reset()
	c.resets++
	for _, f := range c.onReset {
		f()
	}
}

// OnReset has f called after every reset that follows.
func (c *Core) OnReset(f func()) { c.onReset = append(c.onReset, f) }

func (c *Core) reset() {
	c.r = registers{}
	c.r[lr] = 0xffffffff
	c.setFlags(0)
	c.q, c.ge, c.it = false, 0, 0
	c.ipsr, c.control, c.otherSP, c.process = 0, 0, 0, false
	c.primask, c.faultmask, c.basepri = false, false, 0
	c.exclusive, c.event = false, false
	c.sleep, c.locked, c.faulted = awake, false, false
	c.resetNVIC()
	c.resetSCB()
	c.resetSysTick()
	c.resetFP()
	c.attention()
	c.page, c.line = noPage, noLine

	msp, ok := c.readMemory(c.vtor, 4)
	entry, ok2 := c.readMemory(c.vtor+4, 4)
	c.r[sp] = msp &^ 3
	c.pc, c.at = entry&^1, entry&^1
	c.thumb = entry&1 != 0
	if !ok || !ok2 {
		c.hfsr |= hfsrVECTTBL
		c.lockUp()
		return
	}
	if c.debugEnabled && c.vectorCatch&vcCoreReset != 0 {
		c.enterDebug(DFSRVCATCH)
	}
}

// Cycles is the core clock since power-on. It advances always: running,
// sleeping and in Debug state.
func (c *Core) Cycles() uint64 { return c.cycles }

// HaltedCycles is how many of Cycles passed in Debug state.
func (c *Core) HaltedCycles() uint64 { return c.haltedCycles }

// SleepCycles is how many of Cycles passed asleep and not in Debug state.
func (c *Core) SleepCycles() uint64 { return c.sleepCycles }

// EntryCycles is how many of Cycles exception entries took, from the end of the
// last instruction to the first of the handler. Tail-chaining belongs to the
// handler that returns.
func (c *Core) EntryCycles() uint64 { return c.entryCycles }

// Instructions is the number of instructions executed since power-on; one
// whose condition fails counts, as does one that faults.
func (c *Core) Instructions() uint64 { return c.instructions }

// LastPC is the address of the instruction executed most recently (DWT_PCSR).
func (c *Core) LastPC() uint32 { return c.at }

// LockedUp says whether the core is in Lockup state (DDI 0403E B1.5.15).
func (c *Core) LockedUp() bool { return c.locked }

// never is a time that does not come.
const never = math.MaxUint64

// attention ends the inner loop after the instruction under way.
func (c *Core) attention() { c.horizon = 0 }
