package sim

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"io"

	"github.com/mprof/mprof/sim/armv7m"
)

// image is a program ready to run: memory, vector table and architecture.
type image struct {
	arch    armv7m.Arch
	fp      floatingPoint
	fpu     bool // the core gets a floating-point unit
	flags   uint32
	regions []armv7m.Region
	vectors uint32
	file    *elf.File
	parts   []part
	remarks []string
}

// loadImage reads an ELF for a Cortex-M. Errors are sentences about the file.
func loadImage(b []byte) (*image, error) {
	f, err := elf.NewFile(bytes.NewReader(b))
	if err != nil {
		if len(b) < 4 || string(b[:4]) != elf.ELFMAG {
			return nil, errors.New("not an ELF file")
		}
		return nil, fmt.Errorf("a damaged ELF file: %w", err)
	}
	switch {
	case f.Machine != elf.EM_ARM:
		return nil, fmt.Errorf("an ELF for %s, not for ARM", machineName(f.Machine))
	case f.Class != elf.ELFCLASS32 || f.Data != elf.ELFDATA2LSB:
		return nil, errors.New("an ELF for big-endian or 64-bit ARM, not for a Cortex-M")
	}
	img := &image{file: f, flags: elfFlags(b)}
	if err := img.readArch(); err != nil {
		return nil, err
	}
	parts, err := loadable(f)
	if err != nil {
		return nil, err
	}
	img.parts = parts
	sp, err := img.findVectors(parts)
	if err != nil {
		return nil, err
	}
	img.regions, err = layOut(parts, sp)
	return img, err
}

// machineName is the processor without debug/elf's prefix.
func machineName(m elf.Machine) string {
	if s := m.String(); len(s) > 3 {
		return s[3:]
	}
	return m.String()
}

// part is a loadable segment: its bytes at the load address, and the memory
// that it occupies when the program runs.
type part struct {
	load      uint32 // p_paddr
	data      []byte
	run, size uint32 // p_vaddr, p_memsz
	exec, ram bool
	writeable bool
}

// loadable reads the PT_LOAD segments. A segment whose load and run addresses
// differ, or that lies in a RAM area of the memory map (DDI 0403E, B3.1), is
// RAM while the program runs.
func loadable(f *elf.File) ([]part, error) {
	var parts []part
	for _, p := range f.Progs {
		if p.Type != elf.PT_LOAD || p.Memsz == 0 {
			continue
		}
		if p.Filesz > p.Memsz || p.Vaddr+p.Memsz > 1<<32 || p.Paddr+p.Filesz > 1<<32 || p.Memsz > mostMemory {
			return nil, fmt.Errorf("a damaged ELF file: segment of 0x%x bytes at 0x%08x", p.Memsz, p.Vaddr)
		}
		data, err := io.ReadAll(p.Open())
		if err != nil || uint64(len(data)) != p.Filesz {
			return nil, fmt.Errorf("a truncated ELF file: the segment at 0x%08x is not all there", p.Vaddr)
		}
		parts = append(parts, part{
			load: uint32(p.Paddr), data: data, run: uint32(p.Vaddr), size: uint32(p.Memsz),
			exec: p.Flags&elf.PF_X != 0, writeable: p.Flags&elf.PF_W != 0,
			ram: p.Paddr != p.Vaddr || isRAM(uint32(p.Vaddr)),
		})
	}
	if len(parts) == 0 {
		return nil, errors.New("an ELF without anything to load; a linked program is needed, not an object file")
	}
	return parts, nil
}

// isRAM: SRAM and external RAM of the ARMv7-M memory map.
func isRAM(addr uint32) bool {
	return addr >= 0x20000000 && addr < 0x40000000 || addr >= 0x60000000 && addr < 0xa0000000
}
