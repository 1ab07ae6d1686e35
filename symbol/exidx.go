package symbol

import "debug/elf"

// Numbers of the ELF for the ARM architecture (AAELF32, 5.3.1 and 6.1).
const (
	sectionExidx = elf.SectionType(0x70000001) // SHT_ARM_EXIDX
	segmentExidx = elf.ProgType(0x70000001)    // PT_ARM_EXIDX
)

// Exidx is where the index table for exception handling lies (.ARM.exidx).
// ReadCode reads it, and the .ARM.extab that it refers to.
func (im *Image) Exidx() (Range, bool) {
	for _, p := range im.file.Progs {
		if p.Type == segmentExidx && p.Filesz > 0 {
			return im.held(clampedRange(p.Vaddr, p.Filesz))
		}
	}
	for _, s := range im.file.Sections {
		if s.Type == sectionExidx && s.Size > 0 {
			return im.held(clampedRange(s.Addr, s.Size))
		}
	}
	return Range{}, false
}

// held gives r back if the segments hold its first and last word.
func (im *Image) held(r Range) (Range, bool) {
	var word [4]byte
	if r.size() < 8 || !im.ReadCode(r.Low, word[:]) || !im.ReadCode(r.High-4, word[:]) {
		return Range{}, false
	}
	return r, true
}
