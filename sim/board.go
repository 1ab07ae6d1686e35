// Package sim is a simulated board behind a simulated CMSIS-DAP probe. In: the
// ELF of a Cortex-M program and a probe model. Out: a packet transport, a
// clock, and the truth about what the program did.
package sim

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/mprof/mprof/sim/adi"
	"github.com/mprof/mprof/sim/armv7m"
	"github.com/mprof/mprof/sim/dap"
	"github.com/mprof/mprof/sim/wire"
)

// Options says what board to build. The zero value of a field takes the
// default.
type Options struct {
	ELF    []byte // the program: any bare-metal Cortex-M ELF
	Model  string // the probe, one of Models; "": the first of them
	CoreHz uint32 // clock of the core; 0: 16 MHz
	Seed   uint64 // of what varies from run to run: USB frame phase, turn-round of the host
	Faults Script // what goes wrong, and when

	// RegReadyCycles is how many core cycles a register transfer takes until
	// S_REGRDY; 0: 4. AccessCycles is how long a memory access keeps the access
	// port busy, in core cycles; 0: 4.
	RegReadyCycles, AccessCycles uint64

	// TimestampStart is what the probe's clock reads at time 0. It wraps at 2^32.
	TimestampStart uint32

	NoPCSR     bool   // the DWT has no PCSR: it reads as zero
	PCSRAsleep uint32 // what it reads while the core sleeps; 0: the address of the last instruction

	Chip string // how the debug ports are laid out, one of Chips; "": one core, one port
	// PinsOff is how long the program runs after each reset until it turns its
	// SWD pins off, as firmware does that needs them; 0: never.
	PinsOff     time.Duration
	NoResetWire bool // the probe's nRESET is not connected

	// Board is which peripherals there are, one of Boards; "": those for which the
	// program was linked, by where its vector table is.
	Board string

	// Calls are functions of which Board.Calls has each call of core 0; "*" is all.
	// Hooks are functions whose time is taken apart in them; nil: those that
	// -finstrument-functions calls.
	Calls, Hooks []string

	FPU FPU // whether the core has a floating-point unit; 0: where the ELF was built for one

	// FlashWait is how many cycles an instruction fetch from a new line of flash
	// costs, FlashLine the bytes of a line; 0: none, and 16. The model is
	// armv7m.FetchWait.
	FlashWait, FlashLine uint32

	// TARBlock is how many bytes TAR counts within before it wraps; 0: 4 KiB, as
	// on Cortex-M3 and M4, and 1 KiB, the least that there is, on ARMv6-M.
	TARBlock uint32
}

// Models names the probe models, the default first.
func Models() []string { return wire.Models() }

// Board is one board with its probe. Its methods and those of its Transports
// may be called from several goroutines; what happens is deterministic only
// when the calls are.
type Board struct {
	mu    sync.Mutex
	moved sync.Cond // a packet was written, or the probe is gone
	ticks uint32    // of the probe's clock at time 0

	model wire.Model
	hz    uint32
	image *image

	cpu          // core 0
	all   []*cpu // every core
	line  *adi.Wire
	ports []*port // UARTs of core 0

	rescues     int
	pinsOff     wire.Instant // running time from reset until the program turns its SWD pins off; 0: never
	noResetWire bool

	now    wire.Instant // of the host
	at     wire.Instant // of probe and target; ahead of now while a packet executes
	stood  wire.Instant // how long the target's clock was off (nRESET low)
	random *rand.Rand
	faults faults
	pace   pace
	ram    []armv7m.Region // as loaded, where the script has a brown-out

	pins      pins
	processor *dap.Processor
	usb       usb
}

// New builds a board and runs it from reset, at time 0. Errors say in one
// sentence what is wrong with the ELF or the options.
func New(o Options) (*Board, error) {
	model, err := wire.ByName(o.Model)
	if err != nil {
		return nil, fmt.Errorf("sim: %w", err)
	}
	if o.ELF == nil {
		return nil, errors.New("sim: no firmware: the board needs an ELF to run")
	}
	img, err := loadImage(o.ELF)
	if err != nil {
		return nil, fmt.Errorf("sim: firmware: %w", err)
	}
	if err := img.chooseFPU(o.FPU); err != nil {
		return nil, fmt.Errorf("sim: firmware: %w", err)
	}
	b := &Board{
		model: model, hz: o.CoreHz, image: img, pinsOff: wire.Span(o.PinsOff), noResetWire: o.NoResetWire, ticks: o.TimestampStart, random: rand.New(rand.NewPCG(o.Seed, 0x6d70726f66)),
	}
	b.moved.L = &b.mu
	if b.hz == 0 {
		b.hz = 16_000_000
	}
	if o.Faults.has(BrownOut) {
		b.keepRAM()
	}
	if err := b.buildTarget(o); err != nil {
		return nil, err
	}
	if b.faults, err = o.Faults.arm(); err != nil {
		return nil, err
	}
	b.plugIn()
	return b, nil
}

// plugIn powers the probe: what it remembers is gone.
func (b *Board) plugIn() {
	b.pins = pins{board: b, levels: pinsHigh, transfers: b.pins.transfers}
	b.processor = dap.New(b.model, &b.pins)
	var phase wire.Instant
	if b.model.HID {
		phase = wire.Instant(b.random.Int64N(int64(wire.Span(b.model.PollInterval))))
	}
	b.usb.line = wire.NewTimeline(b.model, phase)
	b.usb.queue, b.usb.ready = nil, nil
}

// Model is the probe model.
func (b *Board) Model() wire.Model { return b.model }

// CoreHz is the clock of the core.
func (b *Board) CoreHz() uint32 { return b.hz }

// Core is the processor. Whoever reads it while packets are under way sees it
// where the probe's work has brought it.
func (b *Board) Core() *armv7m.Core { return b.core }

// Remarks are sentences about the program that its user should know: that it
// was built for another architecture, or uses floating point.
func (b *Board) Remarks() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	remarks := b.image.remarks
	for _, note := range b.periphery.notes {
		if s := note(); s != "" {
			remarks = append(slices.Clip(remarks), s)
		}
	}
	return remarks
}

// Models is the package's Models.
func (b *Board) Models() []string { return Models() }
