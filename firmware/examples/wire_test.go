package examples_test

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"github.com/mprof/mprof/firmware/examples/examplestest"
	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/sim/qemu"
	"github.com/mprof/mprof/symbol"
	"github.com/mprof/mprof/trace"
	"github.com/mprof/mprof/trace/calls"
)

// The ELF file of another build is refused by its build id, and taken where the user insists.
func TestWrongELFIsRefused(t *testing.T) {
	elf := examplestest.Build{Example: "bare", Board: "mps2-an385"}.ELF(t)
	other := image(t, examplestest.Build{Example: "tasks", Board: "mps2-an385"}.ELF(t))
	m := qemu.Start(t, qemu.Options{Board: "mps2-an385", ELF: elf})
	_, err := trace.Open(t.Context(), openPty(t, m.Pty), trace.SessionOptions{BuildID: other.BuildID()})
	var refused *trace.BuildIDError
	if !errors.As(err, &refused) {
		t.Fatalf("%v", err)
	}
	s, err := trace.Open(t.Context(), openPty(t, m.Pty), trace.SessionOptions{BuildID: other.BuildID(), Force: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got, ok := s.Metadata(); !ok || !bytes.Equal(got.BuildID, image(t, elf).BuildID()) {
		t.Errorf("%+v", got)
	}
}

// A target that is reset in the middle of a run is started again, and the profile says so.
func TestResetInTheMiddle(t *testing.T) {
	elf := examplestest.Build{Example: "bare", Board: "mps2-an385"}.ELF(t)
	m := qemu.Start(t, qemu.Options{Board: "mps2-an385", ELF: elf})
	im := image(t, elf)
	program, err := symbol.NewProgram(im)
	if err != nil {
		t.Fatal(err)
	}
	r := &recorded{Builder: calls.NewBuilder(program, calls.Options{}), symbols: program}
	s, err := trace.Open(t.Context(), openPty(t, m.Pty), trace.SessionOptions{BuildID: im.BuildID()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	const before, after = 5000, 1000
	was, back := -1, 0 // boots before the reset; records when it was over
	r.seen = func() {
		switch {
		case was < 0 && len(r.records) >= before:
			was = r.boots
			if err := m.Reset(); err != nil {
				t.Error(err)
			}
		case was >= 0 && r.boots > was && back == 0:
			back = len(r.records)
		case back > 0 && len(r.records) >= back+after:
			cancel()
		}
	}
	if err := s.Run(ctx, r); err != nil {
		t.Fatal(err)
	}
	p := r.Finish(profile.Acquisition{}, 0)
	if p.Trace.Resets != 1 || len(r.records) < before+after {
		t.Errorf("%d resets; %d records", p.Trace.Resets, len(r.records))
	}
	if r.status.Running || r.status.Waiting != 0 {
		t.Errorf("at the end: %+v", r.status)
	}
}
