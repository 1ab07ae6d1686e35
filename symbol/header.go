package symbol

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
)

// Sizes of the records of a 32-bit ELF (System V gABI, chapter 4).
const (
	ehdrSize = 52
	phdrSize = 32
	shdrSize = 40
)

// maxSegments bounds the loadable segments: reading code asks them in turn.
const maxSegments = 1024

// header is the ELF header as far as its tables go.
type header struct {
	typ, machine       uint16
	phoff, shoff       uint32
	phentsize, phnum   uint16
	shentsize, shnum   uint16
	shstrndx           uint16
	sectionNames       []byte
	programs, sections []byte
	size               int64
}

// checkHeader reads the ELF header and its tables from a file of size bytes
// and returns a sentence without the file's name where it is no complete
// 32-bit little-endian executable for one of the machines.
func checkHeader(r io.ReaderAt, size int64, machines ...elf.Machine) error {
	head := make([]byte, min(size, 256))
	if _, err := r.ReadAt(head, 0); err != nil && err != io.EOF {
		return err
	}
	if len(head) < 4 || string(head[:4]) != elf.ELFMAG {
		return fmt.Errorf("%s", identify(head, size))
	}
	if len(head) < ehdrSize {
		return fmt.Errorf("is truncated: an ELF header has %d bytes, the file only %d", ehdrSize, size)
	}
	if err := checkIdent(head, machines); err != nil {
		return err
	}
	h := header{
		typ: binary.LittleEndian.Uint16(head[16:]), machine: binary.LittleEndian.Uint16(head[18:]),
		phoff: binary.LittleEndian.Uint32(head[28:]), shoff: binary.LittleEndian.Uint32(head[32:]),
		phentsize: binary.LittleEndian.Uint16(head[42:]), phnum: binary.LittleEndian.Uint16(head[44:]),
		shentsize: binary.LittleEndian.Uint16(head[46:]), shnum: binary.LittleEndian.Uint16(head[48:]),
		shstrndx: binary.LittleEndian.Uint16(head[50:]), size: size,
	}
	if err := h.checkType(); err != nil {
		return err
	}
	if err := h.readTables(r); err != nil {
		return err
	}
	return h.checkExtents()
}

// checkIdent looks at e_ident and e_machine, which every ELF has at the same
// place.
func checkIdent(head []byte, machines []elf.Machine) error {
	big := head[elf.EI_DATA] == byte(elf.ELFDATA2MSB)
	var order binary.ByteOrder = binary.LittleEndian
	if big {
		order = binary.BigEndian
	}
	machine := elf.Machine(order.Uint16(head[18:]))
	is64 := head[elf.EI_CLASS] == byte(elf.ELFCLASS64)
	switch {
	case !slices.Contains(machines, machine) || is64 && machine == elf.EM_RISCV:
		return fmt.Errorf("is an ELF for %s; mprof profiles 32-bit ARM (Cortex-M) and RISC-V programs", machineName(machine, is64))
	case is64:
		return fmt.Errorf("is a 64-bit ELF; Cortex-M programs are 32-bit ELF")
	case head[elf.EI_CLASS] != byte(elf.ELFCLASS32):
		return fmt.Errorf("is damaged: ELF class %d does not exist", head[elf.EI_CLASS])
	case big:
		return fmt.Errorf("is a big-endian ELF; mprof supports little-endian Cortex-M programs")
	case head[elf.EI_DATA] != byte(elf.ELFDATA2LSB):
		return fmt.Errorf("is damaged: ELF data encoding %d does not exist", head[elf.EI_DATA])
	}
	return nil
}

var machineNames = map[elf.Machine]string{
	elf.EM_X86_64: "x86-64", elf.EM_386: "x86", elf.EM_AARCH64: "64-bit ARM (AArch64)", elf.EM_RISCV: "RISC-V",
	elf.EM_XTENSA: "Xtensa", elf.EM_AVR: "AVR", elf.EM_MSP430: "MSP430", elf.EM_MIPS: "MIPS", elf.EM_PPC: "PowerPC",
	elf.EM_PPC64: "64-bit PowerPC", elf.EM_68K: "m68k", elf.EM_SH: "SuperH", elf.EM_SPARC: "SPARC", elf.EM_NONE: "no machine (e_machine is 0)",
	elf.EM_TRICORE: "TriCore", elf.EM_ARC_COMPACT: "ARC", elf.EM_ARC_COMPACT2: "ARCv2", elf.EM_BPF: "BPF", elf.EM_V850: "V850", elf.EM_RX: "Renesas RX",
}

func machineName(m elf.Machine, is64 bool) string {
	name, ok := machineNames[m]
	switch {
	case !ok:
		return fmt.Sprintf("another machine (e_machine %d)", uint16(m))
	case m == elf.EM_RISCV && is64:
		return "64-bit " + name
	}
	return name
}

func (h *header) checkType() error {
	switch elf.Type(h.typ) {
	case elf.ET_EXEC, elf.ET_DYN:
		return nil
	case elf.ET_REL:
		return fmt.Errorf("is a relocatable object (.o), not a linked program: its addresses are not final")
	case elf.ET_CORE:
		return fmt.Errorf("is a core dump, not a program")
	}
	return fmt.Errorf("is an ELF of type %d, not an executable", h.typ)
}

// readTables reads the program and section headers, after checking that the
// file holds them.
func (h *header) readTables(r io.ReaderAt) error {
	table := func(what string, off uint32, entsize, num uint16, want int) ([]byte, error) {
		if num == 0 {
			return nil, nil
		}
		if int(entsize) != want {
			return nil, fmt.Errorf("is damaged: the entries of its %s have %d bytes instead of %d", what, entsize, want)
		}
		n := int64(entsize) * int64(num)
		if int64(off)+n > h.size {
			return nil, fmt.Errorf("is truncated: its %s (%d entries) lies at file offset 0x%x..0x%x, but the file ends at 0x%x",
				what, num, off, int64(off)+n, h.size)
		}
		p := make([]byte, n)
		_, err := r.ReadAt(p, int64(off))
		return p, ignoreEOF(err)
	}
	if h.shnum == 0 && h.shoff != 0 {
		return fmt.Errorf("has a section header table of 65280 entries or more, or is damaged: firmware has some dozen")
	}
	var err error
	if h.programs, err = table("program header table", h.phoff, h.phentsize, h.phnum, phdrSize); err != nil {
		return err
	}
	if h.sections, err = table("section header table", h.shoff, h.shentsize, h.shnum, shdrSize); err != nil {
		return err
	}
	if int(h.shstrndx) >= int(h.shnum) {
		return nil
	}
	const flags = 8 // offset of sh_flags
	if elf.SectionFlag(binary.LittleEndian.Uint32(h.sections[int(h.shstrndx)*shdrSize+flags:]))&elf.SHF_COMPRESSED != 0 {
		return fmt.Errorf("is damaged: the names of its sections are compressed")
	}
	off, n := h.sectionExtent(int(h.shstrndx))
	if off+n <= h.size && n <= 1<<20 {
		h.sectionNames = make([]byte, n)
		_, err = r.ReadAt(h.sectionNames, off)
	}
	return ignoreEOF(err)
}

func ignoreEOF(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

func (h *header) sectionExtent(i int) (off, size int64) {
	s := h.sections[i*shdrSize:]
	if elf.SectionType(binary.LittleEndian.Uint32(s[4:])) == elf.SHT_NOBITS {
		return 0, 0
	}
	return int64(binary.LittleEndian.Uint32(s[16:])), int64(binary.LittleEndian.Uint32(s[20:]))
}

func (h *header) sectionName(i int) string {
	at := binary.LittleEndian.Uint32(h.sections[i*shdrSize:])
	if int64(at) < int64(len(h.sectionNames)) {
		name := h.sectionNames[at:]
		for j, c := range name {
			if c == 0 {
				return string(name[:j])
			}
		}
	}
	return fmt.Sprintf("number %d", i)
}

// checkExtents finds the first segment or section that passes the end of the
// file.
func (h *header) checkExtents() error {
	loads := 0
	for i := range int(h.phnum) {
		p := h.programs[i*phdrSize:]
		if elf.ProgType(binary.LittleEndian.Uint32(p)) != elf.PT_LOAD {
			continue
		}
		off, size := int64(binary.LittleEndian.Uint32(p[4:])), int64(binary.LittleEndian.Uint32(p[16:]))
		if size > 0 && off+size > h.size {
			return fmt.Errorf("is truncated: segment %d (for address 0x%08x) lies at file offset 0x%x..0x%x, but the file ends at 0x%x",
				i, binary.LittleEndian.Uint32(p[8:]), off, off+size, h.size)
		}
		if size > 0 {
			loads++
		}
	}
	for i := range int(h.shnum) {
		if off, size := h.sectionExtent(i); size > 0 && i > 0 && off+size > h.size {
			return fmt.Errorf("is truncated: section %s lies at file offset 0x%x..0x%x, but the file ends at 0x%x",
				h.sectionName(i), off, off+size, h.size)
		}
	}
	if loads > maxSegments {
		return fmt.Errorf("is damaged: it has %d loadable segments", loads)
	}
	if loads == 0 {
		return fmt.Errorf("has no loadable segment: it holds no program (a file of debug symbols only?)")
	}
	return nil
}
