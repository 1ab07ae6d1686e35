package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/symbol"
	"github.com/mprof/mprof/trace/calls"
)

// A disk that is full: the copy of the bytes that nobody asked for ends, and not the run,
// which says so; that of --record ends the run.
func TestTraceFullDisk(t *testing.T) {
	app := demoFile(t)
	for _, recorded := range []bool{false, true} {
		dir := t.TempDir()
		full := func(name string) {
			if err := os.Symlink("/dev/full", filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
		full("raw.bin")
		for after := range int64(60) { // the name has the time
			full(fmt.Sprintf("out-%d.bin", time.Now().Unix()+after))
		}
		out := filepath.Join(dir, "out.folded")
		args := []string{"trace", "--duration", "700ms", "-o", out, "--port", newFakeTarget(t, 2).listen(t, 0)}
		if recorded {
			args = append(args, "--record", filepath.Join(dir, "raw.bin"))
		}
		s := mprof(t.Context(), nil, append(args, app)...)
		if said := strings.Contains(s.stdout, "no space left on device: there is no copy of them"); said == recorded || s.code == 0 == recorded {
			t.Errorf("--record %v: exit code %d: %s%s", recorded, s.code, s.stdout, s.stderr)
		}
		if recorded && !strings.Contains(s.stderr, "raw.bin: no space left on device") {
			t.Error(s.stderr)
		}
		if st, err := os.Stat(out); err != nil || st.Size() == 0 {
			t.Errorf("--record %v: %v", recorded, err)
		}
	}
}

// Outputs that cannot be written are not among those to open next.
func TestDeliverFails(t *testing.T) {
	dir := t.TempDir()
	good, bad := filepath.Join(dir, "out.folded"), filepath.Join(dir, "nowhere", "out.json")
	var stdout bytes.Buffer
	p := calls.NewBuilder(new(symbol.Image), calls.Options{}).Finish(profile.Acquisition{}, 0)
	err := (&app{stdout: &stdout}).deliver(p, outputs{paths: []string{bad, good}})
	if err == nil || !strings.Contains(err.Error(), bad) || strings.Contains(stdout.String(), bad) || !strings.Contains(stdout.String(), good) {
		t.Errorf("%v\n%s", err, stdout.String())
	}
}
