package sampling

import (
	"encoding/binary"
	"testing"

	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/symbol"
)

// TestWaits: what looks like WFI and is the second half of another instruction is none.
func TestWaits(t *testing.T) {
	for name, c := range map[string]struct {
		arch snapshot.Arch
		code []uint16
		at   int // halfwords
		want bool
	}{
		"behind WFI":           {snapshot.CortexM, []uint16{0xbf00, 0xbf30, 0xe7fd}, 2, true},
		"at WFI":               {snapshot.CortexM, []uint16{0xbf00, 0xbf30, 0xe7fd}, 1, true},
		"after the loop":       {snapshot.CortexM, []uint16{0xbf30, 0xbf00, 0xe7fd}, 2, false},
		"behind WFE":           {snapshot.CortexM, []uint16{0xbf20, 0xe7fd}, 1, true},
		"behind WFI.W":         {snapshot.CortexM, []uint16{0xf3af, 0x8003, 0xe7fc}, 2, true},
		"BL before WFI":        {snapshot.CortexM, []uint16{0xf7ff, 0xfd12, 0xbf30, 0xe7fd}, 3, true},
		"LDR r11, [r0, 3888]":  {snapshot.CortexM, []uint16{0xf8d0, 0xbf30, 0xe7fc}, 2, false},
		"behind wfi of RISC-V": {snapshot.RV32, []uint16{0x0001, 0x0073, 0x1050, 0xbff5}, 3, true},
		"behind mret":          {snapshot.RV32, []uint16{0x0001, 0x0073, 0x3020, 0xbff5}, 3, false},
	} {
		var of function
		for _, h := range c.code {
			of = binary.LittleEndian.AppendUint16(of, h)
		}
		if got := waits(of, c.arch, 0x1000+uint32(2*c.at)); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// function is one at 0x1000.
type function []byte

func (f function) ReadCode(addr uint32, p []byte) bool {
	at := int(addr) - 0x1000
	return at >= 0 && at+len(p) <= len(f) && copy(p, f[at:]) == len(p)
}

func (f function) Bounds(pc uint32) (symbol.Range, bool) {
	r := symbol.Range{Low: 0x1000, High: 0x1000 + uint32(len(f))}
	return r, r.Contains(pc)
}
