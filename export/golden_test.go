package export_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	pprof "github.com/google/pprof/profile"

	"github.com/mprof/mprof/export"
	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/unwind"
)

var update = flag.Bool("update", false, "write testdata anew")

// small is a profile of six samples that shows every kind of frame.
func small(t testing.TB) *profile.Profile {
	t.Helper()
	b := profile.NewBuilder(program, profile.Options{
		Start: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), Period: 10 * time.Millisecond, Mapping: mapping,
		Source: func(file string) (string, bool) { return "int main;\n", file == mainFn.file },
	})
	add := func(ms int, state snapshot.State, stop unwind.Stop, frames ...unwind.Frame) {
		b.Add(&snapshot.Snapshot{Time: time.Duration(ms) * time.Millisecond, Weight: 10 * time.Millisecond,
			Halted: time.Duration(ms) * time.Microsecond, State: state}, frames, stop)
	}
	add(10, 0, unwind.Stop{}, leaf(0x08000230), caller(0x08000210), caller(0x08000110))
	add(20, 0, unwind.Stop{}, leaf(0x08000a10), boundary(15), interrupted(0x08000210), caller(0x08000110))
	add(30, snapshot.Sleeping, unwind.Stop{}, leaf(0x08000910), caller(0x08000112))
	b.Add(&snapshot.Snapshot{Time: 40 * time.Millisecond, Miss: snapshot.TargetWait}, nil, unwind.Stop{Reason: unwind.NoSample})
	add(50, snapshot.Reset, unwind.Stop{Reason: unwind.NotCaptured, Addr: 0x20001000}, leaf(0x08000810), caller(0x08000310))
	add(60, 0, unwind.Stop{Reason: unwind.NoRule, Addr: 0x1fff0000}, leaf(0x1fff0000), unwind.Frame{PC: 0x08000112, Kind: unwind.Caller, Method: unwind.FromScan})
	add(70, 0, unwind.Stop{}, leaf(0x08000410), caller(0x08000112))
	return b.Finish(profile.Acquisition{
		Command: []string{"mprof", "sample", "app.elf"}, Version: "0.1.0", Device: "Cortex-M4 r0p1", Probe: "a probe", EndReason: "interrupted",
		Remarks: []string{"one thing to know"}, Seed: 1, RateHz: 100, SWCLKHz: 4_000_000, ClockLabel: "virtual time",
	}, 80*time.Millisecond)
}

// golden compares with a file in testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (go test ./export -update writes it anew):\n%s", path, diff)
	}
}

func TestGoldenFirefox(t *testing.T) {
	var out, indented bytes.Buffer
	if err := export.WriteFirefox(&out, small(t)); err != nil {
		t.Fatal(err)
	}
	if err := json.Indent(&indented, out.Bytes(), "", " "); err != nil {
		t.Fatal(err)
	}
	golden(t, "small.firefox.json", indented.Bytes())
}

func TestGoldenPprof(t *testing.T) {
	var out bytes.Buffer
	if err := export.WritePprof(&out, small(t)); err != nil {
		t.Fatal(err)
	}
	parsed, err := pprof.Parse(&out)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "small.pprof.txt", []byte(parsed.String()))
}

func TestGoldenFolded(t *testing.T) {
	var out bytes.Buffer
	if err := export.WriteFolded(&out, small(t)); err != nil {
		t.Fatal(err)
	}
	golden(t, "small.folded", out.Bytes())
}

func TestGoldenSummary(t *testing.T) {
	files := []string{"p.json.gz", "my profile.pb.gz", "-", "p.folded"}
	for name, colour := range map[string]bool{"small.summary": false, "small.summary.colour": true} {
		var out bytes.Buffer
		if err := export.Summary(&out, small(t), export.SummaryOptions{Colour: colour, Functions: 8, Files: files}); err != nil {
			t.Fatal(err)
		}
		golden(t, name, out.Bytes())
	}
	var out bytes.Buffer
	if err := export.SummaryJSON(&out, small(t), files...); err != nil {
		t.Fatal(err)
	}
	golden(t, "small.summary.json", out.Bytes())
}
