package backtrace_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mprof/mprof/session/backtrace"
	"github.com/mprof/mprof/session/target"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/snapshot/core"
	"github.com/mprof/mprof/unwind"
)

const (
	demoELF     = "../../firmware/demo/demo.elf"
	demoCapture = "../../cmd/mprof/testdata/demo.capture.json" // SysTick interrupts a task on the process stack
)

// read wants success.
func read(t *testing.T, o backtrace.Options) *backtrace.Dump {
	t.Helper()
	d, err := backtrace.Read(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// recorded writes snapshots as a recording.
func recorded(t *testing.T, snaps ...*snapshot.Snapshot) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run.mprof")
	w, err := snapshot.Create(path, snapshot.Header{})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range snaps {
		if err := w.Append(s); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Finish("test"); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestReadCapture: a stack across an interrupt, whole.
func TestReadCapture(t *testing.T) {
	d := read(t, backtrace.Options{ELF: demoELF, Core: demoCapture})
	if d.Kind != core.Capture || d.Arch != snapshot.CortexM || len(d.Warnings) > 0 || len(d.Stacks) != 1 {
		t.Fatalf("%+v", d)
	}
	s := d.Stacks[0]
	if s.Sample != nil || s.End.Reason != unwind.Complete || s.End.Text != "complete" || s.End.Err != nil {
		t.Errorf("%+v", s.End)
	}
	pc, _ := s.Core.Regs.Value(snapshot.PC)
	if f := s.Frames[0]; f.PC != pc || f.Kind != unwind.Leaf || f.Function != "memcpy" {
		t.Errorf("the innermost frame is %+v", f)
	}
	if f := s.Frames[1]; f.Kind != unwind.Caller || f.Function != "ring_push" || !f.Inlined || filepath.Base(f.File) != "ring.h" || f.Line == 0 {
		t.Errorf("its caller is %+v", f)
	}
	var crossing *backtrace.Frame
	for i := range s.Frames {
		if f := &s.Frames[i]; f.Kind == unwind.Exception {
			crossing = f
		}
	}
	if crossing == nil || crossing.Label != "SysTick" || crossing.Function != "" {
		t.Errorf("%+v", crossing)
	}
}

// TestReadNamesWhatIsMissing: why a stack ends can be asked for with errors.Is.
func TestReadNamesWhatIsMissing(t *testing.T) {
	in, err := core.Open(demoCapture)
	if err != nil {
		t.Fatal(err)
	}
	whole := in.Threads[0].Snapshot
	noPSP, elsewhere := whole, whole
	noPSP.Regs = snapshot.Registers{}
	for r := range snapshot.Reg(snapshot.NumRegs) {
		if v, ok := whole.Regs.Value(r); ok && r != snapshot.PSP {
			noPSP.Regs.Set(r, v)
		}
	}
	noPSP.Seq, elsewhere.Seq = 0, 1
	elsewhere.Regs.Set(snapshot.PC, 0x00f00000)
	d := read(t, backtrace.Options{ELF: demoELF, Core: recorded(t, &noPSP, &elsewhere), All: true})
	if len(d.Stacks) != 2 {
		t.Fatalf("%d stacks of 2 samples", len(d.Stacks))
	}
	for i, want := range []error{backtrace.ErrNoPSP, backtrace.ErrNoImage} {
		if s := d.Stacks[i]; *s.Sample != uint64(i) || s.End.Err != want || !strings.HasPrefix(s.End.Text, "cut: ") {
			t.Errorf("sample %d: %+v, want %v", *s.Sample, s.End, want)
		}
	}
}

// TestReadChooses: which samples is said where it makes sense, and nowhere else.
func TestReadChooses(t *testing.T) {
	recording := recorded(t, &snapshot.Snapshot{}, &snapshot.Snapshot{Seq: 1, Miss: snapshot.NotHalted})
	one, five := uint64(1), uint64(5)
	d := read(t, backtrace.Options{ELF: demoELF, Core: recording, Sample: &one})
	if len(d.Stacks) != 1 || *d.Stacks[0].Sample != 1 || !strings.Contains(d.Stacks[0].End.Text, "not taken") {
		t.Errorf("%+v", d.Stacks)
	}
	for _, c := range []struct {
		o     backtrace.Options
		usage bool
		want  string
	}{
		{backtrace.Options{Core: recording}, true, "numbered 0 to 1"},
		{backtrace.Options{Core: recording, Sample: &five}, false, "no sample 5"},
		{backtrace.Options{Core: demoCapture, All: true}, true, "are for recordings"},
		{backtrace.Options{Core: demoELF}, false, "no core file"},
	} {
		c.o.ELF = demoELF
		d, err := backtrace.Read(t.Context(), c.o)
		var usage *target.UsageError
		if d != nil || err == nil || errors.As(err, &usage) != c.usage || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, %v", c.o, d, err)
		}
	}
}
