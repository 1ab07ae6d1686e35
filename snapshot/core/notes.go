package core

import (
	"bytes"
	"fmt"
)

// Types of notes, by owner.
const (
	ntPRStatus   = 1 // "CORE"
	ntGNUBuildID = 3 // "GNU"
)

const (
	maxThreads = 1024     // snapshots of one dump
	maxNotes   = 64 << 20 // bytes of notes of one dump, overlapping ones counted twice
)

// note is one entry of a PT_NOTE.
type note struct {
	at    uint64 // in the file
	owner string
	typ   uint32
	desc  []byte
}

// readNotes takes what is known of a PT_NOTE: registers and the build id. The
// floating-point registers (NT_FPREGSET, NT_ARM_VFP) say nothing of the stack.
func (d *Dump) readNotes(s *segment, m *machine) error {
	if d.notes += len(s.data); d.notes > maxNotes {
		return fmt.Errorf("segment %d (PT_NOTE): more than %d MiB of notes", s.number, maxNotes>>20)
	}
	for rest := s.data; len(rest) > 0; {
		if len(rest) < noteHead && len(bytes.Trim(rest, "\x00")) == 0 { // padding
			return nil
		}
		n, size, err := nextNote(rest, s.offset+uint64(len(s.data)-len(rest)))
		if err != nil {
			if s.cut && len(d.Threads) > 0 {
				d.remark("the dump is cut: %v", err)
				return nil
			}
			return fmt.Errorf("segment %d (PT_NOTE): %w", s.number, err)
		}
		rest = rest[size:]
		switch {
		case n.owner == "CORE" && n.typ == ntPRStatus:
			if err := d.addThread(n, m); err != nil {
				return err
			}
		case n.owner == "GNU" && n.typ == ntGNUBuildID && d.BuildID == nil:
			d.BuildID = n.desc
		}
	}
	return nil
}

// noteHead is the size of the three words that begin a note.
const noteHead = 12

// nextNote reads the note at the start of p, which is at offset at of the file:
// three words, name and descriptor, each padded to a word. size is how far the
// next one is.
func nextNote(p []byte, at uint64) (n note, size uint64, err error) {
	if len(p) < noteHead {
		return n, 0, fmt.Errorf("note at 0x%x: cut after %d bytes of its head", at, len(p))
	}
	nameSize, descSize := uint64(le.Uint32(p)), uint64(le.Uint32(p[4:]))
	desc := noteHead + (nameSize+3)&^3
	if desc+descSize > uint64(len(p)) {
		return n, 0, fmt.Errorf("note at 0x%x: a name of %d and a descriptor of %d bytes, but %d bytes are left", at, nameSize, descSize, len(p)-noteHead)
	}
	n = note{at: at, typ: le.Uint32(p[8:]), desc: p[desc : desc+descSize]}
	n.owner = string(bytes.TrimRight(p[noteHead:noteHead+nameSize], "\x00"))
	return n, min(desc+(descSize+3)&^3, uint64(len(p))), nil
}

// addThread reads NT_PRSTATUS.
func (d *Dump) addThread(n note, m *machine) error {
	if len(d.Threads) == maxThreads {
		return fmt.Errorf("note NT_PRSTATUS at 0x%x: more than %d threads", n.at, maxThreads)
	}
	for _, l := range m.layouts {
		if uint32(len(n.desc)) != l.size {
			continue
		}
		var t Thread
		if l.id != 0 {
			t.ID = le.Uint32(n.desc[l.id:])
		}
		for i, r := range m.registers[:l.words] {
			v := le.Uint32(n.desc[l.registers+4*uint32(i):])
			if r != noReg && !m.absent(r, v) {
				t.Snapshot.Regs.Set(r, v)
			}
		}
		if all := len(m.registers); int(l.words) < all {
			d.remark("note NT_PRSTATUS at 0x%x: it has room for %d of %d registers: %v to %v are missing", n.at, l.words, all, m.registers[l.words], m.registers[all-1])
		}
		d.Threads = append(d.Threads, t)
		return nil
	}
	return fmt.Errorf("note NT_PRSTATUS at 0x%x: %d bytes, that of %v has %d", n.at, len(n.desc), m.arch, m.layouts[0].size)
}
