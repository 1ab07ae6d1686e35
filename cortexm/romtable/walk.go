// Package romtable finds the debug components of a target. In: its memory and
// the base address that the access port names. Out: the ROM tables as a tree,
// each component with its identification.
package romtable

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
)

// Memory reads target memory, whole words at multiples of 4.
type Memory interface {
	ReadMemory(ctx context.Context, addr uint32, dst []byte) error
}

// ErrFault is what a Memory wraps where the bus answers with an error. A
// component there is noted and passed over; any other error ends the walk.
var ErrFault = errors.New("bus fault")

// Bounds of a walk, far above what chips have.
const (
	mostDepth      = 8
	mostComponents = 256
	mostEntries1   = 960 // class 0x1: up to offset 0xF00 (ADIv5.2, D3.2)
	mostEntries9   = 512 // class 0x9: up to offset 0x800 (ADIv6, D3.3)
	chunk          = 16  // entries read at a time
)

// None says whether BASE of an access port names no component: all ones, or the
// format bit without the present bit (ADIv5.2, C2.6.1).
func None(base uint32) bool { return base == 0xFFFFFFFF || base&3 == 2 }

// Walk reads the component at BASE, and if it is a ROM table all that it lists.
// Loops and depth are bounded. On an error the tree holds what came before it.
func Walk(ctx context.Context, m Memory, base uint32) (*Component, error) {
	w := &walk{ctx: ctx, m: m, seen: map[uint32]bool{}}
	c, err := w.component(base&^0xFFF, 0)
	if err != nil {
		err = fmt.Errorf("romtable: %w", err)
	}
	return c, err
}

// Identify reads what the component at BASE says of itself; of a ROM table
// nothing that it lists.
func Identify(ctx context.Context, m Memory, base uint32) (*Component, error) {
	w := &walk{ctx: ctx, m: m, seen: map[uint32]bool{}}
	c, err := w.component(base&^0xFFF, mostDepth)
	if err != nil {
		return nil, fmt.Errorf("romtable: %w", err)
	}
	return c, nil
}

type walk struct {
	ctx  context.Context
	m    Memory
	seen map[uint32]bool
	n    int // components, those that were listed before among them
}

// component reads the identification block at the end of 4 KiB, from DEVARCH to
// CIDR3, and goes on into tables.
func (w *walk) component(addr uint32, depth int) (*Component, error) {
	c := &Component{Addr: addr}
	w.n++
	switch {
	case w.seen[addr]:
		c.Problem = "listed before"
		return c, nil
	case w.n > mostComponents:
		c.Problem = "too many components"
		return c, nil
	}
	w.seen[addr] = true
	var b [idWords * 4]byte
	if err := w.m.ReadMemory(w.ctx, addr+idFirst, b[:]); errors.Is(err, ErrFault) {
		c.Problem = "bus fault"
		return c, nil
	} else if err != nil {
		return c, err
	}
	format := c.identify(&b)
	if !c.isTable() {
		return c, nil
	}
	if depth == mostDepth {
		c.Problem = "nested too deep"
		return c, nil
	}
	return c, w.table(c, format, depth)
}

// table follows the entries of a ROM table: offset from the table in bits 31 to
// 12, and whether the component is there. An entry of 0 ends it.
func (w *walk) table(c *Component, format uint32, depth int) error {
	most := mostEntries1
	if c.Class == classCoreSight {
		most = mostEntries9
		if format != 0 {
			c.Problem = "entries of 64 bits"
			return nil
		}
	}
	var b [4 * chunk]byte
	for i := 0; i < most; i += chunk {
		if err := w.m.ReadMemory(w.ctx, c.Addr+uint32(4*i), b[:]); errors.Is(err, ErrFault) {
			c.Problem = fmt.Sprintf("bus fault at entry %d", i)
			return nil
		} else if err != nil {
			return err
		}
		for j := range chunk {
			entry := binary.LittleEndian.Uint32(b[4*j:])
			if entry == 0 {
				return nil
			}
			if entry&3 != 3 { // class 0x1: format and present; class 0x9: present
				continue
			}
			child, err := w.component(c.Addr+entry&^0xFFF, depth+1)
			c.Children = append(c.Children, child)
			if err != nil {
				return err
			}
			if w.n > mostComponents {
				return nil
			}
		}
	}
	return nil
}
