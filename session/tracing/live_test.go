package tracing_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mprof/mprof/live"
	"github.com/mprof/mprof/session/target"
	"github.com/mprof/mprof/session/tracing"
	"github.com/mprof/mprof/trace"
)

// TestRecordedAndReplayed: what a run adds up to, its recording does, too, and the model that
// watched it.
func TestRecordedAndReplayed(t *testing.T) {
	t.Parallel()
	model := live.NewModel()
	o := tracing.Options{Port: "sim", Keep: 1 << 20, Duration: longest, Recording: filepath.Join(t.TempDir(), "raw.bin"), RecordingWanted: true, Model: model, Version: "test"}
	r, p, err := traceUntil(t, o, 500)
	if err != nil {
		t.Fatal(err)
	}
	if r.Recorded() != "all bytes" {
		t.Errorf("the recording holds %q", r.Recorded())
	}
	if err := r.KeepRecording(true); err != nil {
		t.Fatal(err)
	}
	if p.Trace.Calls < 500 || p.Trace.LostCalls != 0 || p.Trace.Firmware != "boat logger" || p.Trace.Version != 2 || !p.Trace.Calibrated {
		t.Errorf("%+v", p.Trace)
	}
	if p.Taken.EndReason != errStopped.Error() || p.Taken.Probe != "sim" || p.Taken.Version != "test" || p.Start.IsZero() {
		t.Errorf("%+v, begun %v", p.Taken, p.Start)
	}
	if got := model.Since(0, 0).Status.Calls; got != p.Trace.Calls {
		t.Errorf("the model has %d calls, the profile %d", got, p.Trace.Calls)
	}
	again := replayed(t, tracing.Options{From: o.Recording, ELF: tracedFile(t), Keep: o.Keep})
	if diff := cmp.Diff(p.Trace.Functions, again.Trace.Functions); diff != "" {
		t.Errorf("the recording has other statistics (-run +recording):\n%s", diff)
	}
	if p.Trace.Calls != again.Trace.Calls || p.Trace.Kept != again.Trace.Kept || again.Trace.LostCalls != 0 || again.Trace.Kept != again.Trace.Calls {
		t.Errorf("%+v of a run, %+v of its recording", p.Trace, again.Trace)
	}
	if again.Taken.EndReason != "" || !again.Start.IsZero() || again.Taken.Probe != o.Recording {
		t.Errorf("%+v, begun %v", again.Taken, again.Start)
	}
	if size, _ := exists(t, o.Recording); uint64(size) != again.Trace.Bytes || !tracing.IsRecording(o.Recording) {
		t.Errorf("%d bytes are in the file, %d were read", size, again.Trace.Bytes)
	}
}

// TestVersion1AndCycles: what the run asks of the firmware, it gets.
func TestVersion1AndCycles(t *testing.T) {
	t.Parallel()
	_, p, err := traceUntil(t, tracing.Options{Port: "sim", Version1: true}, 100)
	if err != nil || p.Trace.Version != 1 {
		t.Errorf("records of version %d, %v", p.Trace.Version, err)
	}
	_, p, err = traceUntil(t, tracing.Options{Port: "sim", Cycles: true}, 100)
	if err != nil || p.Trace.TickHz != 16e6 {
		t.Errorf("ticks of %v Hz, %v", p.Trace.TickHz, err)
	}
}

// TestDurationEnds: the end of a duration is no error.
func TestDurationEnds(t *testing.T) {
	t.Parallel()
	r := newRun(t, tracing.Options{Port: "sim", Duration: 50 * time.Millisecond})
	if err := r.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	p, err := r.Live(t.Context())
	if err != nil || p.Taken.EndReason != "duration reached" || r.Recorded() != "" {
		t.Errorf("%+v, %q was recorded, %v", p.Taken, r.Recorded(), err)
	}
	if err := r.KeepRecording(true); err != nil {
		t.Errorf("no recording: %v", err)
	}
}

// TestUnwantedRecording: there is one until somebody says that the outputs are written.
func TestUnwantedRecording(t *testing.T) {
	t.Parallel()
	o := tracing.Options{Port: "sim", Recording: filepath.Join(t.TempDir(), "raw.bin")}
	r, _, err := traceUntil(t, o, 20)
	if err != nil {
		t.Fatal(err)
	}
	if size, _ := exists(t, o.Recording); size == 0 || r.Recorded() != "all bytes" {
		t.Errorf("%d bytes are kept, which are %q", size, r.Recorded())
	}
	if err := r.KeepRecording(false); err != nil {
		t.Error(err)
	}
	if _, ok := exists(t, o.Recording); ok {
		t.Error("a recording that nobody wants is left behind")
	}
}

// TestWireBreaks: a run that an error ends has what came before it, and so has its recording.
func TestWireBreaks(t *testing.T) {
	t.Parallel()
	w := wire{most: 6000}
	o := tracing.Options{Port: w.lay(t), ELF: tracedFile(t), Recording: filepath.Join(t.TempDir(), "raw.bin"), RecordingWanted: true}
	r, p, err := traceUntil(t, o, 1<<40)
	if !says(err, "the port is gone") || p.Taken.EndReason != err.Error() {
		t.Errorf("ended by %v, the profile says %q", err, p.Taken.EndReason)
	}
	if err := r.KeepRecording(true); err != nil {
		t.Fatal(err)
	}
	size, _ := exists(t, o.Recording) // what came before the run is no part of it
	if size < w.most/2 || size > w.most || r.Recorded() != "all bytes" {
		t.Errorf("%d bytes were recorded of %d, %q", size, w.most, r.Recorded())
	}
	if p.Trace.Calls < 100 || p.Trace.LostCalls != 0 {
		t.Errorf("%d calls in %d bytes, %d lost", p.Trace.Calls, w.most, p.Trace.LostCalls)
	}
	again := replayed(t, tracing.Options{From: o.Recording, ELF: o.ELF})
	if diff := cmp.Diff(p.Trace.Functions, again.Trace.Functions); diff != "" {
		t.Errorf("the recording has other statistics (-run +recording):\n%s", diff)
	}
	if !hasRemark(again.Taken.Remarks, "ends while profiling ran") || again.Trace.Bytes != uint64(size) {
		t.Errorf("%d bytes of %d, remarks %q", again.Trace.Bytes, size, again.Taken.Remarks)
	}
}

func hasRemark(remarks []string, word string) bool {
	return slices.ContainsFunc(remarks, func(r string) bool { return strings.Contains(r, word) })
}

// TestWireBreaksBeforeTheRun: what came until then is named where somebody wants it, and no
// file is left where nobody does.
func TestWireBreaksBeforeTheRun(t *testing.T) {
	for _, wanted := range []bool{true, false} {
		w := wire{most: 20}
		o := tracing.Options{Port: w.lay(t), ELF: tracedFile(t), Recording: filepath.Join(t.TempDir(), "raw.bin"), RecordingWanted: wanted}
		err := newRun(t, o).Open(t.Context())
		if !says(err, "the port is gone") || says(err, "the 20 bytes that came are in "+o.Recording) != wanted {
			t.Errorf("wanted %v: %v", wanted, err)
		}
		if size, ok := exists(t, o.Recording); ok != wanted || wanted && size != w.most {
			t.Errorf("wanted %v: a file of %d bytes is there: %v", wanted, size, ok)
		}
	}
}

// TestNobodyThere: a run that does not begin leaves an older recording of that name alone.
func TestNobodyThere(t *testing.T) {
	for _, c := range []struct {
		port string
		want string
	}{{"tcp:127.0.0.1:1", "cannot connect"}, {"", "which port?"}, {unanswered(t), errStopped.Error()}} {
		older := file(t, "raw.bin", []byte("an older one"))
		ctx, stop := context.WithCancelCause(t.Context())
		timer := time.AfterFunc(50*time.Millisecond, func() { stop(errStopped) })
		err := newRun(t, tracing.Options{Port: c.port, Recording: older, RecordingWanted: true}).Open(ctx)
		timer.Stop()
		if err == nil || !says(err, c.want) && context.Cause(ctx) == nil {
			t.Errorf("%q: %v", c.port, err)
		}
		if got, err := os.ReadFile(older); string(got) != "an older one" {
			t.Errorf("%q: the older recording is %q, %v", c.port, got, err)
		}
	}
}

// TestRecordingFails: a copy that nobody asked for ends without the run, which says so; one
// that is wanted ends the run with its error, and there is a profile all the same.
func TestRecordingFails(t *testing.T) {
	t.Parallel()
	o := tracing.Options{Port: "sim", Recording: filepath.Join(t.TempDir(), "nowhere", "raw.bin")}
	r, p, err := traceUntil(t, o, 20)
	if err != nil || p.Trace.Calls < 20 || !hasRemark(p.Taken.Remarks, "there is no copy of them") || r.Recorded() != "" {
		t.Errorf("a recording that nobody asked for: %v, %q, %q", err, p.Taken.Remarks, r.Recorded())
	}
	o.RecordingWanted = true
	r, p, err = traceUntil(t, o, 1<<40)
	if !says(err, "keep the bytes that come", "nowhere") || p.Taken.EndReason != err.Error() || r.Recorded() != "" {
		t.Errorf("a recording that is wanted: %v, the profile says %q", err, p.Taken.EndReason)
	}
}

// TestAnotherBuild: the ELF file of other firmware is refused before the run, and no firmware
// is left recording; --force goes on and says so.
func TestAnotherBuild(t *testing.T) {
	t.Parallel()
	w, app := new(wire), demoFile(t)
	if err := newRun(t, tracing.Options{Port: w.lay(t), ELF: app}).Open(t.Context()); !says(err, "build id") || !errors.As(err, new(*trace.BuildIDError)) {
		t.Errorf("%v", err)
	}
	_, p, err := traceUntil(t, tracing.Options{Port: w.lay(t), ELF: app, Force: true}, 50)
	if err != nil || !hasRemark(p.Taken.Remarks, "wrong names") {
		t.Errorf("%v, remarks %q", err, p.Taken.Remarks)
	}
}

// TestWithoutELF: functions are addresses, and that is said.
func TestWithoutELF(t *testing.T) {
	t.Parallel()
	w := new(wire)
	_, p, err := traceUntil(t, tracing.Options{Port: w.lay(t)}, 50)
	if err != nil || !hasRemark(p.Taken.Remarks, "functions are addresses") || p.Mapping.Name != "boat logger" {
		t.Errorf("%v, %q of %+v", err, p.Taken.Remarks, p.Mapping)
	}
	for _, f := range p.Trace.Functions {
		if name := p.Functions[f.Function].Name; !strings.HasPrefix(name, "0x") && name != "<still running>" {
			t.Errorf("a function is called %q", name)
		}
	}
}

// TestLook: what a run would trace, without a run: nothing is recorded, and the port is free
// again.
func TestLook(t *testing.T) {
	recording := filepath.Join(t.TempDir(), "raw.bin")
	found, err := tracing.Look(t.Context(), tracing.Options{Port: "sim", Recording: recording, RecordingWanted: true})
	if err != nil || found != (tracing.Found{Firmware: "boat logger", Port: "sim"}) {
		t.Errorf("%+v, %v", found, err)
	}
	cut := wire{most: 20}
	if _, err := tracing.Look(t.Context(), tracing.Options{Port: cut.lay(t), Recording: recording, RecordingWanted: true}); !says(err, "the port is gone") {
		t.Errorf("the wire broke: %v", err)
	}
	if _, ok := exists(t, recording); ok {
		t.Error("a look was recorded")
	}
	w := new(wire)
	if found, err := tracing.Look(t.Context(), tracing.Options{Port: w.lay(t)}); err != nil || found.Firmware != "boat logger" {
		t.Errorf("%+v, %v", found, err)
	}
	w.letGo(t)
	for _, o := range []tracing.Options{{Port: "sim", ELF: "/nowhere/app.elf"}, {Port: "tcp:127.0.0.1:1"}, {Port: "sim:baud=1"}} {
		if found, err := tracing.Look(t.Context(), o); err == nil || found != (tracing.Found{}) {
			t.Errorf("%+v: %+v, %v", o, found, err)
		}
	}
}

// TestNotBegun: a run that is opened and does not begin closes its port, and leaves no file.
func TestNotBegun(t *testing.T) {
	w := new(wire)
	o := tracing.Options{Port: w.lay(t), Recording: filepath.Join(t.TempDir(), "raw.bin")}
	r := newRun(t, o)
	if err := r.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	if f := r.Found(); f.Firmware != "boat logger" || f.Port != o.Port {
		t.Errorf("%+v", f)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	w.letGo(t)
	if _, ok := exists(t, o.Recording); ok {
		t.Error("a file is left behind")
	}
}

// TestRefusedOptions: ELF files that are none, and one beside none.
func TestRefusedOptions(t *testing.T) {
	if _, err := tracing.New(tracing.Options{Port: "tcp:127.0.0.1:1", Extra: []string{"rom.elf"}}); !says(err, "--extra-elf", "application's") {
		t.Errorf("%v", err)
	}
	none := file(t, "none.elf", []byte("words"))
	for _, o := range []tracing.Options{{ELF: none}, {ELF: none + ".missing"}, {ELF: tracedFile(t), Extra: []string{none}}} {
		if r, err := tracing.New(o); r != nil || !says(err, "none.elf") {
			t.Errorf("%+v: %v", o, err)
		}
	}
	builtIn := tracing.Options{Port: "sim"}
	named := tracing.Options{Port: "sim", ELF: none}
	if !builtIn.BuiltIn() || named.BuiltIn() || newRun(t, builtIn).Program.App().Path() != target.BuiltInTraced {
		t.Error("the built-in firmware is not told from a file")
	}
}
