package examples_test

import (
	"context"
	"io"
	"testing"
	"time"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/symbol"
	"github.com/mprof/mprof/trace"
	"github.com/mprof/mprof/trace/calls"
	"github.com/mprof/mprof/trace/uart"
)

// recorded is what a target said in a run.
type recorded struct {
	*calls.Builder
	symbols  *symbol.Program
	records  []trace.Record
	metadata trace.Metadata
	status   trace.Status // the last one
	statuses int
	losses   []trace.Loss
	remarks  []string
	version  int
	boots    int    // that the target told of
	seen     func() // called after records; nil: nobody
}

func (r *recorded) Records(b trace.Batch) {
	r.version = b.Version
	r.records = append(r.records, b.Records...)
	r.Builder.Records(b)
	if r.seen != nil {
		r.seen()
	}
}

func (r *recorded) Metadata(m trace.Metadata) {
	r.metadata = m
	if m.Flags&trace.FlagStarted != 0 {
		r.boots++
	}
	r.Builder.Metadata(m)
}

func (r *recorded) Status(s trace.Status) {
	r.status = s
	r.statuses++
	r.Builder.Status(s)
}

func (r *recorded) Loss(l trace.Loss) {
	r.losses = append(r.losses, l)
	r.Builder.Loss(l)
}

// profile is what the builder makes of it.
func (r *recorded) profile(t *testing.T) *profile.Profile {
	t.Helper()
	p := r.Finish(profile.Acquisition{}, 0)
	if err := p.Check(); err != nil {
		t.Error(err)
	}
	return p
}

// calls counts the records of each function.
func (r *recorded) calls() map[string]uint64 {
	n := map[string]uint64{}
	for _, c := range r.records {
		if !c.Switch() {
			n[r.name(c.Func)]++
		}
	}
	return n
}

func (r *recorded) name(function uint32) string {
	at := r.symbols.Lookup(function &^ 1)
	if len(at) == 0 {
		return ""
	}
	return at[len(at)-1].Function.Name
}

func image(t *testing.T, elf string) *symbol.Image {
	t.Helper()
	im, err := symbol.Open(elf)
	if err != nil {
		t.Fatal(err)
	}
	return im
}

// openPty opens a port as mprof trace does.
func openPty(t *testing.T, name string) io.ReadWriteCloser {
	t.Helper()
	port, err := uart.Open(name, 921600)
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// leastRecords are those of a tenth of a second of the example bare, and of most of one of the others.
const leastRecords = 3000

// record profiles for d of the wall clock, from the first record on, and until there are leastRecords: a busy
// machine takes seconds to start, and may not get on for as long.
func record(t *testing.T, port io.ReadWriteCloser, elf string, version int, d time.Duration) *recorded {
	t.Helper()
	im := image(t, elf)
	program, err := symbol.NewProgram(im)
	if err != nil {
		t.Fatal(err)
	}
	r := &recorded{Builder: calls.NewBuilder(program, calls.Options{}), symbols: program}
	s, err := trace.Open(t.Context(), port, trace.SessionOptions{Version: version, BuildID: im.BuildID(),
		Remark: func(text string) { r.remarks = append(r.remarks, text) }})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var begun time.Time
	r.seen = func() {
		if begun.IsZero() {
			begun = time.Now()
		}
		if time.Since(begun) >= d && len(r.records) >= leastRecords {
			cancel()
		}
	}
	if err := s.Run(ctx, r); err != nil {
		t.Error(err)
	}
	return r
}
