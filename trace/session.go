package trace

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"
)

// Session is a conversation with firmware behind a port: which firmware it is,
// START, records, STATUS, STOP.
type Session struct {
	line    *line
	o       SessionOptions
	decoder *Decoder
	heard   *listener
	port    sync.Once
	closed  error

	came       int     // bytes
	listens    bool    // the firmware has answered a command
	asked      int     // GET_STATUS that were sent, but for those that got lost
	noMetadata bool    // it refuses GET_METADATA
	obeyed     bool    // it was seen to obey START
	ran        bool    // it was once
	bodies     int     // GET_METADATA with a body that were sent while approaching
	unnamed    int     // times that METADATA was asked for while the target ran
	olders     int     // times that a version was agreed while the target ran
	known      *string // the build id that was compared
	version    int     // of the records, as it was agreed
	agreed     bool    // by METADATA that came in time, or by a late one
	wire       Variant
	early      early
	origin     time.Time // of Arrived
	writing    error     // of SessionOptions.Record
	keep       bool      // what comes goes to SessionOptions.Record
	sent       []byte    // the first bytes that went out
	awaited    byte      // the command whose answer was waited for last
}

// SessionOptions may be zero.
type SessionOptions struct {
	Port    string // how errors call the port, "" for "the port"
	Baud    int    // bits per second; 0: not known
	Version int    // the highest to ask for; 0: 2
	Cycles  bool   // times in cycles of the target's timer, not in what the target would choose
	Decoder DecoderOptions

	BuildID []byte // of the ELF file; empty: it has none; nil: there is no ELF file
	Force   bool   // go on with another build id

	// Record gets the bytes of the run as they come: Replay makes the same
	// of them. Where the firmware is not understood, all bytes.
	Record io.Writer
	// Remark hears what a user should know of the run, a sentence each, without
	// a full stop.
	Remark func(string)
	// Patience is how long to wait for a first byte, or for an answer; 0: 3 s. It is prolonged
	// while a target sends what it had recorded.
	Patience time.Duration
}

// Arrivals is a Sink that wants to know when bytes came: before they are
// decoded, the time since Run began.
type Arrivals interface{ Arrived(at time.Duration) }

// Beginnings is a Sink that wants to know when the target was told to record, or could
// not be: what comes before that takes as long as the target and this machine let it.
type Beginnings interface{ Begun() }

// Open finds out which firmware is behind a port, stops it, and compares its build
// id. The port is the session's from then on; it is closed if there is an
// error: a *SilentError, *EchoError, *TextError, *NoiseError, *DeafError, *RefusedError or *BuildIDError, ErrLost, or the cause of ctx.
func Open(ctx context.Context, port io.ReadWriteCloser, o SessionOptions) (*Session, error) {
	if o.Port == "" {
		o.Port = "the port"
	}
	if o.Version == 0 {
		o.Version = 2
	}
	if o.Patience <= 0 {
		o.Patience = 3 * time.Second
	}
	s := &Session{line: newLine(port), o: o, heard: &listener{}}
	s.decoder = NewDecoder(s.heard, o.Decoder)
	if o.Decoder.Variant != nil {
		s.wire = *o.Decoder.Variant
	}
	if err := s.negotiate(ctx); err != nil {
		s.keepEarly()
		_ = s.Close()
		return nil, err
	}
	return s, nil
}

// Close closes the port. Run must have returned.
func (s *Session) Close() error {
	s.port.Do(func() { s.closed = s.line.close() })
	return s.closed
}

// Metadata is what the firmware said last of itself; false: it said nothing.
func (s *Session) Metadata() (Metadata, bool) { return s.heard.metadata, s.heard.metadatas > 0 }

// Listens tells whether the firmware answers commands; if not, it can neither be
// stopped nor asked what it dropped.
func (s *Session) Listens() bool { return s.listens }

// Counts is what has been decoded; not while Run is under way, but from its sink.
func (s *Session) Counts() Counts { return s.decoder.Counts() }

// Variant is how the firmware frames its packets; false: not certain yet.
func (s *Session) Variant() (Variant, bool) { return s.decoder.Variant() }

// remark tells the user something.
func (s *Session) remark(format string, args ...any) {
	if s.o.Remark != nil {
		s.o.Remark(fmt.Sprintf(format, args...))
	}
}
