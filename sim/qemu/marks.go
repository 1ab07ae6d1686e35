package qemu

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// marks is the plugin's input: the format stands at the head of calls.c.
func (p *program) marks(c *Count) ([]byte, error) {
	var b bytes.Buffer
	image, base, err := p.image()
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(&b, "b %x\n", base)
	for _, kind := range []struct {
		letter byte
		names  []string
	}{{'f', c.Functions}, {'h', c.Hooks}} {
		for _, name := range kind.names {
			at, err := p.address(name)
			if err != nil {
				return nil, err
			}
			fmt.Fprintf(&b, "%c %x\n", kind.letter, at)
			if kind.letter == 'f' {
				p.named[at] = name
			}
		}
	}
	if err := p.handlers(&b, image, c.Handlers); err != nil {
		return nil, err
	}
	if err := p.tasks(&b, c); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// image is the code, which begins with the vector table.
func (p *program) image() ([]byte, uint32, error) {
	i := slices.IndexFunc(p.file.Progs, func(s *elf.Prog) bool { return s.Type == elf.PT_LOAD && s.Flags&elf.PF_X != 0 && s.Filesz > 8 })
	if i < 0 {
		return nil, 0, errors.New("qemu: no executable segment")
	}
	s := p.file.Progs[i]
	data := make([]byte, s.Filesz)
	if _, err := s.ReadAt(data, 0); err != nil {
		return nil, 0, fmt.Errorf("qemu: segment at 0x%08x: %w", s.Vaddr, err)
	}
	return data, uint32(s.Vaddr), nil
}

// handlers are those of the vector table (DDI 0403E, B1.5.3), up to the first word that is
// no address of the code.
func (p *program) handlers(b *bytes.Buffer, image []byte, apart []string) error {
	var names []uint32
	for _, name := range apart {
		at, err := p.address(name)
		if err != nil {
			return err
		}
		names = append(names, at)
	}
	met := map[uint32]bool{}
	for n := 1; n < 256 && n*4+4 <= len(image); n++ {
		word := binary.LittleEndian.Uint32(image[n*4:])
		at := word &^ 1
		switch {
		case word == 0 || met[at]:
			continue
		case word&1 == 0 || !p.isFunction(at):
			return nil
		}
		met[at] = true
		switch {
		case n == 1:
			fmt.Fprintf(b, "r %x\n", at)
		case slices.Contains(names, at):
			fmt.Fprintf(b, "x %x %d\n", at, n)
		default:
			fmt.Fprintf(b, "y %x %d\n", at, n)
		}
	}
	return nil
}

func (p *program) tasks(b *bytes.Buffer, c *Count) error {
	if c.Resume == "" {
		return nil
	}
	at, err := p.address(c.Resume)
	if err != nil {
		return err
	}
	fmt.Fprintf(b, "s %x\n", at)
	for id, name := range c.Stacks {
		s, ok := p.symbols[name]
		if !ok {
			return fmt.Errorf("qemu: no symbol %s", name)
		}
		fmt.Fprintf(b, "t %x %x %d\n", s.Value, s.Value+s.Size, id)
	}
	return nil
}

func (p *program) address(name string) (uint32, error) {
	s, ok := p.symbols[name]
	if !ok {
		return 0, fmt.Errorf("qemu: no symbol %s", name)
	}
	return uint32(s.Value) &^ 1, nil
}

func (p *program) isFunction(at uint32) bool {
	for _, s := range p.symbols {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC && uint32(s.Value)&^1 == at {
			return true
		}
	}
	return false
}
