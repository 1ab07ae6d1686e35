package sim

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mprof/mprof/sim/adi"
	"github.com/mprof/mprof/sim/armv7m"
)

// chip is how the debug ports of a chip are laid out: identification values and
// addresses are those of its datasheet.
type chip struct {
	name  string
	cores int
	// ports makes the debug ports; bus is that of core i.
	ports func(b *Board, bus func(i int) adi.Bus) []adi.Config
}

// Identification of the RP2040 and RP2350 debug ports (datasheets, "Debug").
const (
	rp2040DPIDR  = 0x0bc12477
	rp2040TARGET = 0x01002927
	rp2040Rescue = 0xf
	rp2350DPIDR  = 0x4c013477
	rp2350TARGET = 0x00040927
	ahb5IDR      = 0x34770008 // AHB5-AP with enhanced HPROT
	apbIDR       = 0x34770006
)

// chips is what Options.Chip chooses from; the first is the default.
var chips = []chip{
	{name: "one-core", cores: 1, ports: func(_ *Board, bus func(int) adi.Bus) []adi.Config {
		return []adi.Config{{Bus: bus(0)}}
	}},
	{name: "rp2040", cores: 2, ports: rp2040(true)},
	{name: "rp2040-together", cores: 2, ports: rp2040(false)},
	{name: "rp2350", cores: 2, ports: func(_ *Board, bus func(int) adi.Bus) []adi.Config {
		return []adi.Config{{DPIDR: rp2350DPIDR, TARGETID: rp2350TARGET, Dormant: true, Ports: []adi.AccessPort{
			{Addr: 0x2000, IDR: ahb5IDR, BASE: debugBase, Bus: bus(0)},
			{Addr: 0x4000, IDR: ahb5IDR, BASE: debugBase, Bus: bus(1)},
			{Addr: 0xa000, IDR: apbIDR, Bus: nothing{}},
		}}}
	}},
	{name: "two-aps", cores: 2, ports: func(_ *Board, bus func(int) adi.Bus) []adi.Config {
		return []adi.Config{{Ports: []adi.AccessPort{
			{Addr: 0, IDR: 0x24770011, Bus: nothing{}}, // DMA's bus: no core is on it
			{Addr: 1, IDR: 0x24770011, BASE: debugBase, Bus: bus(0)},
			{Addr: 3, IDR: 0x24770011, BASE: debugBase, Bus: bus(1)},
		}}}
	}},
	{name: "adiv6", cores: 1, ports: func(_ *Board, bus func(int) adi.Bus) []adi.Config {
		return []adi.Config{{DPIDR: 0x4c013477, NoLegacySwitch: true, Ports: []adi.AccessPort{
			{Addr: 0x10000, IDR: ahb5IDR, BASE: debugBase, Bus: bus(0)}}}}
	}},
	{name: "locked", cores: 1, ports: func(*Board, func(int) adi.Bus) []adi.Config {
		return []adi.Config{{Ports: []adi.AccessPort{{IDR: 0x24770011, BASE: debugBase, Bus: nothing{}, Locked: true}}}}
	}},
	{name: "read-protected", cores: 1, ports: func(*Board, func(int) adi.Bus) []adi.Config {
		return []adi.Config{{Ports: []adi.AccessPort{{IDR: 0x24770011, BASE: debugBase, Bus: nothing{}}}}}
	}},
	{name: "no-debug-power", cores: 1, ports: func(_ *Board, bus func(int) adi.Bus) []adi.Config {
		return []adi.Config{{Bus: bus(0), NoPower: true}}
	}},
}

const debugBase = 0xe00ff003

// rp2040 has a debug port for each core, dormant at power-on, and a rescue port
// that resets the chip when its debug power is requested. silent ports answer
// after TARGETSEL only; otherwise all answer at once until then.
func rp2040(silent bool) func(*Board, func(int) adi.Bus) []adi.Config {
	return func(b *Board, bus func(int) adi.Bus) []adi.Config {
		port := adi.Config{DPIDR: rp2040DPIDR, TARGETID: rp2040TARGET, Dormant: true, Multidrop: silent}
		all := []adi.Config{port, port, port}
		for i := range 2 {
			all[i].Instance = uint32(i)
			all[i].Bus = bus(i)
		}
		all[2].Instance, all[2].Ports = rp2040Rescue, []adi.AccessPort{}
		all[2].Powered = func() {
			b.rescues++
			b.resetChip()
		}
		return all
	}
}

// nothing is a bus where every access is an error.
type nothing struct{}

func (nothing) Read(uint32, int) (uint32, bool) { return 0, false }
func (nothing) Write(uint32, int, uint32) bool  { return false }

// Chips names the chips, the default first.
func Chips() (names []string) {
	for _, c := range chips {
		names = append(names, c.name)
	}
	return names
}

func chipByName(name string) (chip, error) {
	if name == "" {
		return chips[0], nil
	}
	i := slices.IndexFunc(chips, func(c chip) bool { return c.name == name })
	if i < 0 {
		return chip{}, fmt.Errorf("sim: chip %q: unknown; there are %s", name, strings.Join(Chips(), ", "))
	}
	return chips[i], nil
}

// buildTarget makes cores, debug hardware and debug ports.
func (b *Board) buildTarget(o Options) error {
	kind, err := chipByName(o.Chip)
	if err != nil {
		return err
	}
	if o.RegReadyCycles == 0 {
		o.RegReadyCycles = 4
	}
	if o.AccessCycles == 0 {
		o.AccessCycles = 4
	}
	if o.TARBlock == 0 && b.image.arch != armv7m.V6M {
		o.TARBlock = 4 << 10
	}
	if b.cpu, err = b.newCPU(o); err != nil {
		return err
	}
	b.all = []*cpu{&b.cpu}
	for _, p := range b.periphery.ports {
		b.connectPort(p)
	}
	for range kind.cores - 1 {
		c, err := b.newCPU(o)
		if err != nil {
			return err
		}
		b.all = append(b.all, &c)
	}
	if err := b.record(o.Calls, o.Hooks); err != nil {
		return err
	}
	for _, c := range b.all {
		c.watchReset()
	}
	var ports []*adi.Port
	for _, cfg := range kind.ports(b, func(i int) adi.Bus { return b.all[i].unit }) {
		cfg.Cycles, cfg.AccessCycles, cfg.PowerUpCycles = b.debugCycles, o.AccessCycles, 32
		cfg.TARBlock = o.TARBlock
		ports = append(ports, adi.NewPort(cfg))
	}
	b.line = adi.NewWire(ports...)
	return nil
}

// Rescues is how often the rescue port of the chip was given power, which
// resets it.
func (b *Board) Rescues() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.rescues
}

// RescueNamed is how often TARGETSEL named the third port of the wire.
func (b *Board) RescueNamed() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.line.Named(2)
}
