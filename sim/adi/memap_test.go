package adi

import (
	"encoding/binary"
	"testing"
)

// TAR counts within 1 KiB and wraps to its start.
func TestTARWrapsAt1KiB(t *testing.T) {
	for _, c := range []struct {
		size       uint32
		from, want uint32
	}{
		{2, 0x200003fc, 0x20000000}, {2, 0x20000bfc, 0x20000800}, {2, 0x20000400, 0x20000404},
		{1, 0x200003fe, 0x20000000}, {0, 0x200003ff, 0x20000000}, {0, 0x20000001, 0x20000002},
	} {
		b := newBench(t)
		b.setUp(0x23000010|c.size, c.from)
		b.posted(rAC)
		if tar := b.posted(rA4); tar != c.want {
			t.Errorf("size %d from 0x%08x: TAR 0x%08x, want 0x%08x", 1<<c.size, c.from, tar, c.want)
		}
	}
}

// Cortex-M3 and M4 count within 4 KiB.
func TestTARBlock(t *testing.T) {
	for _, c := range []struct{ from, want uint32 }{{0x200003fc, 0x20000400}, {0x20000ffc, 0x20000000}} {
		b := newBench(t)
		b.Port.cfg.TARBlock = 4 << 10
		b.setUp(0x23000012, c.from)
		b.posted(rAC)
		if tar := b.posted(rA4); tar != c.want {
			t.Errorf("from 0x%08x: TAR 0x%08x, want 0x%08x", c.from, tar, c.want)
		}
	}
}

func TestNoIncrement(t *testing.T) {
	b := newBench(t)
	b.setUp(0x23000002, 0x20000010)
	b.read(rAC)
	b.write(wAC, 5)
	if tar := b.posted(rA4); tar != 0x20000010 {
		t.Errorf("TAR 0x%08x", tar)
	}
}

// A failed access leaves TAR where it is.
func TestNoIncrementOnError(t *testing.T) {
	b := newBench(t)
	b.setUp(0x23000012, 0x20000ffc)
	b.write(wAC, 1) // wraps to 0x20000c00
	b.write(wA4, 0x20001000)
	b.write(wAC, 1)
	b.write(wABORT, 0x1e)
	if tar := b.posted(rA4); tar != 0x20001000 {
		t.Errorf("TAR 0x%08x", tar)
	}
}

// BD0 to BD3 reach the four words around TAR and never move it.
func TestBankedData(t *testing.T) {
	b := newBench(t)
	for i := range 8 {
		binary.LittleEndian.PutUint32(b.bus.data[4*i:], 0x1000+uint32(i))
	}
	b.setUp(0x23000012, 0x20000018) // second word of the second line of 16
	b.write(wSELECT, 0x10)
	for i, req := range []uint8{rA0, rA4, rA8, rAC} {
		if v := b.posted(req); v != 0x1004+uint32(i) {
			t.Errorf("BD%d 0x%08x", i, v)
		}
	}
	b.write(wA8, 0xabcd)
	if v := binary.LittleEndian.Uint32(b.bus.data[0x18:]); v != 0xabcd {
		t.Errorf("BD2 wrote 0x%08x", v)
	}
	b.write(wSELECT, 0)
	if tar := b.posted(rA4); tar != 0x20000018 {
		t.Errorf("TAR 0x%08x", tar)
	}
}

// Bytes and halfwords travel on the lanes that their address names.
func TestByteLanes(t *testing.T) {
	b := newBench(t)
	b.setUp(0x23000010, 0x20000000)
	for _, v := range []uint32{0x11, 0x2200, 0x330000, 0x44000000} {
		b.write(wAC, v)
	}
	if v := binary.LittleEndian.Uint32(b.bus.data[:]); v != 0x44332211 {
		t.Errorf("bytes wrote 0x%08x", v)
	}
	b.setUp(0x23000011, 0x20000002)
	if v := b.posted(rAC); v != 0x44330000 {
		t.Errorf("halfword read 0x%08x", v)
	}
}

// Packed increments make as many accesses as fill the word.
func TestPacked(t *testing.T) {
	b := newBench(t)
	copy(b.bus.data[:], []byte{1, 2, 3, 4, 5, 6, 7, 8})
	b.setUp(0x23000020, 0x20000000)
	b.bus.log = nil
	if v := b.posted(rAC); v != 0x04030201 || len(b.bus.log) != 4 {
		t.Errorf("0x%08x in %d accesses", v, len(b.bus.log))
	}
	if tar := b.posted(rA4); tar != 0x20000004 {
		t.Errorf("TAR 0x%08x", tar)
	}
	b.setUp(0x23000021, 0x20000004)
	b.bus.log = nil
	b.write(wAC, 0x0a0b0c0d)
	if v := binary.LittleEndian.Uint32(b.bus.data[4:]); v != 0x0a0b0c0d || len(b.bus.log) != 2 {
		t.Errorf("0x%08x in %d accesses", v, len(b.bus.log))
	}
}

func TestUnalignedIsAnError(t *testing.T) {
	b := newBench(t)
	b.setUp(0x23000012, 0x20000002)
	b.read(rAC)
	if s := b.read(rCTRLSTAT); s&STICKYERR == 0 {
		t.Error("a word at 0x20000002 was read")
	}
}

func TestCSWReadsBackWhatIsThere(t *testing.T) {
	for v, want := range map[uint32]uint32{
		0x23000012: 0x23000052, 0x23000007: 0x23000042, 0x23000030: 0x23000040, 0xa2000002: 0xa2000042,
	} {
		b := newBench(t)
		b.setUp(v, 0)
		if got := b.posted(rA0); got != want {
			t.Errorf("CSW 0x%08x reads 0x%08x, want 0x%08x", v, got, want)
		}
	}
}
