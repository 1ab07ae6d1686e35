package trace

// GprofPart is a part of what firmware/gprof counts: each is asked for in pieces.
type GprofPart uint8

const (
	GprofBlock    GprofPart = iota // struct gprof_block
	GprofCounters                  // uint16 each
	GprofArcs                      // struct gprof_arc each
)

const (
	gprofPartShift = 14
	gprofPieces    = 1 << gprofPartShift
)

// GprofPiece is an answer to GET_GPROF.
type GprofPiece struct {
	Part  GprofPart
	Piece int    // its number
	Size  int    // bytes of a piece; the last one of a part has fewer
	Bytes []byte // valid until Gprof returns
}

// GprofSink is a Sink that hears the counters of firmware/gprof.
type GprofSink interface{ Gprof(GprofPiece) }

// ParseGprof reads a body of GPROF; ok is false where it cannot be one.
func ParseGprof(b []byte) (p GprofPiece, ok bool) {
	rest := body(b)
	asked, _ := rest.u16()
	size, ok := rest.u16()
	p = GprofPiece{GprofPart(asked >> gprofPartShift), int(asked % gprofPieces), int(size), rest}
	return p, ok && size > 0 && size%4 == 0 && len(rest) <= p.Size && len(rest)%4 == 0
}

func (d *Decoder) gprof(b []byte) {
	p, ok := ParseGprof(b)
	if !ok {
		d.malformed(b)
		return
	}
	if s, wants := d.sink.(GprofSink); wants {
		s.Gprof(p)
	}
}
