package sim

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mprof/mprof/sim/armv7m"
	"github.com/mprof/mprof/sim/coresight"
	"github.com/mprof/mprof/sim/serial"
)

// periphery is the peripherals of a chip on their bus. What is not there reads
// as zero and takes writes: programs that only switch clocks and pins on run,
// those that wait for a ready bit of a device that is not modelled do not.
type periphery struct {
	blocks [peripheralBytes / blockBytes]armv7m.Mount
	attach []func(serial.Core)
	ports  []*port
	notes  []func() string // sentences about the program's use of it; "" for none
	wrote  func()          // after every write to a device; nil: nobody waits for one
}

// The vendor's part of the memory map (DDI 0403E, B3.1), and of it where devices
// can be.
const (
	peripheralBase  = 0x40000000
	peripheralSpan  = 0x20000000
	peripheralBytes = 512 << 10
	blockBytes      = 1 << 10
)

// place puts a device of size bytes at an address.
func (p *periphery) place(addr, size uint32, d armv7m.Device) {
	m := armv7m.Mount{Base: addr - peripheralBase, Size: size, Device: d}
	for off := uint32(0); off < size; off += blockBytes {
		p.blocks[(m.Base+off)/blockBytes] = m
	}
}

func (p *periphery) at(offset uint32) *armv7m.Mount {
	if offset >= peripheralBytes || p.blocks[offset/blockBytes].Device == nil {
		return nil
	}
	return &p.blocks[offset/blockBytes]
}

// Read reads a device.
func (p *periphery) Read(offset uint32, size int) (uint32, bool) {
	if m := p.at(offset); m != nil {
		return m.Device.Read(offset-m.Base, size)
	}
	return 0, true
}

// Write writes to one.
func (p *periphery) Write(offset uint32, size int, v uint32) bool {
	m := p.at(offset)
	if m == nil {
		return true
	}
	ok := m.Device.Write(offset-m.Base, size, v)
	if p.wrote != nil {
		p.wrote()
	}
	return ok
}

// The bit-band alias of the first MiB of peripherals (Cortex-M4 TRM, 3.7), which
// is the core's where there are devices.
const (
	aliasOffset = 0x02000000
	aliasEnd    = 0x04000000
)

func (p *periphery) mounts(arch armv7m.Arch) []armv7m.Mount {
	if len(p.attach) == 0 || arch == armv7m.V6M {
		return []armv7m.Mount{{Base: peripheralBase, Size: peripheralSpan, Device: p}}
	}
	return []armv7m.Mount{
		{Base: peripheralBase, Size: aliasOffset, Device: p},
		{Base: peripheralBase + aliasEnd, Size: peripheralSpan - aliasEnd, Device: coresight.Quiet{}},
	}
}

// board is a set of peripherals; suits says whether a program whose vector
// table is at an address is for it.
type board struct {
	name  string
	suits func(vectors uint32) bool
	build func(p *periphery, hz uint32)
}

// boards is what Options.Board chooses from.
var boards = []board{
	{"stm32f405", func(vectors uint32) bool { return vectors>>21 == 0x08000000>>21 }, buildSTM32F405},
	{"mps2-an385", func(vectors uint32) bool { return vectors < 0x400000 }, buildMPS2},
	{"none", func(uint32) bool { return true }, func(*periphery, uint32) {}},
}

// Boards names the sets of peripherals.
func Boards() (names []string) {
	for _, b := range boards {
		names = append(names, b.name)
	}
	return names
}

// boardFor is the set of that name, or where there is none the one that suits.
func boardFor(name string, vectors uint32) (board, error) {
	i := slices.IndexFunc(boards, func(b board) bool { return b.name == name || name == "" && b.suits(vectors) })
	if i < 0 {
		return board{}, fmt.Errorf("sim: board %q: unknown; there are %s", name, strings.Join(Boards(), ", "))
	}
	return boards[i], nil
}

// noRate is how long a frame from the host takes in cycles where the UART has no
// rate: that of 115200 baud.
func noRate(hz uint32) uint64 { return uint64(hz) * 10 / 115200 }
