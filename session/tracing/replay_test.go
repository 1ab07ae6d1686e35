package tracing_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mprof/mprof/firmware/demo"
	"github.com/mprof/mprof/firmware/examples"
	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/session/tracing"
	"github.com/mprof/mprof/trace"
)

// whole is what the built-in recording adds up to.
func whole(t *testing.T) *profile.Profile {
	t.Helper()
	p := replayed(t, tracing.Options{Demo: true})
	if p.Trace.Calls < 10_000 || p.Trace.LostCalls != 0 || p.Trace.HighWater == 0 || p.Taken.Probe != tracing.DemoRecording || p.Trace.Bytes != uint64(len(examples.DemoRecording)) {
		t.Fatalf("%+v", p.Trace)
	}
	return p
}

// TestReplayFromAnywhere: built in, in a file, through a pipe: one recording says one thing.
func TestReplayFromAnywhere(t *testing.T) {
	want, elf := whole(t), tracedFile(t)
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stdin := os.Stdin
	os.Stdin = read
	t.Cleanup(func() { os.Stdin = stdin; _ = read.Close() })
	go func() { _, _ = write.Write(examples.DemoRecording); _ = write.Close() }()
	for from, name := range map[string]string{"-": "standard input", file(t, "raw.bin", examples.DemoRecording): ""} {
		var last tracing.Progress
		got := replayed(t, tracing.Options{From: from, ELF: elf, Progress: func(p tracing.Progress) { last = p }})
		if diff := cmp.Diff(want.Trace, got.Trace); diff != "" {
			t.Errorf("%s (-built in +read):\n%s", from, diff)
		}
		if got.Taken.Probe != name && got.Taken.Probe != from {
			t.Errorf("%s is called %q", from, got.Taken.Probe)
		}
		if size := int64(len(examples.DemoRecording)); last.Read != size || last.Calls != want.Trace.Calls || last.Size != size && from != "-" || last.Buffer != uint32(want.Trace.Buffer) {
			t.Errorf("%s ends with %+v", from, last)
		}
	}
}

// TestKeep: how many calls are on the timeline is a limit, and changes no statistics.
func TestKeep(t *testing.T) {
	want := whole(t)
	for _, keep := range []int{-1, 0, 1, 100, 1 << 20} {
		p := replayed(t, tracing.Options{Demo: true, Keep: keep})
		if diff := cmp.Diff(want.Trace.Functions, p.Trace.Functions); diff != "" || p.Trace.Calls != want.Trace.Calls {
			t.Errorf("keep %d: %d calls\n%s", keep, p.Trace.Calls, diff)
		}
		// The longest of each function is there in any case.
		most := uint64(max(keep, 0) + len(want.Trace.Functions))
		if p.Trace.Kept > most || p.Trace.Kept < min(p.Trace.Calls, uint64(max(keep, 0))/2) {
			t.Errorf("keep %d: %d calls are on the timeline of %d functions", keep, p.Trace.Kept, len(want.Trace.Functions))
		}
		if keep == 1<<20 && p.Trace.Kept != p.Trace.Calls {
			t.Errorf("keep %d: %d of %d calls are on the timeline", keep, p.Trace.Kept, p.Trace.Calls)
		}
	}
}

// TestCutRecording: the begin of a recording is one. It has no more calls than the whole, loses
// none, and says that it ends too soon.
func TestCutRecording(t *testing.T) {
	all, size := whole(t), len(examples.DemoRecording)
	var before uint64
	for _, n := range []int{400, 1000, 5000, 5001, 5002, 20_000, size / 2, size/2 + 1, size - 300} {
		path := file(t, "raw.bin", examples.DemoRecording[:n])
		p := replayed(t, tracing.Options{From: path, ELF: tracedFile(t)})
		if p.Trace.Calls < before || p.Trace.Calls > all.Trace.Calls || p.Trace.LostCalls != 0 || p.Trace.Bytes != uint64(n) {
			t.Errorf("%d bytes: %+v behind %d calls", n, p.Trace, before)
		}
		if !hasRemark(p.Taken.Remarks, "raw.bin ends ") || !tracing.IsRecording(path) {
			t.Errorf("%d bytes: %q", n, p.Taken.Remarks)
		}
		before = p.Trace.Calls
	}
	if before < all.Trace.Calls*9/10 {
		t.Errorf("%d of %d calls in all but the last 300 bytes", before, all.Trace.Calls)
	}
}

// TestDamagedRecording: what a wrong byte costs is counted, and no call is invented.
func TestDamagedRecording(t *testing.T) {
	all := whole(t)
	for _, at := range []int{5000, 50_000, 150_001, 200_002} {
		damaged := bytes.Clone(examples.DemoRecording)
		damaged[at] ^= 0x10
		p := replayed(t, tracing.Options{From: file(t, "raw.bin", damaged), ELF: tracedFile(t)})
		if p.Trace.LostCalls == 0 || len(p.Trace.Losses) == 0 || p.Trace.Calls >= all.Trace.Calls {
			t.Errorf("byte %d: %d calls of %d, %d lost", at, p.Trace.Calls, all.Trace.Calls, p.Trace.LostCalls)
		}
		var calls uint64
		for _, f := range p.Trace.Functions {
			calls += f.Calls
		}
		if calls != p.Trace.Calls {
			t.Errorf("byte %d: the functions have %d calls, the trace %d", at, calls, p.Trace.Calls)
		}
	}
}

// TestGrowing: a recording that is still being written is read as far as it goes, as the run of
// a port that goes on.
func TestGrowing(t *testing.T) {
	path := file(t, "raw.bin", examples.DemoRecording[:20_000])
	begun := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	more := func(p tracing.Progress) { // what is written behind does not count
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err == nil {
			_, err = f.Write(examples.DemoRecording[20_000:21_000])
			err = errors.Join(err, f.Close())
		}
		if err != nil {
			t.Error(err)
		}
	}
	p := replayed(t, tracing.Options{From: path, ELF: tracedFile(t), Growing: true, Source: "/dev/ttyUSB0", Started: begun, Progress: more})
	if p.Trace.Bytes != 20_000 || p.Taken.EndReason != "the run goes on" || p.Taken.Probe != "/dev/ttyUSB0" || !p.Start.Equal(begun) {
		t.Errorf("%d bytes, %+v, begun %v", p.Trace.Bytes, p.Taken, p.Start)
	}
	// Once more, with the program that was read before.
	of := newRun(t, tracing.Options{Demo: true}).Program
	again := replayed(t, tracing.Options{From: file(t, "raw.bin", examples.DemoRecording[:20_000]), Program: of})
	if diff := cmp.Diff(p.Trace, again.Trace); diff != "" {
		t.Error(diff)
	}
}

// TestReplayStopped: what was read until somebody stops it is a profile, which says so.
func TestReplayStopped(t *testing.T) {
	ctx, stop := context.WithCancelCause(t.Context())
	defer stop(nil)
	p, err := newRun(t, tracing.Options{Demo: true, Progress: func(p tracing.Progress) {
		if p.Calls > 100 {
			stop(errStopped)
		}
	}}).Replay(ctx)
	if !errors.Is(err, errStopped) || p == nil || p.Taken.EndReason != errStopped.Error() || p.Trace.Calls <= 100 {
		t.Errorf("%v", err)
	}
	if p, err := newRun(t, tracing.Options{Demo: true}).Replay(ctx); p != nil || !errors.Is(err, errStopped) {
		t.Errorf("stopped before it began: %v", err)
	}
}

// TestReplayAnotherBuild: the recording is still there, so nothing is made of it with wrong
// names unless that is forced.
func TestReplayAnotherBuild(t *testing.T) {
	o := tracing.Options{From: file(t, "raw.bin", examples.DemoRecording), ELF: demoFile(t)}
	if p, err := newRun(t, o).Replay(t.Context()); p != nil || !errors.As(err, new(*trace.BuildIDError)) {
		t.Errorf("%v", err)
	}
	o.Force = true
	if p := replayed(t, o); !hasRemark(p.Taken.Remarks, "wrong names") || p.Trace.Calls != whole(t).Trace.Calls {
		t.Errorf("%q", p.Taken.Remarks)
	}
}

// TestNoCalibrate: what tracing costs is left in the times, so that no function is faster.
func TestNoCalibrate(t *testing.T) {
	with, without := whole(t), replayed(t, tracing.Options{Demo: true, NoCalibrate: true})
	if !with.Trace.Calibrated || without.Trace.Calibrated {
		t.Errorf("calibrated %v and %v", with.Trace.Calibrated, without.Trace.Calibrated)
	}
	total := func(p *profile.Profile) (self time.Duration) {
		for _, f := range p.Trace.Functions {
			self += f.Self
		}
		return self
	}
	if a, b := total(with), total(without); a >= b {
		t.Errorf("%v without the cost of tracing, %v with it", a, b)
	}
}

// notRecordings are files of other kinds, and what is said of them.
func notRecordings() map[string]struct {
	content []byte
	want    string
} {
	return map[string]struct {
		content []byte
		want    string
	}{
		"empty":   {nil, "empty"},
		"ELF":     {demo.ELF, "an ELF file"},
		"gzip":    {[]byte("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"), "a gzip file"},
		"zip":     {[]byte("PK\x03\x04\x14\x00\x00\x00"), "a zip file"},
		"samples": {[]byte("mprofrec\x01\x00\x00\x00\x00"), "a recording of samples"},
		"JSON":    {[]byte(`{"meta":{"version":29}}`), "a JSON file"},
		"text":    {bytes.Repeat([]byte("boot: pump controller 1.4\r\n"), 20), "pump controller"},
		"noise":   {bytes.Repeat([]byte{0x93, 0x12, 0xa7, 0x5b, 0xd4, 0x2d}, 500), "none of them a packet"},
		"a byte":  {[]byte{0x55}, ""},
		"headers": {bytes.Repeat([]byte{0x55, 0xAA}, 3000), "none of them a packet"},
	}
}

// TestNoRecording: a file of another kind is named for what it is, and is no profile without
// calls.
func TestNoRecording(t *testing.T) {
	for name, c := range notRecordings() {
		path := file(t, "input", c.content)
		p, err := newRun(t, tracing.Options{From: path}).Replay(t.Context())
		if p != nil || !says(err, path, c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if tracing.IsRecording(path) {
			t.Errorf("%s is taken for a recording", name)
		}
	}
	dir := t.TempDir()
	for _, path := range []string{dir, filepath.Join(dir, "missing")} {
		if p, err := newRun(t, tracing.Options{From: path}).Replay(t.Context()); p != nil || !says(err, path) || tracing.IsRecording(path) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
