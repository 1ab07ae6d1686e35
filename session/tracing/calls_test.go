package tracing_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mprof/mprof/session/tracing"
	"github.com/mprof/mprof/trace"
)

// said is what firmware without an ELF file sends: METADATA if it is to, and two calls.
func said(t *testing.T, metadata bool, calls int) []byte {
	t.Helper()
	var out bytes.Buffer
	e := trace.NewEncoder(&out, trace.EncoderOptions{Version: 2})
	var errs error
	if metadata {
		errs = e.Metadata(trace.Metadata{Version: 2, TimerHz: 1e6, Name: "pump", Known: trace.KnownContexts})
	}
	errs = errors.Join(errs, e.Answer(trace.CommandStart, 0))
	for i := range calls {
		errs = errors.Join(errs, e.Record(trace.Record{Func: 0x08000101, Entry: uint32(100 * i), Duration: 10}))
	}
	if errs = errors.Join(errs, e.Flush(), e.Answer(trace.CommandStop, 0)); errs != nil {
		t.Fatal(errs)
	}
	return out.Bytes()
}

// TestCheckCalls: nothing called, nothing understood, and something.
func TestCheckCalls(t *testing.T) {
	for _, c := range []struct {
		content []byte
		is      error
		want    string
	}{
		{said(t, true, 2), nil, ""},
		{said(t, true, 0), tracing.ErrNoCalls, "no traced call returned in "},
		{trace.Variant{}.AppendPacket(nil, trace.TypeProfileData), tracing.ErrNoCalls, "no traced call returned in 8 bytes from "}, // of no record
		{said(t, false, 2), tracing.ErrNoneRead, "2 were lost or left out of the "},
	} {
		path := file(t, "raw.bin", c.content)
		p := replayed(t, tracing.Options{From: path})
		err := tracing.CheckCalls(p)
		if !errors.Is(err, c.is) || c.is != nil && !says(err, c.want, path) {
			t.Errorf("%v, want %v", err, c.is)
		}
	}
}

// FuzzRecording: whatever is in a file, it is a profile that holds together, or an error; what
// plays as a recording is recognised as one, and nothing else is.
func FuzzRecording(f *testing.F) {
	var packets []byte
	for _, kind := range []byte{trace.TypeACK, trace.TypeMetadata, trace.TypeStatus, trace.TypeProfileData, trace.TypeProfileData2} {
		packets = trace.Variant{}.AppendPacket(packets, kind, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17)
	}
	f.Add(packets)
	f.Add(trace.Variant{CRC: trace.MODBUS, AA55: true}.AppendPacket(nil, trace.TypeProfileData, 1, 0, 1, 0, 0, 8, 0, 0, 0, 0, 5, 0, 0, 0))
	f.Add(trace.Variant{}.AppendPacket(nil, trace.TypeProfileData))
	f.Add([]byte("\x7fELF\x55\xAA"))
	f.Add([]byte("a console\r\n"))
	path := filepath.Join(f.TempDir(), "raw.bin")
	f.Fuzz(func(t *testing.T, content []byte) {
		var scripted []byte // packets of a type and a length byte, so that their CRC is right
		for rest := content; len(rest) >= 2; {
			n := min(int(rest[1]), len(rest)-2)
			scripted = trace.Variant{}.AppendPacket(scripted, rest[0], rest[2:2+n]...)
			rest = rest[2+n:]
		}
		for _, c := range [][]byte{content, scripted} {
			if err := os.WriteFile(path, c, 0o600); err != nil {
				t.Fatal(err)
			}
			p, err := newRun(t, tracing.Options{From: path, Keep: 10}).Replay(t.Context())
			if err != nil && strings.Contains(err.Error(), "internal error") {
				t.Fatal(err)
			}
			if recognised := tracing.IsRecording(path); recognised != (err == nil) {
				t.Errorf("recognised: %v; played: %v", recognised, err)
			}
			if p == nil {
				continue
			}
			if err := p.Check(); err != nil {
				t.Error(err)
			}
			if p.Trace.Calls > uint64(len(c)) || p.Trace.Bytes != uint64(len(c)) {
				t.Errorf("%d calls in %d bytes, of which %d were read", p.Trace.Calls, len(c), p.Trace.Bytes)
			}
		}
	})
}
