package snapshot

import (
	"encoding/binary"
	"time"
)

// mostBlock is how many PCs a record can hold: what DAP_TransferBlock can count
// and one more. A damaged file cannot ask for more memory than that.
const mostBlock = 1 << 16

// appendBlock encodes a block: varints for seq, time, weight, spacing; state8
// miss8; varints for the number lost and the number of PCs; then the PCs, each as
// its signed distance from the one before (the first from 0), in 32 bits that wrap.
// A distance of 0 is followed by the number of further ones: a core that sleeps
// or waits gives the same PC again and again.
func appendBlock(b []byte, s *Snapshot) []byte {
	b = binary.AppendUvarint(b, s.Seq)
	for _, d := range [...]time.Duration{s.Time, s.Weight, s.Block.Spacing} {
		b = binary.AppendVarint(b, int64(d))
	}
	b = append(b, byte(s.State), byte(s.Miss))
	b = binary.AppendUvarint(b, uint64(s.Block.Lost))
	pcs := s.Block.PCs
	b = binary.AppendUvarint(b, uint64(len(pcs)))
	last := uint32(0)
	for i := 0; i < len(pcs); i++ {
		step := int32(pcs[i] - last)
		last = pcs[i]
		b = binary.AppendVarint(b, int64(step))
		if step == 0 {
			first := i
			for i+1 < len(pcs) && pcs[i+1] == last {
				i++
			}
			b = binary.AppendUvarint(b, uint64(i-first))
		}
	}
	return b
}

// block decodes what appendBlock wrote. The snapshot owns its memory.
func (c *cursor) block() (*Snapshot, error) {
	s := &Snapshot{Seq: c.uvarint(), Block: &Block{}}
	for _, d := range [...]*time.Duration{&s.Time, &s.Weight, &s.Block.Spacing} {
		*d = time.Duration(c.varint())
	}
	s.State, s.Miss = State(c.byte()), Miss(c.byte())
	lost, n := c.uvarint(), c.uvarint()
	if lost > mostBlock || n > mostBlock || lost+n > mostBlock {
		c.fail()
		lost, n = 0, 0
	}
	s.Block.Lost = int(lost)
	s.Block.PCs = c.pcs(int(n))
	return s, c.done()
}

// pcs decodes n PCs.
func (c *cursor) pcs(n int) []uint32 {
	pcs := make([]uint32, 0, n)
	last := uint32(0)
	for len(pcs) < n && c.err == nil {
		step := c.varint()
		if step != int64(int32(step)) {
			c.fail()
			break
		}
		last += uint32(step)
		pcs = append(pcs, last)
		if step != 0 {
			continue
		}
		again := c.uvarint()
		if again > uint64(n-len(pcs)) {
			c.fail()
			break
		}
		for range again {
			pcs = append(pcs, last)
		}
	}
	return pcs
}
