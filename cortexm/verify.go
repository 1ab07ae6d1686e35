package cortexm

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
)

// Segment is a piece of the image that the program does not change: where it
// is on the target and what is there.
type Segment struct {
	Addr uint32
	Data []byte
}

// MismatchError says that the target holds something else than the image.
type MismatchError struct {
	Addr      uint32
	Want, Got uint32 // the image's word and the target's
}

func (e *MismatchError) Error() string {
	return fmt.Sprintf("cortexm: the target runs another program: 0x%08x holds 0x%08x, the ELF says 0x%08x", e.Addr, e.Got, e.Want)
}

// Places that VerifyImage looks at: so many bytes at so many points of a
// segment, both ends included. 17 points of 64 bytes find a program that was
// linked anew, because one changed function moves all code behind it.
const (
	verifyPoints = 17
	verifyBytes  = 64
)

// VerifyImage compares the target with the image at the start, the end and
// evenly between, in every segment. The vector table is the start of the
// lowest one. Only words that the segment holds whole are compared. The core
// may run meanwhile. The error is a *MismatchError where they differ.
func (c *Core) VerifyImage(ctx context.Context, segments []Segment) error {
	for _, s := range segments {
		for _, at := range verifyOffsets(s) {
			n := min(verifyBytes, (len(s.Data)-at)&^3)
			if err := c.verify(ctx, s.Addr+uint32(at), s.Data[at:at+n]); err != nil {
				return err
			}
		}
	}
	return nil
}

// verifyOffsets are where to look in a segment: word-aligned on the target.
func verifyOffsets(s Segment) (offsets []int) {
	first := int(-s.Addr & 3)
	last := (len(s.Data)-first)&^3 + first - verifyBytes
	if last <= first {
		if len(s.Data)-first < 4 {
			return nil
		}
		return []int{first}
	}
	previous := -1
	for i := range verifyPoints {
		at := first + (last-first)*i/(verifyPoints-1)&^3
		if at != previous {
			offsets = append(offsets, at)
		}
		previous = at
	}
	return offsets
}

func (c *Core) verify(ctx context.Context, addr uint32, want []byte) error {
	got := make([]byte, len(want))
	if err := c.p.ReadMemory(ctx, addr, got); err != nil {
		return fmt.Errorf("cortexm: verify 0x%08x+%d: %w", addr, len(want), err)
	}
	if bytes.Equal(got, want) {
		return nil
	}
	for i := 0; i+4 <= len(want); i += 4 {
		w, g := binary.LittleEndian.Uint32(want[i:]), binary.LittleEndian.Uint32(got[i:])
		if w != g {
			return &MismatchError{Addr: addr + uint32(i), Want: w, Got: g}
		}
	}
	return nil
}
