package stm32

import (
	"encoding/binary"
	"testing"

	"github.com/mprof/mprof/sim/armv7m"
)

const (
	rccBase    = 0x40023800
	gpioBase   = 0x40020000
	usart1Base = 0x40011000
	usart2Base = 0x40004400
	dma1Base   = 0x40026000
	dma2Base   = 0x40026400
	ram        = 0x20000000
)

// got is a byte on a line and its cycle.
type got struct {
	b  byte
	at uint64
}

// rig is a core that does nothing, with the peripherals, whose registers the test
// uses.
type rig struct {
	testing.TB
	core *armv7m.Core
	chip *Chip
	host map[string][]got
}

func newRig(t testing.TB) *rig {
	r := &rig{TB: t, chip: New(1000), host: map[string][]got{}}
	rom := make([]byte, 0x200)
	binary.LittleEndian.PutUint32(rom, ram+0x400)
	binary.LittleEndian.PutUint32(rom[4:], 0x08000101)
	binary.LittleEndian.PutUint16(rom[0x100:], 0xe7fe) // b .
	core, err := armv7m.New(armv7m.Config{
		Regions: []armv7m.Region{
			{Base: 0x08000000, Data: rom, ROM: true}, {Base: ram, Data: make([]byte, 0x1000)}, {Base: 0x10000000, Data: make([]byte, 0x100)},
		},
		Mounts: r.chip.Mounts, VTOR: 0x08000000,
	})
	if err != nil {
		t.Fatal(err)
	}
	r.core = core
	r.chip.Attach(core)
	for _, p := range r.chip.Ports {
		p.Line.ToHost = func(b byte, at uint64) { r.host[p.Name] = append(r.host[p.Name], got{b, at}) }
	}
	return r
}

// enable switches on the clocks of GPIO, both DMA controllers, USART1 and USART2,
// and gives those their pins.
func (r *rig) enable() {
	r.write(rccBase+0x30, 0x006001ff)
	r.write(rccBase+0x40, 1<<17)
	r.write(rccBase+0x44, 1<<4)
	r.write(gpioBase, 0xa8000000|2<<18|2<<20|2<<4|2<<6) // PA9, PA10, PA2, PA3
	r.write(gpioBase+0x20, 7<<8|7<<12)
	r.write(gpioBase+0x24, 7<<4|7<<8)
}

func (r *rig) write(addr, v uint32) {
	r.Helper()
	if !r.core.WriteBus(addr, 4, v) {
		r.Fatalf("write 0x%08x: bus error", addr)
	}
}

func (r *rig) read(addr uint32) uint32 {
	r.Helper()
	v, ok := r.core.ReadBus(addr, 4)
	if !ok {
		r.Fatalf("read 0x%08x: bus error", addr)
	}
	return v
}

func (r *rig) want(what string, addr, want uint32) {
	r.Helper()
	if v := r.read(addr); v != want {
		r.Errorf("%s: 0x%08x is 0x%x, want 0x%x", what, addr, v, want)
	}
}

// pending says whether an interrupt is, and takes it back.
func (r *rig) pending(irq int) bool {
	word := uint32(irq / 32 * 4)
	v := r.read(0xe000e200 + word)
	r.write(0xe000e280+word, 1<<(irq%32))
	return v>>(irq%32)&1 != 0
}

func (r *rig) run(cycles uint64) { r.core.Run(r.core.Cycles() + cycles) }

// sent is what a USART has sent so far.
func (r *rig) sent(name string) string {
	var all []byte
	for _, g := range r.host[name] {
		all = append(all, g.b)
	}
	return string(all)
}

func (r *rig) line(i int) func(text string) {
	return func(text string) { r.chip.Ports[i].Line.Send([]byte(text), r.core.Cycles()) }
}
