package trace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
)

// ReplayOptions may be zero.
type ReplayOptions struct {
	Name    string // how errors call the recording
	Decoder DecoderOptions
	BuildID []byte // of the ELF file; empty: it has none; nil: there is no ELF file
	Force   bool   // go on with another build id
	Remark  func(string)
}

// ErrEmpty is a recording without a byte.
var ErrEmpty = errors.New("the recording is empty")

// Replay gives a recording to a sink: the bytes of a target as SessionOptions.Record
// got them, or as another host kept them. The error is that of r or ctx, ErrEmpty, a *TextError, *NoiseError or
// *BuildIDError; the sink has then got what came before.
func Replay(ctx context.Context, r io.Reader, sink Sink, o ReplayOptions) error {
	p := &replay{o: o, listener: listener{to: sink}}
	if p.o.Name == "" {
		p.o.Name = "the recording"
	}
	p.decoder = NewDecoder(p, o.Decoder)
	buf := make([]byte, 256<<10)
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		n, err := r.Read(buf)
		_, _ = p.decoder.Write(buf[:n]) // never fails
		if len(p.first) < maxEvidence {
			p.first = append(p.first, buf[:min(n, maxEvidence-len(p.first))]...)
		}
		if p.wrong != nil {
			return p.wrong
		}
		switch {
		case errors.Is(err, io.EOF):
			_ = p.decoder.Close() // never fails
			return p.end()
		case err != nil:
			_ = p.decoder.Close()
			return fmt.Errorf("trace: read %s: %w", p.o.Name, err)
		}
	}
}

// maxEvidence is how much is kept of a recording to say what it looks like.
const maxEvidence = 64 << 10

// replay is a recording that is being read.
type replay struct {
	listener
	o       ReplayOptions
	decoder *Decoder
	first   []byte
	wrong   error // another build id
	unsent  bool  // STOP was acknowledged, and no STATUS says yet that all has been sent
}

// Answer notices STOP.
func (p *replay) Answer(command, reason byte) {
	if reason == 0 && (command == CommandStart || command == CommandStop) {
		p.unsent = command == CommandStop
	}
	p.listener.Answer(command, reason)
}

// Status notices that nothing waits to be sent.
func (p *replay) Status(s Status) {
	if s.Known >= KnownState && !s.Running && (s.Known < KnownWaiting || s.Waiting == 0) {
		p.unsent = false
	}
	p.listener.Status(s)
}

// Metadata compares the build id.
func (p *replay) Metadata(m Metadata) {
	if before := p.metadata.BuildID; len(before) > 0 && len(m.BuildID) > 0 && string(m.BuildID) != string(before) && p.o.BuildID == nil {
		p.remark("%s holds runs of different firmware (build ids %x and %x): one address may be two functions", p.o.Name, before, m.BuildID)
	}
	if p.metadatas == 0 || string(m.BuildID) != string(p.metadata.BuildID) {
		if err := sameBuild(m, p.o.BuildID, p.remark); err != nil && p.o.Force {
			p.remark("%v; converted all the same (--force), so functions may carry the wrong names", err)
		} else if err != nil && p.wrong == nil {
			p.wrong = err
		}
	}
	p.listener.Metadata(m)
}

func (p *replay) remark(format string, args ...any) {
	if p.o.Remark != nil {
		p.o.Remark(fmt.Sprintf(format, args...))
	}
}

// end judges a recording that was read to its end.
func (p *replay) end() error {
	total := p.decoder.Counts().Bytes
	switch {
	case total == 0:
		return fmt.Errorf("trace: %s: %w", p.o.Name, ErrEmpty)
	case p.decoder.Counts().Packets == 0:
		if kind := fileKind(p.first); kind != "" {
			return fmt.Errorf("trace: %s is %s, no recording of a trace", p.o.Name, kind)
		}
		return diagnose(p.o.Name, p.first, int(total))
	case p.running:
		p.remark("%s ends while profiling ran: what the target recorded last is missing", p.o.Name)
	case p.cut:
		p.remark("%s ends with a reset of the target: its last records are missing", p.o.Name)
	case p.unsent:
		p.remark("%s ends before the target said that all was sent: the last records may be missing", p.o.Name)
	}
	return nil
}

// fileKind names a file that is something else.
func fileKind(first []byte) string {
	for _, k := range [...]struct{ begins, name string }{
		{"\x7fELF", "an ELF file"},
		{"\x1f\x8b", "a gzip file"},
		{"PK\x03\x04", "a zip file"},
		{"mprofrec", "a recording of samples (mprof convert reads it)"},
		{"{", "a JSON file"},
	} {
		if bytes.HasPrefix(first, []byte(k.begins)) {
			return k.name
		}
	}
	return ""
}
