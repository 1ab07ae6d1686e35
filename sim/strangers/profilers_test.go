//go:build linux && cgo

package strangers

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/mprof/mprof/gmon"
	"github.com/mprof/mprof/snapshot"
)

// peersSWCLK is the SWD clock of the comparison, in Hz.
const peersSWCLK = 10_000_000

// fewestSamples are those that say something.
const fewestSamples = 10

// profileOpenOCD lets OpenOCD profile a running board for d, and until there are fewestSamples. Its command ends
// after 10000 samples, and is then given again.
func profileOpenOCD(t testing.TB, r *rig, d time.Duration) *outcome {
	t.Helper()
	f := newFunctions(t, r.elf)
	o := startOpenOCD(r, "adapter speed "+strconv.Itoa(peersSWCLK/1000))
	file := filepath.Join(t.TempDir(), "gmon.out")
	result := newOutcome()
	var histograms []*gmon.Data
	for end, counted := time.Now().Add(d), uint64(0); counted < fewestSamples || time.Now().Before(end); {
		from := r.account()
		o.do("profile %d %s 0x%08x 0x%08x", max(int(time.Until(end)/time.Second), 1), file, f.starts[0], f.starts[len(f.starts)-1]+0x1000)
		result.stretch(from, r.account())
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatalf("%v\n%s", err, o.end())
		}
		h, _, err := gmon.Decode(raw)
		if err != nil || len(h.Buckets) == 0 {
			t.Fatalf("%d bytes of gmon.out without a count: %v", len(raw), err)
		}
		histograms = append(histograms, h)
		for _, b := range h.Buckets {
			counted += b.Count
		}
	}
	for _, h := range histograms {
		for _, b := range h.Buckets {
			result.samples += int(b.Count)
			result.found[f.at((b.Addr+1)&^1, result.truth)] += float64(b.Count) // the first instruction of a bucket that may have an odd begin
		}
	}
	o.shutdown()
	r.running()
	return result
}

// buildDir is where the program is built, once.
var buildDir string

func TestMain(m *testing.M) {
	code := m.Run()
	if buildDir != "" {
		os.RemoveAll(buildDir)
	}
	os.Exit(code)
}

var mprof = sync.OnceValues(func() (path string, err error) {
	if buildDir, err = os.MkdirTemp("", "mprof"); err != nil {
		return "", err
	}
	path = filepath.Join(buildDir, "mprof")
	out, err := exec.Command("go", "build", "-o", path, "github.com/mprof/mprof/cmd/mprof").CombinedOutput()
	if err != nil {
		return "", errors.New(string(out))
	}
	return path, nil
})

// profileMprof runs mprof sample on a board.
func profileMprof(t testing.TB, r *rig, d time.Duration, flags ...string) *outcome {
	t.Helper()
	program, err := mprof()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	elf, recording := filepath.Join(dir, "app.elf"), filepath.Join(dir, "run.mprof")
	if err := os.WriteFile(elf, r.elf, 0o644); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"sample", "--quiet", "--speed", strconv.Itoa(peersSWCLK), "--duration", d.String(), "--record", recording, "-o", filepath.Join(dir, "out.pb.gz")}, flags...)
	cmd := exec.Command(program, append(args, elf)...)
	var log syncBuffer
	cmd.Stdout, cmd.Stderr = &log, &log
	var to account
	r.log.onDisconnect(func() { to = r.account() })
	r.start(cmd)
	waitForFile(t, recording, &log)
	result, from := newOutcome(), r.account()
	if err := cmd.Wait(); err != nil {
		t.Fatalf("mprof: %v\n%s", err, log.String())
	}
	r.log.onDisconnect(nil) // it is done with to
	result.stretch(from, to)
	result.add(t, recording, newFunctions(t, r.elf))
	r.running()
	return result
}

// waitForFile waits until the recording is there: from then on there are samples.
func waitForFile(t testing.TB, path string, log *syncBuffer) {
	t.Helper()
	for range 20_000 {
		if _, err := os.Stat(path); err == nil {
			return
		} else if !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatalf("mprof takes no samples: %s", log.String())
}

// add counts the samples of a recording by function, each as one: a histogram
// of OpenOCD's cannot do better, and the times of a busy host would only add
// their own noise.
func (o *outcome) add(t testing.TB, path string, f functions) {
	t.Helper()
	in, err := snapshot.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	for {
		s, err := in.Next(context.Background())
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case s.Block != nil:
			for _, pc := range s.Block.PCs {
				if pc != 0 && pc != 0xffffffff {
					o.samples++
					o.found[f.at(pc, o.truth)]++
				}
			}
		case s.Miss == snapshot.Taken:
			pc, _ := s.Regs.Value(snapshot.PC)
			o.samples++
			o.found[f.at(pc, o.truth)]++
		}
	}
}
