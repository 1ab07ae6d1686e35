package trace

import (
	"bytes"
	"testing"
)

// FuzzParseGprof: whatever a body is, a piece is within its size, and its bytes are those of the body.
func FuzzParseGprof(f *testing.F) {
	f.Add(vectorGprof)
	f.Add([]byte{})
	f.Add([]byte{0, 0, 0, 0})
	f.Add([]byte{0, 0, 4, 0, 1, 2, 3})
	f.Fuzz(func(t *testing.T, b []byte) {
		p, ok := ParseGprof(b)
		if !ok {
			return
		}
		if len(p.Bytes) > p.Size || p.Size%4 != 0 || p.Piece >= gprofPieces || !bytes.Equal(p.Bytes, b[4:]) {
			t.Errorf("%x: %+v", b, p)
		}
	})
}

// TestGprofMalformed: a body that cannot be a piece is counted, and not passed on.
func TestGprofMalformed(t *testing.T) {
	for _, body := range [][]byte{{}, {1, 2, 3}, {0, 0, 0, 0}, {0, 0, 6, 0, 1, 2}, {0, 0, 4, 0, 1, 2, 3}, {0, 0, 4, 0, 1, 2, 3, 4, 5, 6, 7, 8}} {
		l := &listener{gprof: func(p GprofPiece) { t.Errorf("%x is passed on as %+v", body, p) }}
		fixed := Variant{}
		d := NewDecoder(l, DecoderOptions{Variant: &fixed})
		_, _ = d.Write(fixed.AppendPacket(nil, TypeGprof, body...))
		if c := d.Counts(); c.Malformed != 1 {
			t.Errorf("%x: %+v", body, c)
		}
	}
}
