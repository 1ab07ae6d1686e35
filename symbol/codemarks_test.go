package symbol

import (
	"debug/elf"
	"testing"
)

// In a program at 0, the mapping symbols of .debug_frame have addresses that code has, too.
func TestMarksOfWhatIsNotLoaded(t *testing.T) {
	sections := []*elf.Section{
		{}, {SectionHeader: elf.SectionHeader{Name: ".text", Flags: elf.SHF_ALLOC | elf.SHF_EXECINSTR}}, {SectionHeader: elf.SectionHeader{Name: ".debug_frame"}},
	}
	m := newMapping([]elf.Symbol{
		{Name: "$t", Value: 0x600, Section: 1}, {Name: "$d", Value: 0x630, Section: 2}, {Name: "$d", Value: 0x640, Section: 1}, {Name: "$t", Value: 0x644, Section: elf.SHN_ABS},
	}, sections)
	for addr, want := range map[uint32]bool{0x600: true, 0x630: true, 0x63e: true, 0x640: false, 0x644: false} {
		if got := m.isCode(addr); got != want {
			t.Errorf("0x%x is code: %v, want %v", addr, got, want)
		}
	}
}
