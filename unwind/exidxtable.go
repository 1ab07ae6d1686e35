package unwind

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sort"
)

// exidxTable is the index table of exception handling (EHABI32, IHI 0038, §6):
// for every entry the address at which its code begins and what to do there. The
// tables of several images are one.
type exidxTable struct {
	entries []exidxEntry // by low
	err     error        // why one ends before its section does
}

type exidxEntry struct {
	low  uint32 // covers [low, low of the next entry)
	word uint32 // cantUnwind, the instructions themselves, or the distance to them
	at   uint32 // address of the entry
	off  uint32 // and its place in its section
}

const (
	cantUnwind   = 1 // EXIDX_CANTUNWIND
	exidxSection = ".ARM.exidx"
	maxExidx     = 1 << 19 // entries: 4 MB
)

var (
	errExidxOrder   = errors.New("functions are not in ascending order")
	errExidxMany    = errors.New("too many entries")
	errExidxRead    = errors.New("not in the image")
	errExidxBit     = errors.New("bit 31 of a distance to a function is set")
	errExidxOddSize = errors.New("ends inside an entry")
)

// prel31 is the address that a 31-bit distance at addr leads to.
func prel31(addr, word uint32) uint32 { return addr + signExtend(word&0x7fffffff, 31) }

// read decodes the index of an image once: O(entries). What is behind an error
// is not used.
func (t *exidxTable) read(c *code, r Range) {
	first := len(t.entries)
	defer func() {
		if first > 0 {
			slices.SortStableFunc(t.entries, func(a, b exidxEntry) int { return cmp.Compare(a.low, b.low) })
		}
	}()
	size := r.High - r.Low
	if r.High < r.Low {
		size = 0
	}
	const chunk = 1 << 9 // entries
	var p [8 * chunk]byte
	good := true
	for off := uint32(0); off < size && good; {
		n := min(size-off, uint32(len(p)))
		if n%8 != 0 {
			good = t.fail(size&^7, errExidxOddSize)
			n &^= 7
		}
		if n > 0 && (c.p.ReadCode == nil || !c.p.ReadCode(r.Low+off, p[:n])) {
			t.fail(off, errExidxRead)
			return
		}
		for i := uint32(0); i < n; i += 8 {
			if !t.add(first, r.Low, off+i, p[i:], c.m.codeMask) {
				return
			}
		}
		off += max(n, 8)
	}
}

// add takes the entry at off of a section, whose bytes begin p; first is the
// section's first.
func (t *exidxTable) add(first int, section, off uint32, p []byte, mask uint32) bool {
	word := binary.LittleEndian.Uint32(p)
	e := exidxEntry{prel31(section+off, word) & mask, binary.LittleEndian.Uint32(p[4:]), section + off, off}
	switch n := len(t.entries); {
	case word>>31 != 0:
		return t.fail(off, errExidxBit)
	case n > first && e.low < t.entries[n-1].low:
		return t.fail(off, errExidxOrder)
	case n == maxExidx:
		return t.fail(off, errExidxMany)
	}
	t.entries = append(t.entries, e)
	return true
}

// fail notes the first error; it is false.
func (t *exidxTable) fail(off uint32, err error) bool {
	if t.err == nil {
		t.err = &DecodeError{Section: exidxSection, Offset: off, Err: err}
	}
	return false
}

// lookup gives the number of the entry around pc and the addresses that it
// covers, up to limit where no other follows.
func (t *exidxTable) lookup(pc, limit uint32) (i int, covers Range, ok bool) {
	n := sort.Search(len(t.entries), func(i int) bool { return t.entries[i].low > pc })
	if n == 0 || n == len(t.entries) && t.err != nil {
		return 0, Range{}, false
	}
	covers = Range{t.entries[n-1].low, limit}
	if n < len(t.entries) {
		covers.High = min(limit, t.entries[n].low)
	}
	return n - 1, covers, covers.Contains(pc)
}

// ops are the unwinding instructions of entry i, which is not cantUnwind (§6,
// §7.2, §10.2): in the index itself, or in .ARM.extab behind the number of a
// personality routine, or behind the address of one. The routines of C++, of Rust
// and of GCC's C all keep them as number 1 does, whatever data of theirs
// follows.
func (t *exidxTable) ops(c *code, i int) ([]byte, error) {
	e := t.entries[i]
	off, word := e.off, e.word
	if word>>31 != 0 {
		ops, err := t.compact(c, 0, word)
		return ops, t.located(off+4, 0, err)
	}
	at := prel31(e.at+4, word)
	word, ok := c.word(at)
	if !ok {
		return nil, t.located(off+4, at, errExidxRead)
	}
	if word>>31 != 0 {
		ops, err := t.compact(c, at, word)
		return ops, t.located(off+4, at, err)
	}
	ops, err := t.behind(c, at+4)
	return ops, t.located(off+4, at, err)
}

// located says where an error is: at the entry of the index, and in its table.
func (t *exidxTable) located(off, table uint32, err error) error {
	switch {
	case err == nil:
		return nil
	case table != 0:
		err = fmt.Errorf(".ARM.extab 0x%08x: %w", table, err)
	}
	return &DecodeError{Section: exidxSection, Offset: off, Err: err}
}

// compact decodes the model of the ABI's own routines: word is 1000iiii and
// three bytes, instructions for routine 0, for 1 and 2 first how many words
// follow. at is its address, 0 in the index, where only routine 0 may be.
func (t *exidxTable) compact(c *code, at, word uint32) ([]byte, error) {
	switch routine := word >> 24; {
	case routine == 0x80:
		return []byte{byte(word >> 16), byte(word >> 8), byte(word)}, nil
	case at != 0 && (routine == 0x81 || routine == 0x82):
		return c.ehWords([]byte{byte(word >> 8), byte(word)}, at+4, word>>16&0xff)
	}
	return nil, fmt.Errorf("no compact model: 0x%08x", word)
}

// behind decodes what stands behind the address of a routine: how many words
// follow, and three instructions in the same word.
func (t *exidxTable) behind(c *code, at uint32) ([]byte, error) {
	word, ok := c.word(at)
	if !ok {
		return nil, errExidxRead
	}
	return c.ehWords([]byte{byte(word >> 16), byte(word >> 8), byte(word)}, at+4, word>>24)
}

// ehWords appends n words of instructions, each with its first in the top byte.
func (c *code) ehWords(ops []byte, at, n uint32) ([]byte, error) {
	for ; n > 0; n-- {
		word, ok := c.word(at)
		if !ok {
			return nil, errExidxRead
		}
		ops = binary.BigEndian.AppendUint32(ops, word)
		at += 4
	}
	return ops, nil
}
