package lockstep

import "math/rand/v2"

// Where the random program keeps what it works on. The RAM of the smallest
// board is 16 KiB.
const (
	cells     = RAMBase         // recovery address, counters
	dataStart = RAMBase + 0x400 // random words, loaded from and stored to
	dataEnd   = RAMBase + 0x1c00
	dataWords = 256
	elevate   = 0xf0   // SVC that gives Thread mode privilege
	masking   = 0xf1   // SVC whose handler sets FAULTMASK
	bodyStart = 0x2000 // random code; 4 KiB above the start for negative literals
)

// Stream is a random program.
type Stream struct {
	Program
	Seed    uint64
	marks   []mark
	LeftOut map[RuleID]int // draws that a rule left out
}

// generator draws a program. What it knows of the processor's state is what it
// set itself: the stack in use, its address, the privilege.
type generator struct {
	code
	b       Board
	rng     *rand.Rand
	choices []*Pattern // those of the architecture
	fp      []*Pattern // of them, those of the floating-point extension
	dense   bool       // hardly anything but those
	leftOut map[RuleID]int

	busy       uint32 // registers prepared for the instruction to come
	psp        bool   // Thread mode uses the process stack
	stacks     [2]uint32
	privileged bool
}

// sequenceUnits is the number of drawn instructions between two fresh sets of
// registers.
const sequenceUnits = 48

func newGenerator(b Board, seed uint64) *generator {
	g := &generator{b: b, rng: rand.New(rand.NewPCG(seed, uint64(b.Arch.Core()))), leftOut: map[RuleID]int{}}
	g.wide = b.Arch != V6M
	for _, p := range Patterns {
		if b.Arch.Has(p.Need) && !p.Barred {
			g.choices = append(g.choices, p)
			if p.Need == FPv4 {
				g.fp = append(g.fp, p)
			}
		}
	}
	return g
}

// NewStream draws a program of about units instructions.
func NewStream(b Board, seed uint64, units int) (*Stream, error) {
	g := newGenerator(b, seed)
	base, err := runtimeImage(b)
	if err != nil {
		return nil, err
	}
	for i := 0; i < len(base); i += 2 {
		g.half(uint32(base[i]) | uint32(base[i+1])<<8)
	}
	for g.pos() < bodyStart {
		g.half(0)
	}
	for n := 0; n < units; n += sequenceUnits {
		patch := g.begin()
		for range sequenceUnits {
			g.unit()
		}
		if g.pos() > b.FlashSize-0x4000 {
			units = 0
		}
		patch(g.pos())
	}
	g.begin()(bodyStart)
	g.half(nop)
	done := g.pos()
	g.half(0xe7fe) // B to itself
	g.half(nop)
	g.parameters()
	return &Stream{Program{g.flash, done}, seed, g.marks, g.leftOut}, nil
}

// begin appends what puts the processor into a fresh, known state: exceptions
// unmasked, privilege, stacks, flags, all registers. The result sets where a
// fault outside the random code goes on.
func (g *generator) begin() (recovery func(uint32)) {
	g.busy = 0
	g.half(0xb662) // CPSIE i
	if g.wide {
		g.half(0xb661)                  // CPSIE f
		g.half(0x2000)                  // MOVS r0, #0
		g.instruction(0xf3808811, true) // MSR BASEPRI, r0
		g.instruction(0xf3bf8f2f, true) // CLREX
		g.instruction(0xf3bf8f6f, true) // ISB
	}
	g.half(0xdf00 | elevate) // SVC
	g.half(nop)
	recovery = g.pokeLater(cells)
	g.psp, g.stacks = g.rng.IntN(2) == 0, [2]uint32{g.stackAddress(false), g.stackAddress(true)}
	for i, s := range g.stacks {
		g.busy = 0
		g.set(0, s)
		g.instruction(0xf3808808|uint32(i), true) // MSR MSP or PSP, r0
	}
	control := uint32(0)
	if g.psp {
		control = 2
	}
	g.privileged = !g.wide || g.rng.IntN(3) > 0
	if !g.privileged {
		control |= 1
	}
	g.half(0x2000 | control)
	g.instruction(0xf3808814, true) // MSR CONTROL, r0
	g.instruction(0xf3bf8f6f, true) // ISB
	g.busy = 0
	g.set(0, g.flags())
	flags := uint32(0xf3808800)
	if g.b.Arch >= V7EM {
		flags |= 0x400 // GE too
	}
	g.instruction(flags, true)
	for _, r := range []uint32{8, 9, 10, 11, 12, 14, 0, 1, 2, 3, 4, 5, 6, 7} {
		g.busy = 0
		g.set(r, g.value())
	}
	if g.b.Arch.Has(FPv4) {
		g.dense = g.rng.IntN(2) == 0
		g.busy = 0
		g.mode()
		g.operands()
	}
	return recovery
}

func (g *generator) sp() uint32 {
	if g.psp {
		return g.stacks[1]
	}
	return g.stacks[0]
}

// set appends what gives a register a value.
func (g *generator) set(r, v uint32) { g.setLater(r)(v) }

// setLater does so for a value that is known later.
func (g *generator) setLater(r uint32) func(uint32) {
	if g.wide && g.rng.IntN(2) == 0 {
		at := g.pos()
		g.constant(r, 0)
		g.busy |= 1 << r
		return func(v uint32) { g.putConstant(at, r, v) }
	}
	low := r
	if !g.wide && r >= 8 {
		low = g.free()
	}
	at := g.literal(low)
	if low != r {
		g.half(0x4600 | r>>3<<7 | low<<3 | r&7) // MOV r, low
	}
	g.busy |= 1 << r
	return func(v uint32) { g.putWord(at, v) }
}

// free draws a low register that is not prepared for something.
func (g *generator) free() uint32 {
	for {
		if r := g.rng.Uint32N(8); g.busy&(1<<r) == 0 {
			return r
		}
	}
}

// pokeLater appends what stores a word that is known later.
func (g *generator) pokeLater(addr uint32) func(uint32) {
	saved := g.busy
	ra := g.free()
	g.set(ra, addr)
	rb := g.free()
	patch := g.setLater(rb)
	g.half(0x6000 | ra<<3 | rb) // STR rb, [ra]
	g.busy = saved
	return patch
}
