package romtable

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// words is a memory by words; what is in none of its pages faults.
type words map[uint32]uint32

func (m words) ReadMemory(_ context.Context, addr uint32, dst []byte) error {
	for i := 0; i < len(dst); i += 4 {
		at := addr + uint32(i)
		if _, ok := m[at&^0xFFF|0xFF0]; !ok {
			return fmt.Errorf("0x%08x: %w", at, ErrFault)
		}
		binary.LittleEndian.PutUint32(dst[i:], m[at])
	}
	return nil
}

// put writes the identification of a component.
func (m words) put(addr uint32, class uint8, d Designer, part uint16, devarch uint32, devtype uint8) {
	pidr := uint64(part) | uint64(d&0x7F)<<12 | 1<<19 | uint64(d>>7)<<32
	for i := range uint32(4) {
		m[addr+atPIDR0+4*i] = uint32(pidr >> (8 * i) & 0xFF)
		m[addr+atPIDR4+4*i] = uint32(pidr >> (32 + 8*i) & 0xFF)
		m[addr+atCIDR0+4*i] = uint32(0xB105000D>>(8*i)) & 0xFF
	}
	m[addr+atCIDR0+4] = uint32(class) << 4
	m[addr+atDEVARCH], m[addr+atDEVTYPE] = devarch, uint32(devtype)
}

// list makes a table's entries.
func (m words) list(addr uint32, at ...uint32) {
	for i, a := range at {
		m[addr+uint32(4*i)] = (a-addr)&^0xFFF | 3
	}
}

// tree prints what was found.
func tree(c *Component) string {
	var b strings.Builder
	c.Each(func(c *Component, depth int) {
		fmt.Fprintf(&b, "%s%08x %s, %s", strings.Repeat(" ", depth), c.Addr, c.Name(), c.Designer())
		if c.Problem != "" {
			fmt.Fprintf(&b, ": %s", c.Problem)
		}
		b.WriteString("\n")
	})
	return b.String()
}

// TestWalk: an STM32F4-like chip, whose vendor's table lists ARM's, with an
// absent component, one that faults, and a loop.
func TestWalk(t *testing.T) {
	m := words{}
	m.put(0xE00FF000, classROMTable, 0x20, 0x413, 0, 0)
	m.list(0xE00FF000, 0xE000E000, 0xE0001000, 0xE0042000, 0xE00FE000, 0xE00FF000)
	m[0xE00FF004+16] = 0xFFF03002 // absent
	m.put(0xE000E000, classGeneric, ARM, 0x00C, 0, 0)
	m.put(0xE0001000, classGeneric, ARM, 0x002, 0, 0)
	m.put(0xE00FE000, classROMTable, ARM, 0x4C4, 0, 0)
	m.list(0xE00FE000, 0xE0040000, 0xE00FF000)
	m.put(0xE0040000, classCoreSight, ARM, 0x9A1, 0, 0x11)
	c, err := Walk(context.Background(), m, 0xE00FF003)
	if err != nil {
		t.Fatal(err)
	}
	const want = `e00ff000 ROM table, STMicroelectronics
 e000e000 SCS (Cortex-M4, M7), ARM
 e0001000 DWT, ARM
 e0042000 unknown, JEP106 0, 0x00: bus fault
 e00fe000 ROM table (Cortex-M4), ARM
  e0040000 TPIU (Cortex-M4), ARM
  e00ff000 unknown, JEP106 0, 0x00: listed before
 e00ff000 unknown, JEP106 0, 0x00: listed before
`
	if got := tree(c); got != want || c.Chip() != "STM32F405, F407, F415, F417" {
		t.Errorf("%s, %q\nwant\n%s", got, c.Chip(), want)
	}
}

// TestIdentify: the vendor's table alone, and what is not there.
func TestIdentify(t *testing.T) {
	m := words{}
	m.put(0xE00FF000, classROMTable, 0x20, 0x413, 0, 0)
	m.list(0xE00FF000, 0xE000E000)
	c, err := Identify(context.Background(), m, 0xE00FF003)
	if err != nil || c.Chip() != "STM32F405, F407, F415, F417" || len(c.Children) != 0 {
		t.Errorf("%+v, %v", c, err)
	}
	if c, err = Identify(context.Background(), m, 0xE00FE000); err != nil || c.Chip() != "" || c.Problem != "bus fault" {
		t.Errorf("nothing there: %+v, %v", c, err)
	}
	if _, err = Identify(context.Background(), gone{}, 0xE00FF000); !errors.Is(err, errGone) {
		t.Errorf("no wire: %v", err)
	}
}

// TestWalkClass9: ARMv8-M, whose components are told by DEVARCH.
func TestWalkClass9(t *testing.T) {
	m := words{}
	m.put(0xE00FF000, classCoreSight, ARM, 0x4C9, 0x47700AF7, 0)
	m.list(0xE00FF000, 0xE000E000, 0xE0001000, 0xE0002000, 0xE0040000, 0xE0042000, 0xE0043000)
	m.put(0xE000E000, classCoreSight, ARM, 0xD21, 0x47702A04, 0)
	m.put(0xE0001000, classCoreSight, ARM, 0xD21, 0x47701A02, 0)
	m.put(0xE0002000, classCoreSight, ARM, 0xD21, 0x47701A03, 0)
	m.put(0xE0040000, classCoreSight, ARM, 0xD21, 0, 0x11)
	m.put(0xE0042000, classCoreSight, ARM, 0xD21, 0x47701A14, 0x14)
	m.put(0xE0043000, classCoreSight, ARM, 0xD21, 0x47700A31, 0x31)
	c, err := Walk(context.Background(), m, 0xE00FF003)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	c.Each(func(c *Component, _ int) { names = append(names, c.Name()) })
	if got, want := strings.Join(names, ", "), "ROM table, SCS (ARMv8-M), DWT, BPU, TPIU, CTI, MTB"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	m[0xE00FF000+atDEVID] = 1
	if c, err = Walk(context.Background(), m, 0xE00FF003); err != nil || c.Problem != "entries of 64 bits" {
		t.Errorf("%+v, %v", c, err)
	}
}

// TestWalkBounded: tables that go ever deeper, or list without end.
func TestWalkBounded(t *testing.T) {
	m := words{}
	for i := range uint32(20) {
		at := 0x10000000 + i<<12
		m.put(at, classROMTable, ARM, 0x4C4, 0, 0)
		m.list(at, at+0x1000)
	}
	c, err := Walk(context.Background(), m, 0x10000003)
	deep := 0
	c.Each(func(_ *Component, depth int) { deep = max(deep, depth) })
	if err != nil || deep != mostDepth {
		t.Errorf("depth %d, %v", deep, err)
	}
	m = words{}
	m.put(0x10000000, classROMTable, ARM, 0x4C4, 0, 0)
	for i := range uint32(mostEntries1) {
		m[0x10000000+4*i] = (i+1)<<12 | 3
	}
	if c, err = Walk(context.Background(), m, 0x10000003); err != nil || len(c.Children) > mostComponents+1 {
		t.Errorf("%d components, %v", len(c.Children), err)
	}
}

// gone fails in a way that no component can be the cause of.
type gone struct{}

var errGone = errors.New("gone")

func (gone) ReadMemory(context.Context, uint32, []byte) error { return errGone }

func TestWalkErrors(t *testing.T) {
	if _, err := Walk(context.Background(), gone{}, 3); !errors.Is(err, errGone) {
		t.Errorf("error %v", err)
	}
	c, err := Walk(context.Background(), words{0xE00FFFF0: 1}, 0xE00FF003)
	if err != nil || c.Valid || c.Problem != "no identification (CIDR 0x00000001)" {
		t.Errorf("%+v, %v", c, err)
	}
	for base, want := range map[uint32]bool{0xFFFFFFFF: true, 2: true, 0xE00FF003: false, 0xE00FF000: false} {
		if None(base) != want {
			t.Errorf("None(0x%08x)", base)
		}
	}
}

func TestTargetID(t *testing.T) {
	for v, want := range map[uint32]string{0x01002927: "RP2040", 0x11002927: "RP2040", 0x00040927: "RP2350", 0x04D50477: ""} {
		if _, _, chip := TargetID(v); chip != want {
			t.Errorf("0x%08x: %q", v, chip)
		}
	}
	if d, part, _ := TargetID(0x04D50477); d != ARM || part != 0x4D50 {
		t.Errorf("%v 0x%x", d, part)
	}
}

// noise is a memory of whatever bytes.
type noise []byte

func (n noise) ReadMemory(_ context.Context, addr uint32, dst []byte) error {
	for i := range dst {
		k := (addr + uint32(i)) * 2654435761 >> 7
		if k%31 == 0 {
			return ErrFault
		}
		dst[i] = n[k%uint32(len(n))]
	}
	return nil
}

// FuzzWalk: no memory makes a walk panic or go on for ever.
func FuzzWalk(f *testing.F) {
	f.Add([]byte{0x0d, 0x10, 0x05, 0xb1, 3, 0, 0, 1}, uint32(0xE00FF003))
	f.Fuzz(func(t *testing.T, b []byte, base uint32) {
		if len(b) == 0 {
			return
		}
		c, err := Walk(context.Background(), noise(b), base)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		c.Each(func(c *Component, _ int) { _ = c.Name() + c.Chip() + c.Designer().String(); n++ })
		if n > mostComponents+mostDepth {
			t.Fatalf("%d components", n)
		}
	})
}
