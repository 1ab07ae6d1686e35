package core

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/mprof/mprof/snapshot"
)

// elfCore builds core files.
type elfCore struct {
	machine  uint16
	segments []testSegment
}

type testSegment struct {
	typ, vaddr, memsz uint32
	data              []byte
}

func (c elfCore) bytes() []byte {
	p := make([]byte, ehdrSize+phdrSize*len(c.segments))
	copy(p, elfMagic+"\x01\x01\x01")
	le.PutUint16(p[16:], typeCore)
	le.PutUint16(p[18:], c.machine)
	le.PutUint32(p[28:], ehdrSize)
	le.PutUint16(p[42:], phdrSize)
	le.PutUint16(p[44:], uint16(len(c.segments)))
	for i, s := range c.segments {
		h := p[ehdrSize+phdrSize*i:]
		for at, v := range map[int]uint32{0: s.typ, 4: uint32(len(p)), 8: s.vaddr, 16: uint32(len(s.data)), 20: s.memsz} {
			le.PutUint32(h[at:], v)
		}
		p = append(p, s.data...)
	}
	return p
}

// testNote is a note with its padding.
func testNote(owner string, typ uint32, desc []byte) []byte {
	p := make([]byte, 12)
	le.PutUint32(p, uint32(len(owner)+1))
	le.PutUint32(p[4:], uint32(len(desc)))
	le.PutUint32(p[8:], typ)
	p = append(p, owner...)
	p = append(p, make([]byte, 1+3-len(owner)%4)...)
	p = append(p, desc...)
	return append(p, make([]byte, -len(desc)&3)...)
}

// prstatus has the register words from first on, counting up.
func prstatus(size, id int, first uint32) []byte {
	p := make([]byte, size)
	le.PutUint32(p[24:], uint32(id))
	for at := 72; at+4 <= size; at += 4 {
		le.PutUint32(p[at:], first+uint32(at-72)/4)
	}
	return p
}

func armCore() elfCore {
	notes := append(testNote("CORE", ntPRStatus, prstatus(148, 7, 0x100)), testNote("LINUX", 0x400, make([]byte, 260))...)
	notes = append(notes, testNote("CORE", ntPRStatus, prstatus(148, 8, 0x200))...)
	notes = append(notes, testNote("GNU", ntGNUBuildID, []byte("abcdef"))...)
	return elfCore{40, []testSegment{
		{ptNote, 0, 0, notes},
		{ptLoad, 0x20000000, 0x1000, []byte("stack of 20 bytes...")},
		{ptLoad, 0x08000000, 4, []byte("code")},
	}}
}

func register(t *testing.T, s *snapshot.Snapshot, r snapshot.Reg) uint32 {
	t.Helper()
	v, ok := s.Regs.Value(r)
	if !ok {
		t.Errorf("no %v", r)
	}
	return v
}

func TestELFCore(t *testing.T) {
	d, err := Read(armCore().bytes(), "x.core")
	if err != nil {
		t.Fatal(err)
	}
	if d.Kind != ELF || d.Arch != snapshot.CortexM || len(d.Threads) != 2 || string(d.BuildID) != "abcdef" || d.Remarks != nil {
		t.Fatalf("%+v", d)
	}
	for i, first := range []uint32{0x100, 0x200} {
		s := &d.Threads[i].Snapshot
		for r := range snapshot.XPSR + 1 {
			if v := register(t, s, r); v != first+uint32(r) {
				t.Errorf("thread %d: %v is 0x%x", i, r, v)
			}
		}
		for _, r := range []snapshot.Reg{snapshot.MSP, snapshot.PSP, snapshot.CONTROL} {
			if _, ok := s.Regs.Value(r); ok {
				t.Errorf("thread %d has %v", i, r)
			}
		}
		// What p_memsz claims beyond the file was never captured.
		if len(s.Windows) != 2 || s.Windows[0].Addr != 0x20000000 || string(s.Windows[0].Data) != "stack of 20 bytes..." || cap(s.Windows[0].Data) != 20 {
			t.Errorf("thread %d: %v", i, s.Windows)
		}
		if _, ok := s.Word(0x20000014); ok {
			t.Errorf("thread %d: memory behind the file", i)
		}
	}
	if d.Threads[0].ID != 7 || d.Threads[1].ID != 8 {
		t.Errorf("threads %d and %d", d.Threads[0].ID, d.Threads[1].ID)
	}
}

func TestRISCVCore(t *testing.T) {
	d, err := Read(elfCore{243, []testSegment{{ptNote, 0, 0, testNote("CORE", ntPRStatus, prstatus(204, 1, 0x300))}}}.bytes(), "x.core")
	if err != nil {
		t.Fatal(err)
	}
	s := &d.Threads[0].Snapshot
	if d.Arch != snapshot.RV32 || register(t, s, snapshot.PC) != 0x300 || register(t, s, snapshot.X0+2) != 0x302 || register(t, s, snapshot.X0+31) != 0x31f {
		t.Errorf("%v %+v", d.Arch, s.Regs)
	}
	if len(d.Remarks) != 1 || !strings.Contains(d.Remarks[0], "no memory") {
		t.Errorf("remarks %q", d.Remarks)
	}
}

// gdb 13 writes 17 registers of 32.
func TestRISCVCoreOfGDB(t *testing.T) {
	d, err := Read(elfCore{243, []testSegment{{ptNote, 0, 0, testNote("CORE", ntPRStatus, prstatus(144, 1, 0x300))}}}.bytes(), "x.core")
	if err != nil {
		t.Fatal(err)
	}
	s := &d.Threads[0].Snapshot
	if register(t, s, snapshot.X0+16) != 0x310 || !strings.Contains(strings.Join(d.Remarks, "\n"), "room for 17 of 32 registers: x17 to x31 are missing") {
		t.Errorf("%q", d.Remarks)
	}
	if _, ok := s.Regs.Value(snapshot.X0 + 17); ok {
		t.Error("has x17")
	}
}

// A dump that ends early gives what it has, and says what is missing.
func TestELFCoreCut(t *testing.T) {
	whole := armCore().bytes()
	for n := range len(whole) {
		d, err := Read(whole[:n], "cut")
		switch {
		case err != nil && !strings.HasPrefix(err.Error(), "core: cut: "):
			t.Errorf("%d bytes: %v", n, err)
		case err == nil && len(d.Remarks) == 0:
			t.Errorf("%d of %d bytes read without a remark", n, len(whole))
		}
	}
	d, err := Read(whole[:len(whole)-10], "cut")
	if err != nil || len(d.Threads) != 2 || len(d.Threads[0].Snapshot.Windows[0].Data) != 14 || !strings.Contains(strings.Join(d.Remarks, "\n"), "segment 1 (0x20000000, 0x14 bytes) it has 0xe") {
		t.Errorf("%v %+v", err, d)
	}
}

func TestELFCoreErrors(t *testing.T) {
	change := func(at int, v byte) []byte {
		p := armCore().bytes()
		p[at] = v
		return p
	}
	notes := func(p []byte) []byte { return elfCore{40, []testSegment{{ptNote, 0, 0, p}}}.bytes() }
	many := bytes.Repeat(testNote("CORE", ntPRStatus, prstatus(148, 7, 0)), maxThreads+1)
	for _, c := range []struct {
		name string
		file []byte
		want string
	}{
		{"64-bit", change(4, 2), "ELF header+0x4: class 2"},
		{"big-endian", change(5, 2), "ELF header+0x5"},
		{"another machine", change(18, 62), "e_machine 62"},
		{"size of program headers", change(42, 56), "56 bytes instead of 32"},
		{"no program headers", change(44, 0), "no program headers"},
		{"a program", change(16, 2), "ELF that is no core file"},
		{"no registers", elfCore{40, []testSegment{{ptLoad, 0, 4, []byte("code")}}}.bytes(), "no NT_PRSTATUS"},
		{"note cut", notes([]byte{5, 0, 0, 0, 1}), "segment 0 (PT_NOTE): note at 0x54: cut"},
		{"note too long", notes(append([]byte{5, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0}, "CORE\x00\x00\x00\x00"...)), "note at 0x54: a name of 5 and a descriptor of 256 bytes, but 8"},
		{"another size of registers", notes(testNote("CORE", ntPRStatus, make([]byte, 336))), "note NT_PRSTATUS at 0x54: 336 bytes, that of Cortex-M has 148"},
		{"too many threads", notes(many), fmt.Sprintf("more than %d threads", maxThreads)},
		{"empty", nil, "is empty"},
		{"text", []byte("hello"), "neither an ELF core file nor"},
		{"recording", []byte("mprofrec\x01\x00\x00\x00"), "a recording"},
	} {
		if _, err := Read(c.file, "x"); err == nil || !strings.HasPrefix(err.Error(), "core: x: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// Segments that lie over each other many times ask for no more memory or time.
func TestELFCoreOverlapping(t *testing.T) {
	c := elfCore{machine: 40}
	c.segments = append(c.segments, testSegment{ptNote, 0, 0, bytes.Repeat(testNote("X", 9, make([]byte, 100)), 5000)})
	for range 40000 {
		c.segments = append(c.segments, testSegment{typ: ptNote})
	}
	p := c.bytes()
	for i := range c.segments {
		copy(p[ehdrSize+phdrSize*i:], p[ehdrSize:ehdrSize+phdrSize])
	}
	if _, err := Read(p, "x"); err == nil || !strings.Contains(err.Error(), "MiB of notes") {
		t.Error(err)
	}
}

func FuzzELFCore(f *testing.F) {
	whole := armCore().bytes()
	f.Add(whole)
	f.Add(whole[:len(whole)-40])
	f.Add(elfCore{243, []testSegment{{ptNote, 0, 0, testNote("CORE", ntPRStatus, prstatus(204, 1, 0))}}}.bytes())
	f.Fuzz(func(t *testing.T, p []byte) { checkRead(t, p) })
}

// checkRead wants a dump to be no larger than its file.
func checkRead(t *testing.T, p []byte) {
	d, err := Read(p, "fuzz")
	if err != nil {
		if d != nil {
			t.Fatal("both a dump and an error")
		}
		return
	}
	if len(d.Threads) == 0 || len(d.Threads) > maxThreads || len(d.Remarks) > maxRemarks {
		t.Fatalf("%d threads, %d remarks", len(d.Threads), len(d.Remarks))
	}
	for _, w := range d.Threads[0].Snapshot.Windows {
		if len(w.Data) == 0 || len(w.Data) > len(p) || uint64(w.Addr)+uint64(len(w.Data)) > 1<<32 {
			t.Fatalf("window 0x%08x+0x%x of a file of 0x%x bytes", w.Addr, len(w.Data), len(p))
		}
	}
}
