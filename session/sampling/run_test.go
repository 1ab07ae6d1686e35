package sampling_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mprof/mprof/firmware/examples"
	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/session/sampling"
	"github.com/mprof/mprof/session/target"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/symbol"
)

// says tells whether an error is there and has all of these words.
func says(err error, words ...string) bool {
	return err != nil && !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(err.Error(), w) })
}

func program(t testing.TB, path string) *symbol.Program {
	t.Helper()
	of, err := target.OpenProgram(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return of
}

// sampled is a run in virtual time on the simulated board, and its recording.
func sampled(t testing.TB, o sampling.Options) (p *profile.Profile, recording string, err error) {
	t.Helper()
	recording = filepath.Join(t.TempDir(), "run.mprof")
	o.Recording = recording
	r, err := sampling.Open(t.Context(), o, program(t, ""))
	if err != nil {
		t.Fatal(err)
	}
	runErr := r.Sample(t.Context())
	p = r.Finish(t.Context(), runErr)
	if err := p.Check(); err != nil {
		t.Error(err)
	}
	return p, recording, runErr
}

func read(t testing.TB, path string, o sampling.ReadOptions) (*profile.Profile, error) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	p, _, err := sampling.Read(t.Context(), file, path, o)
	return p, err
}

// samples counts those of a profile by their functions, innermost first.
func samples(p *profile.Profile) map[string]uint64 {
	counts := map[string]uint64{}
	for _, row := range p.Top() {
		counts[row.Name] += uint64(row.Self)
	}
	return counts
}

// TestReadIsTheRun: the recording of a run says what the run said, with each way to sample.
func TestReadIsTheRun(t *testing.T) {
	for _, method := range []string{sampling.MethodAuto, profile.MethodDWARF, profile.MethodPC, profile.MethodPCSR} {
		o := sampling.Options{Target: target.Options{Probe: "sim"}, Method: method, Rate: 1000, Duration: 300 * time.Millisecond, Seed: 7}
		p, recording, err := sampled(t, o)
		if err != nil {
			t.Fatalf("%s: %v", method, err)
		}
		if p.Taken.EndReason != "duration reached" || p.Taken.ClockLabel != target.VirtualTime || p.Taken.Seed != 7 {
			t.Errorf("%s: %+v", method, p.Taken)
		}
		again, err := read(t, recording, sampling.ReadOptions{})
		if err != nil {
			t.Fatalf("%s: %v", method, err)
		}
		got, want := samples(again), samples(p)
		if diff := cmp.Diff(want, got); diff != "" || len(want) < 5 {
			t.Errorf("%s: %d functions (-run +recording)\n%s", method, len(want), diff)
		}
		if diff := cmp.Diff(p.Taken, again.Taken); diff != "" || p.Duration != again.Duration {
			t.Errorf("%s: %v and %v (-run +recording)\n%s", method, p.Duration, again.Duration, diff)
		}
	}
}

// TestFallsBack: a core without a PCSR is halted, and the user is told.
func TestFallsBack(t *testing.T) {
	p, _, err := sampled(t, sampling.Options{Target: target.Options{Probe: "sim,no-pcsr"}, Method: profile.MethodPCSR, Rate: 100, Duration: 200 * time.Millisecond})
	if err != nil || p.Taken.Method != profile.MethodPC || !slices.ContainsFunc(p.Taken.Remarks, func(r string) bool { return strings.Contains(r, "sampled by halting instead") }) {
		t.Errorf("%v: %s, %q", err, p.Taken.Method, p.Taken.Remarks)
	}
}

// TestUnpluggedForGood: what came before is in the profile and in the recording.
func TestUnpluggedForGood(t *testing.T) {
	var advice []sampling.Advice
	recording := filepath.Join(t.TempDir(), "run.mprof")
	ctx, stop := context.WithCancelCause(t.Context())
	defer stop(nil)
	lost := errors.New("given up")
	o := sampling.Options{Target: target.Options{Probe: "sim:debugprobe,unplug=300ms"}, Rate: 1000, Duration: time.Hour, Recording: recording, Advice: func(a sampling.Advice) {
		if advice = append(advice, a); a.Lost {
			stop(lost)
		}
	}}
	r, err := sampling.Open(ctx, o, program(t, ""))
	if err != nil {
		t.Fatal(err)
	}
	runErr := r.Sample(ctx)
	p := r.Finish(ctx, runErr)
	if len(advice) == 0 || !advice[0].Lost || !strings.Contains(advice[0].Text, "the probe is gone") {
		t.Errorf("%+v", advice)
	}
	if runErr != nil && !errors.Is(runErr, probe.ErrDisconnected) {
		t.Error(runErr)
	}
	again, err := read(t, recording, sampling.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(p.Events, again.Events); diff != "" || len(p.Events) == 0 {
		t.Errorf("%d events (-run +recording)\n%s", len(p.Events), diff)
	}
	count := func(p *profile.Profile) (n uint64) {
		for _, c := range samples(p) {
			n += c
		}
		return n
	}
	if n := count(p); n < 100 || n != count(again) {
		t.Errorf("%d samples of 300 ms at 1 kHz, %d in the recording", n, count(again))
	}
}

// TestRefused: what no target can do is refused before one is touched.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		o    sampling.Options
		want string
	}{
		{sampling.Options{Target: target.Options{Probe: "sim"}, Rate: 20001}, "20000 Hz at most"},
		{sampling.Options{Target: target.Options{Probe: "sim", Monitor: []string{"reset"}}}, "--monitor is for GDB servers"},
		{sampling.Options{Target: target.Options{Probe: "gdb:localhost:1234"}, Method: profile.MethodPCSR}, "--method pcsr"},
		{sampling.Options{Target: target.Options{Probe: "gdb:localhost:1234"}, MaxHalt: time.Millisecond}, "--max-halt"},
		{sampling.Options{Target: target.Options{Probe: "gdb:localhost"}}, "gdb:HOST:PORT"},
	} {
		if err := c.o.Check(); !says(err, c.want) || !errors.As(err, new(*target.UsageError)) {
			t.Errorf("%+v: %v", c.o.Target, err)
		}
	}
	for _, o := range []sampling.Options{{Target: target.Options{Probe: "sim"}, Rate: 20000}, {Target: target.Options{Probe: "sim"}, Method: profile.MethodPCSR, Rate: 200_000}, {Target: target.Options{Probe: "gdb:localhost:1234"}}} {
		if err := o.Check(); err != nil {
			t.Error(err)
		}
	}
}

// TestOtherProgram: the ELF file of another program is refused, and so is its look; the core
// runs on, and no recording is made. --force goes on and says so.
func TestOtherProgram(t *testing.T) {
	path := filepath.Join(t.TempDir(), "other.elf")
	if err := os.WriteFile(path, examples.DemoELF, 0o600); err != nil {
		t.Fatal(err)
	}
	var board *target.Target
	o := sampling.Options{Target: target.Options{Probe: "sim"}, Rate: 100, Duration: 100 * time.Millisecond, Recording: filepath.Join(t.TempDir(), "run.mprof"), Opened: func(t *target.Target) { board = t }}
	of := program(t, path)
	_, openErr := sampling.Open(t.Context(), o, of)
	if st := board.Board.CoreState(); st.Halted || st.DebugEnabled {
		t.Errorf("the core was left as %+v", st)
	}
	_, lookErr := sampling.Look(t.Context(), o, of)
	for _, err := range []error{openErr, lookErr} {
		if !errors.As(err, new(*symbol.MismatchError)) {
			t.Error(err)
		}
	}
	if _, err := os.Stat(o.Recording); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a recording: %v", err)
	}
	if found, err := sampling.Look(t.Context(), o, program(t, "")); err != nil || found.Core == "" || found.Probe == "" {
		t.Errorf("%+v, %v", found, err)
	}
	o.Force = true
	r, err := sampling.Open(t.Context(), o, of)
	if err != nil {
		t.Fatal(err)
	}
	if p := r.Finish(t.Context(), r.Sample(t.Context())); !slices.ContainsFunc(p.Taken.Remarks, func(r string) bool { return strings.Contains(r, "wrong names") }) {
		t.Errorf("%q", p.Taken.Remarks)
	}
}

// FuzzRead: the begin of a recording, with bytes of it changed, is a profile that holds
// together, or an error; never more samples than were recorded.
func FuzzRead(f *testing.F) {
	_, path, err := sampled(f, sampling.Options{Target: target.Options{Probe: "sim"}, Rate: 100, Duration: 200 * time.Millisecond, Seed: 1})
	if err != nil {
		f.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	of := program(f, "")
	f.Add(uint16(0), []byte(nil))
	f.Add(uint16(len(whole)), []byte(nil))
	f.Add(uint16(len(whole)/2), []byte{0, 40, 1, 1, 0, 255})
	f.Fuzz(func(t *testing.T, length uint16, changes []byte) {
		b := bytes.Clone(whole[:min(int(length), len(whole))])
		for ; len(changes) >= 3 && len(b) > 0; changes = changes[3:] {
			b[(int(changes[0])<<8|int(changes[1]))%len(b)] ^= changes[2]
		}
		for _, growing := range []bool{false, true} {
			p, _, err := sampling.Read(t.Context(), bytes.NewReader(b), "run.mprof", sampling.ReadOptions{Program: of, Force: true, Growing: growing})
			if err != nil {
				continue
			}
			if err := p.Check(); err != nil {
				t.Error(err)
			}
			if reason := p.Taken.EndReason; reason == "" {
				t.Error("the profile does not say why it ends")
			}
		}
	})
}

// TestNotSamples: a file of another kind is an error with its name.
func TestNotSamples(t *testing.T) {
	for _, content := range [][]byte{nil, []byte("words"), examples.DemoRecording[:1000], examples.DemoELF[:1000], []byte("mprofrec")} {
		path := filepath.Join(t.TempDir(), "run.mprof")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if p, err := read(t, path, sampling.ReadOptions{}); p != nil || !says(err, path) {
			t.Errorf("%.10q: %v", content, err)
		}
		if len(content) > 8 && snapshot.IsRecording(content) {
			t.Errorf("%.10q is taken for a recording", content)
		}
	}
}
