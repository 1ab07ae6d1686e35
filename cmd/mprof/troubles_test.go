package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mprof/mprof/cortexm"
	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/sim"
	"github.com/mprof/mprof/snapshot"
)

// jsonOf is what the JSON summary says of troubles.
type jsonOf struct {
	Samples struct{ Asked, Taken uint64 }
	Resets  uint64
	Lost    uint64 `json:"samples_lost_to_resets"`
	Away    []struct {
		Name   string
		Pieces int
		TimeS  float64 `json:"time_s"`
	}
	Events []struct {
		Name  string
		TimeS float64 `json:"time_s"`
	}
}

func parseSummary(t *testing.T, s outcome) (out jsonOf) {
	t.Helper()
	if err := json.Unmarshal([]byte(s.stdout), &out); s.code != 0 || err != nil {
		t.Fatalf("exit code %d: %s; %v", s.code, s.stderr, err)
	}
	return out
}

// Whatever goes wrong, every sample is in the recording, in order, with what
// happened in between; and a profile made of the recording is the one of the run.
func TestRecordingUnderFaults(t *testing.T) {
	for _, model := range []string{"mcu-link", "debugprobe", "daplink-hid"} {
		dir := t.TempDir()
		recording := filepath.Join(dir, "run.mprof")
		first, again := filepath.Join(dir, "first.folded"), filepath.Join(dir, "again.folded")
		s := mprof(t.Context(), nil, "sample", "--json", "--probe", "sim:"+model+",off=3s+500ms,unplug=4s+500ms,reset=5s,lost=5500ms,brown-out=6s+300ms,fault=7s,long=7200ms,short=7400ms",
			"--seed", "1", "--duration", "7", "--record", recording, "-o", first)
		run := parseSummary(t, s)
		s.leftRunning(t)
		taken, events := readRecording(t, recording)
		if taken != run.Samples.Taken || run.Samples.Asked < taken || taken < 320 {
			t.Errorf("%s: %d samples in the recording, the run took %d", model, taken, run.Samples.Taken)
		}
		for kind, least := range map[string]int{cortexm.EventTargetLost: 2, cortexm.EventProbeLost: 1, cortexm.EventBack: 3, cortexm.EventRecovered: 1} {
			if events[kind] < least {
				t.Errorf("%s: %d events %q", model, events[kind], kind)
			}
		}
		off := map[string]float64{}
		for _, a := range run.Away {
			off[a.Name] = a.TimeS
		}
		if off["Target off"] < 0.45 || off["Target off"] > 1.3 || off["Probe gone"] < 0.45 || off["Probe gone"] > 1.2 || run.Resets < 2 {
			t.Errorf("%s: away %v, %d resets", model, off, run.Resets)
		}
		for _, text := range []string{"the probe is gone", "the target does not answer", "back: probe gone for"} {
			if !strings.Contains(s.stderr, text) {
				t.Errorf("%s: standard error does not say %q: %s", model, text, s.stderr)
			}
		}
		converted := parseSummary(t, mprof(t.Context(), nil, "convert", "--json", "-o", again, recording))
		if d := cmp.Diff(run, converted); d != "" {
			t.Errorf("%s: the recording tells something else: %s", model, d)
		}
		a, _ := os.ReadFile(first)
		b, err := os.ReadFile(again)
		if err != nil || string(a) != string(b) {
			t.Errorf("%s: the profile of the recording differs", model)
		}
	}
}

// readRecording counts samples and events; the samples' numbers have no gap.
func readRecording(t *testing.T, path string) (taken uint64, events map[string]int) {
	t.Helper()
	r, err := snapshot.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for seq := uint64(0); ; seq++ {
		s, err := r.Next(context.Background())
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if s.Seq != seq {
			t.Fatalf("sample %d where %d comes next", s.Seq, seq)
		}
		if s.Miss == snapshot.Taken {
			taken++
		}
	}
	events = map[string]int{}
	for _, e := range r.Events() {
		events[e.Kind]++
	}
	return taken, events
}

// A process that was killed in the middle of a sample can leave a halted core:
// the next one says so, and takes it over on request.
func TestResume(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.folded")
	halted := func(b *sim.Board) {
		p, err := probe.Open(context.Background(), b.Transport(), probe.Options{})
		if err == nil {
			err = errors.Join(p.WriteWord(context.Background(), 0xE000EDF0, 0xA05F0003), p.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	s := mprof(t.Context(), halted, "sample", "--probe", "sim", "--duration", "1", "-o", out)
	if s.code != 1 || !strings.Contains(s.stderr, "halted already") || !strings.Contains(s.stderr, "--resume") {
		t.Errorf("exit code %d, %s", s.code, s.stderr)
	}
	s = mprof(t.Context(), halted, "sample", "--probe", "sim", "--resume", "--duration", "1", "-o", out)
	if s.code != 0 || foldedSamples(t, out) < 80 {
		t.Errorf("exit code %d, %s", s.code, s.stderr)
	}
	s.leftRunning(t)
}
