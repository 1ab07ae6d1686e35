package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mprof/mprof/export"
	"github.com/mprof/mprof/gmon"
	"github.com/mprof/mprof/session/counting/countingtest"
	"github.com/mprof/mprof/sim"
	"github.com/mprof/mprof/symbol"
)

// gmonFetch runs mprof gmon on the simulated board, and checks that it leaves the core alone.
func gmonFetch(t *testing.T, watch func(*sim.Board), command, probe, elf string, args ...string) outcome {
	t.Helper()
	s := mprof(t.Context(), watch, append([]string{"gmon", command, "--probe", "sim:" + probe + "," + countingtest.SimOptions, elf}, args...)...)
	if s.board != nil {
		s.leftRunning(t)
	}
	return s
}

func readGmon(t *testing.T, path string) *gmon.Data {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	d, _, err := gmon.Decode(raw)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return d
}

// total is the sum of a histogram.
func total(d *gmon.Data) (n uint64) {
	for _, b := range d.Buckets {
		n += b.Count
	}
	return n
}

// held is what the board holds at this moment.
func held(t *testing.T, b *sim.Board, elf string) *gmon.Data {
	t.Helper()
	d := countingtest.Held(t, b, elf).Data()
	d.PerSample = 0 // no file says it
	return d
}

// TestGmonFetchHalted: the file has exactly what the firmware held when the core was halted, and gprof says
// the same.
func TestGmonFetchHalted(t *testing.T) {
	elf := countingtest.Plain.ELF(t)
	for _, model := range sim.Models() {
		t.Run(model, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "gmon.out")
			var want *gmon.Data
			s := gmonFetch(t, func(b *sim.Board) {
				_ = b.Sleep(t.Context(), 3*time.Second)
				b.OnHalt(func(time.Duration) { want = held(t, b, elf) })
			}, "fetch", model, elf, "--halt", "-o", out)
			if s.code != 0 {
				t.Fatalf("exit code %d: %s", s.code, s.stderr)
			}
			got := readGmon(t, out)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("(-held +fetched):\n%s", diff)
			}
			if n := total(got); n < 2900 {
				t.Errorf("%d ticks of 1 ms in 3 s", n)
			}
			if !strings.Contains(s.stdout, "all counters are of one moment: the core stood for") || s.board.HaltedTime() == 0 {
				t.Errorf("halted for %v: %s", s.board.HaltedTime(), s.stdout)
			}
			judgeByGprof(t, elf, out, got)
		})
	}
}

// judgeByGprof compares the sums of gprof's flat profile with a file's.
func judgeByGprof(t *testing.T, elf, out string, d *gmon.Data) {
	t.Helper()
	text, err := exec.Command("arm-none-eabi-gprof", "-b", "-p", elf, out).CombinedOutput()
	if err != nil {
		t.Fatalf("arm-none-eabi-gprof: %v\n%s", err, text)
	}
	var seconds float64
	calls := map[string]uint64{}
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) < 4 || !strings.Contains(f[0], ".") {
			continue
		}
		self, err := strconv.ParseFloat(f[2], 64)
		if err != nil {
			continue
		}
		seconds += self
		if n, err := strconv.ParseUint(f[3], 10, 64); err == nil {
			calls[f[len(f)-1]] = n
		}
	}
	// Each line is rounded to 10 ms.
	if want := float64(total(d)) / float64(d.Rate); seconds < want-0.06 || seconds > want+0.06 {
		t.Errorf("gprof has %.2f s, the file %.2f\n%s", seconds, want, text)
	}
	var arcs uint64
	for _, a := range d.Arcs {
		arcs += a.Count
	}
	rounds := calls["calls_twice"]
	if rounds == 0 || calls["spins_100us"]+1 < 2*rounds || calls["spins_300us"]+1 < rounds {
		t.Errorf("gprof counts %v", calls)
	}
	if arcs < 8*rounds-8 || arcs > 8*rounds+8 {
		t.Errorf("%d calls in the file, 8 in each of %d rounds", arcs, rounds)
	}
}

// TestGmonFetchRunning: without --halt the core never stands, and what is fetched is between what was held
// before and after.
func TestGmonFetchRunning(t *testing.T) {
	elf := countingtest.Plain.ELF(t)
	out := filepath.Join(t.TempDir(), "gmon.out")
	var before *gmon.Data
	s := gmonFetch(t, func(b *sim.Board) {
		_ = b.Sleep(t.Context(), 2*time.Second)
		before = held(t, b, elf)
	}, "fetch", "mcu-link", elf, "-o", out)
	if s.code != 0 || !strings.Contains(s.stdout, "the core ran on") {
		t.Fatalf("exit code %d: %s%s", s.code, s.stdout, s.stderr)
	}
	if s.board.HaltedTime() != 0 {
		t.Errorf("the core stood for %v", s.board.HaltedTime())
	}
	got, after := readGmon(t, out), held(t, s.board, elf)
	if total(before) > total(got) || total(got) > total(after) {
		t.Errorf("%d fetched, %d to %d held", total(got), total(before), total(after))
	}
	counts := func(d *gmon.Data) map[uint32]uint64 {
		m := map[uint32]uint64{}
		for _, b := range d.Buckets {
			m[b.Addr] = b.Count
		}
		return m
	}
	low, high := counts(before), counts(after)
	for addr, n := range counts(got) {
		if n < low[addr] || n > high[addr] {
			t.Errorf("0x%08x: %d fetched, %d to %d held", addr, n, low[addr], high[addr])
		}
	}
}

// TestGmonFetchReset: the counters begin anew behind what was fetched.
func TestGmonFetchReset(t *testing.T) {
	elf := countingtest.Plain.ELF(t)
	out := filepath.Join(t.TempDir(), "gmon.out")
	for _, args := range [][]string{{"--reset"}, {"--reset", "--halt=false"}} {
		s := gmonFetch(t, func(b *sim.Board) { _ = b.Sleep(t.Context(), 2*time.Second) }, "fetch", "debugprobe", elf, append(args, "-o", out)...)
		if s.code != 0 {
			t.Fatalf("%v: exit code %d: %s", args, s.code, s.stderr)
		}
		if n := total(readGmon(t, out)); n < 1900 {
			t.Errorf("%v: %d ticks fetched of 2 s", args, n)
		}
		if n := total(held(t, s.board, elf)); n > 200 {
			t.Errorf("%v: %d ticks are left", args, n)
		}
		if stood := s.board.HaltedTime() != 0; stood != (len(args) == 1) {
			t.Errorf("%v: the core stood for %v", args, s.board.HaltedTime())
		}
	}
}

// TestGmonReset clears and writes nothing.
func TestGmonReset(t *testing.T) {
	elf := countingtest.Plain.ELF(t)
	s := gmonFetch(t, func(b *sim.Board) { _ = b.Sleep(t.Context(), 2*time.Second) }, "reset", "debugprobe", elf)
	if s.code != 0 || !strings.Contains(s.stdout, "has cleared its counters") {
		t.Fatalf("exit code %d: %s%s", s.code, s.stdout, s.stderr)
	}
	if n := total(held(t, s.board, elf)); n > 200 || s.board.HaltedTime() != 0 {
		t.Errorf("%d ticks are left; the core stood for %v", n, s.board.HaltedTime())
	}
}

// TestGmonEvery: intervals add up to the whole, with and without clearing.
func TestGmonEvery(t *testing.T) {
	elf := countingtest.Plain.ELF(t)
	for _, args := range [][]string{nil, {"--reset"}} {
		dir := t.TempDir()
		s := gmonFetch(t, nil, "fetch", "debugprobe", elf, append(args, "--every", "2", "--duration", "5", "--json", "-o", filepath.Join(dir, "gmon.out"))...)
		if s.code != 0 {
			t.Fatalf("%v: exit code %d: %s", args, s.code, s.stderr)
		}
		var readings []gmonReading
		for d := json.NewDecoder(strings.NewReader(s.stdout)); d.More(); {
			var g gmonReading
			if err := d.Decode(&g); err != nil {
				t.Fatal(err)
			}
			readings = append(readings, g)
		}
		if len(readings) != 3 {
			t.Fatalf("%v: %d lines:\n%s", args, len(readings), s.stdout)
		}
		for i, want := range []uint64{2006, 2006, 1003} {
			path := filepath.Join(dir, fmt.Sprintf("gmon-%03d.out", i+1))
			n := total(readGmon(t, path))
			if diff := cmp.Diff([]string{path}, readings[i].Files); diff != "" || readings[i].Counted != n {
				t.Errorf("%v: file %d has %d ticks, said are %d: %s", args, i+1, n, readings[i].Counted, diff)
			}
			if n < want-100 || n > want+100 {
				t.Errorf("%v: %d ticks in interval %d, about %d were due", args, n, i+1, want)
			}
		}
	}
}

// TestGmonEveryInterrupted: the interval that a signal ends is written, too.
func TestGmonEveryInterrupted(t *testing.T) {
	elf := countingtest.Plain.ELF(t)
	for at, want := range []int{0, 0, 1, 2} {
		dir := t.TempDir()
		ctx, cancel := context.WithCancelCause(t.Context())
		halts := 0
		watch := func(b *sim.Board) {
			b.OnHalt(func(time.Duration) {
				if halts++; halts == at {
					cancel(&signalError{syscall.SIGINT})
				}
			})
		}
		if at == 0 {
			cancel(&signalError{syscall.SIGINT})
		}
		s := mprof(ctx, watch, "gmon", "fetch", "--probe", "sim:debugprobe,"+countingtest.SimOptions, "--every", "3", "--halt", "-o", filepath.Join(dir, "gmon.out"), elf)
		cancel(nil)
		if code := map[bool]int{true: 0, false: 130}[want > 0]; s.code != code {
			t.Errorf("at halt %d: exit code %d: %s", at, s.code, s.stderr)
		}
		s.leftRunning(t)
		if files, _ := filepath.Glob(filepath.Join(dir, "*")); len(files) != want {
			t.Errorf("at halt %d: %q are left", at, files)
		}
	}
}

// TestGmonNames: what cannot be written is said before the target is counted, under the names that are written.
func TestGmonNames(t *testing.T) {
	dir := t.TempDir()
	elf := countingtest.Plain.ELF(t)
	in := func(name string) string { return filepath.Join(dir, name) }
	if err := os.Mkdir(in("a-001.gmon"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"-o", in("b.gmon"), "-o", dir + "/./b.gmon"}, 2, "named twice"},
		{[]string{"-o", in("gmon.out"), "-o", in("gmon.out")}, 2, "named twice"},
		{[]string{"-o", in("a.gmon"), "--every", "1", "--duration", "2"}, 1, "a-001.gmon"},
		{[]string{"-o", "/dev/full", "--every", "1", "--duration", "2"}, 2, "/dev/full is none"},
	} {
		s := gmonFetch(t, nil, "fetch", "debugprobe", elf, c.args...)
		if s.code != c.code || !strings.Contains(s.stderr, c.want) || s.stdout != "" {
			t.Errorf("%q: exit code %d: %s%s", c.args, s.code, s.stderr, s.stdout)
		}
	}
	for name, want := range map[string]string{"gmon.out": "gmon-007.out", "d.1/p.pb.gz": "d.1/p-007.pb.gz", "v1.2.gmon": "v1.2-007.gmon", "v1.2.json.gz": "v1.2-007.json.gz"} {
		if got := numbered(name, 7); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// TestGmonText: a question ends with its mark, and where no file could be written none is named.
func TestGmonText(t *testing.T) {
	g := gmonReading{Counted: 5, Seconds: 0.001, Remarks: []string{"a remark", "is it?"}}
	if got, want := g.text("app.elf"), "nothing written: 5 ticks of 1 ms (5ms), 0 arcs\n  a remark.\n  is it?\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestGmonOutputs: every format has the ticks of gmon.out, by function.
func TestGmonOutputs(t *testing.T) {
	elf := countingtest.Plain.ELF(t)
	dir := t.TempDir()
	args := []string{"--halt"}
	for _, name := range []string{"gmon.out", "a.gmon", "p.folded", "p.pb.gz", "p.json.gz"} {
		args = append(args, "-o", filepath.Join(dir, name))
	}
	s := gmonFetch(t, func(b *sim.Board) { _ = b.Sleep(t.Context(), 2*time.Second) }, "fetch", "debugprobe", elf, args...)
	if s.code != 0 {
		t.Fatalf("exit code %d: %s", s.code, s.stderr)
	}
	d := readGmon(t, filepath.Join(dir, "gmon.out"))
	if diff := cmp.Diff(d, readGmon(t, filepath.Join(dir, "a.gmon"))); diff != "" {
		t.Errorf("gmon.out and a.gmon differ:\n%s", diff)
	}
	text, err := os.ReadFile(filepath.Join(dir, "p.folded"))
	if err != nil || !strings.Contains(string(text), "main;calls_twice;spins_100us") {
		t.Errorf("%v\n%s", err, text)
	}
	program, err := symbol.NewProgram(must(symbol.Open(elf)))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"p.pb.gz", "p.json.gz"} {
		p, err := export.ReadFile(filepath.Join(dir, name), export.Input{Program: program})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(p.Taken.Remarks, func(s string) bool { return strings.Contains(s, "of one moment") }) {
			t.Errorf("%s does not say of which moment it is: %q", name, p.Taken.Remarks)
		}
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
