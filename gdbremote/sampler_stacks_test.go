package gdbremote

import (
	"encoding/binary"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mprof/mprof/snapshot"
)

// FuzzStackEnds: whatever registers a target has and whatever unwinding makes of them,
// windows begin at stack pointers, are bounded, and what is remembered is, too.
func FuzzStackEnds(f *testing.F) {
	f.Add([]byte{0, 0x10, 0, 0x20, 0, 2, 0, 0x20, 15, 0, 0, 0, 0xf0, 0x0f, 0, 0x20})
	f.Add([]byte{0xfc, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0, 4, 0, 0, 0})
	f.Add(make([]byte, 64))
	f.Fuzz(func(t *testing.T, data []byte) {
		data = data[:min(len(data), 1<<10)]
		e := newStackEnds([]uint32{ramAt + 0x1000}, []Range{{ramAt, ramAt + 0x2000}})
		for ; len(data) >= 16; data = data[16:] {
			sp, high, xpsr, psp := binary.LittleEndian.Uint32(data), binary.LittleEndian.Uint32(data[4:]), binary.LittleEndian.Uint32(data[8:]), binary.LittleEndian.Uint32(data[12:])
			s := &snapshot.Snapshot{}
			s.Regs.Set(snapshot.SP, sp)
			s.Regs.Set(snapshot.XPSR, xpsr)
			s.Regs.Set(snapshot.PSP, psp)
			s.Regs.Set(snapshot.MSP, sp^psp)
			for _, r := range e.wanted(&s.Regs) {
				if r.High <= r.Low || r.High-r.Low > mostDepth {
					t.Fatalf("window 0x%08x to 0x%08x", r.Low, r.High)
				}
				if xpsr&1 == 0 {
					s.Windows = append(s.Windows, snapshot.Window{Addr: r.Low, Data: make([]byte, r.High-r.Low)})
				}
			}
			for _, w := range e.guesses() {
				if w.Size <= 0 || w.Size > mostDepth {
					t.Fatalf("guess of %d bytes at 0x%08x", w.Size, w.Addr)
				}
			}
			if xpsr&2 != 0 {
				e.noteEnd(high)
			}
			e.learn(s, []Range{{sp, high}, {psp, psp + 16}, {high, sp}})
			if len(e.ends) > mostEnds || len(e.over) > mostEnds || len(e.seen) > mostSeen || len(e.wrong) > mostSeen {
				t.Fatalf("%d ends, %d, %d", len(e.ends), len(e.over), len(e.seen))
			}
		}
	})
}

// TestMissingOf: what a window holds of a range is not asked for again.
func TestMissingOf(t *testing.T) {
	have := []snapshot.Window{{Addr: 0x100, Data: make([]byte, 0x40)}, {Addr: 0x180, Data: make([]byte, 0x20)}}
	for _, c := range []struct {
		r    Range
		want []Window
	}{
		{Range{0x100, 0x140}, nil},
		{Range{0x110, 0x130}, nil},
		{Range{0x0f0, 0x120}, []Window{{0x0f0, 0x10}}},
		{Range{0x120, 0x160}, []Window{{0x140, 0x20}}},
		{Range{0x120, 0x1a0}, []Window{{0x140, 0x40}}},
		{Range{0x200, 0x210}, []Window{{0x200, 0x10}}},
		{Range{0x0f0, 0x150}, []Window{{0x0f0, 0x60}}},
	} {
		if d := cmp.Diff(c.want, missingOf([]Range{c.r}, have)); d != "" {
			t.Errorf("%x: %s", c.r, d)
		}
	}
}
