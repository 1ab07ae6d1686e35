package symbol

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
)

// Memory is that of a target, which may run meanwhile.
type Memory interface {
	ReadMemory(ctx context.Context, addr uint32, p []byte) error
}

// Stored lists what the program does not change: read-only segments, at the address
// where they are stored (Paddr). Initialised data is there in flash; what is loaded
// into RAM directly changes and is left out.
func (im *Image) Stored() (segments []Segment) {
	for _, s := range im.Segments() {
		if len(s.Data) == 0 || s.Write && s.Paddr == s.Vaddr {
			continue
		}
		segments = append(segments, s)
	}
	return segments
}

// MismatchError says that the target holds something else than the image.
type MismatchError struct {
	Addr      uint32
	Want, Got uint32 // the image's word and the target's
}

func (e *MismatchError) Error() string {
	return fmt.Sprintf("symbol: the target runs another program: 0x%08x holds 0x%08x, the ELF says 0x%08x", e.Addr, e.Got, e.Want)
}

// Places that Verify looks at: so many bytes at so many points of a
// segment, both ends included. 17 points of 64 bytes find a program that was
// linked anew, because one changed function moves all code behind it.
const (
	verifyPoints = 17
	verifyBytes  = 64
)

// Verify compares a target with the image at the start, the end and evenly between,
// in every stored segment. The vector table is the start of the lowest one. Only
// words that the segment holds whole are compared. The error is a *MismatchError
// where they differ.
func (im *Image) Verify(ctx context.Context, mem Memory) error {
	for _, s := range im.Stored() {
		for _, at := range verifyOffsets(s) {
			n := min(verifyBytes, (len(s.Data)-at)&^3)
			if err := verify(ctx, mem, s.Paddr+uint32(at), s.Data[at:at+n]); err != nil {
				return err
			}
		}
	}
	return nil
}

// verifyOffsets are where to look in a segment: word-aligned on the target.
func verifyOffsets(s Segment) (offsets []int) {
	first := int(-s.Paddr & 3)
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

func verify(ctx context.Context, mem Memory, addr uint32, want []byte) error {
	got := make([]byte, len(want))
	if err := mem.ReadMemory(ctx, addr, got); err != nil {
		return fmt.Errorf("symbol: compare the target with the ELF at 0x%08x+%d: %w", addr, len(want), err)
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
