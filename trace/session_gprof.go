package trace

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
)

// ErrGprofCleared is a part that has become shorter: the target clears or has cleared its counters.
var ErrGprofCleared = errors.New("the counters were cleared meanwhile")

// GprofMemory is the memory of firmware/gprof behind a session: the block, the counters and the arcs, each
// read from its beginning, and the request word. Nothing else of the target can be read.
type GprofMemory struct {
	s      *Session
	block  uint32 // address
	places [2]uint32
	size   int // bytes of a piece; 0: not known yet
}

// Where the block says that counters and arcs are, and the request word is (firmware/gprof/src/gprof.h).
const (
	gprofCounters = 8 * 4
	gprofArcs     = 17 * 4
	gprofRequest  = 21 * 4
)

// Gprof gives access to the counters of firmware/gprof, of which block is the address in the ELF file. Not
// while Run is under way.
func (s *Session) Gprof(block uint32) *GprofMemory { return &GprofMemory{s: s, block: block} }

// ReadMemory reads a part from its beginning. Errors: *RefusedError, where the firmware does not have the
// command; *SilentError; ErrLost; that of ctx.
func (m *GprofMemory) ReadMemory(ctx context.Context, addr uint32, p []byte) error {
	switch addr {
	case m.block:
		if err := m.read(ctx, GprofBlock, p); err != nil || len(p) < gprofRequest {
			return err
		}
		m.places = [2]uint32{binary.LittleEndian.Uint32(p[gprofCounters:]), binary.LittleEndian.Uint32(p[gprofArcs:])}
		return nil
	case m.places[0]:
		return m.read(ctx, GprofCounters, p)
	case m.places[1]:
		return m.read(ctx, GprofArcs, p)
	}
	return fmt.Errorf("trace: read 0x%08x+%d: the firmware gives nothing but the block at 0x%08x, counters and arcs", addr, len(p), m.block)
}

// WriteMemory writes the request word.
func (m *GprofMemory) WriteMemory(ctx context.Context, addr uint32, p []byte) error {
	if addr != m.block+gprofRequest || len(p) != 4 {
		return fmt.Errorf("trace: write 0x%08x+%d: the firmware takes nothing but the request word at 0x%08x", addr, len(p), m.block+gprofRequest)
	}
	h := m.s.heard
	h.reason[CommandResetGprof] = 0
	ok, err := m.s.ask(ctx, more(&h.answered[CommandResetGprof]), CommandResetGprof, min(p[0], 1))
	return m.answered(ok, err, CommandResetGprof)
}

// answered is the error of a command that got an answer, or none.
func (m *GprofMemory) answered(ok bool, err error, command byte) error {
	switch reason := m.s.heard.reason[command]; {
	case err != nil:
		return err
	case !ok:
		return &SilentError{m.s.o.Port, m.s.o.Patience}
	case reason != 0:
		return &RefusedError{m.s.o.Port, command, reason}
	}
	return nil
}

// gprofWindow is how many pieces are asked for before the first has come: the firmware keeps seven commands.
const gprofWindow = 4

// read fills p. The first piece says how long a piece is.
func (m *GprofMemory) read(ctx context.Context, part GprofPart, p []byte) error {
	if len(p) == 0 {
		return nil
	}
	first := 0
	if m.size == 0 {
		if err := m.window(ctx, part, p, 0, 1); err != nil {
			return err
		}
		first = 1
	}
	pieces := (len(p) + m.size - 1) / m.size
	if pieces > gprofPieces {
		return fmt.Errorf("trace: %d bytes are more than %d pieces of %d", len(p), gprofPieces, m.size)
	}
	for from := first; from < pieces; from += gprofWindow {
		if err := m.window(ctx, part, p, from, min(from+gprofWindow, pieces)); err != nil {
			return err
		}
	}
	return nil
}

// window reads pieces from until before end. What gets lost is asked for again, for as long as bytes come that may
// be what is left of a piece.
func (m *GprofMemory) window(ctx context.Context, part GprofPart, p []byte, from, end int) error {
	h := m.s.heard
	wanted := make([]bool, end-from)
	for i := range wanted {
		wanted[i] = true
	}
	left, short := len(wanted), error(nil)
	h.gprof = func(piece GprofPiece) {
		i := piece.Piece - from
		if piece.Part != part || i < 0 || i >= len(wanted) || !wanted[i] || m.size != 0 && piece.Size != m.size {
			return
		}
		m.size = piece.Size
		wanted[i], left = false, left-1
		at := min(piece.Piece*m.size, len(p))
		want := min(m.size, len(p)-at)
		if len(piece.Bytes) < want {
			short = fmt.Errorf("trace: piece %d has %d bytes of %d: %w", piece.Piece, len(piece.Bytes), want, ErrGprofCleared)
			return
		}
		copy(p[at:at+want], piece.Bytes)
	}
	defer func() { h.gprof = nil }()
	h.reason[CommandGetGprof] = 0
	for t := m.s.begins(); ; {
		m.ask(part, from, wanted)
		done, err := m.s.pump(ctx, m.s.interval(t.attempt), func() bool { return left == 0 || h.reason[CommandGetGprof] != 0 })
		if !done && err == nil && !t.over() {
			continue
		}
		if err = m.answered(done, err, CommandGetGprof); err == nil && t.attempt > 0 {
			_, err = m.s.pump(ctx, m.s.interval(0), never) // second answers are of this reading, not of the next one
		}
		return cmp.Or(err, short)
	}
}

// ask sends a request for each piece that is missing.
func (m *GprofMemory) ask(part GprofPart, from int, wanted []bool) {
	var b []byte
	for i, missing := range wanted {
		if asked := int(part)<<gprofPartShift | (from + i); missing {
			b = m.s.wire.AppendPacket(b, CommandGetGprof, byte(asked), byte(asked>>8))
		}
	}
	m.s.sendBytes(b)
}
