package main

import (
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/snapshot/core"
)

const (
	demoELF     = "../../firmware/demo/demo.elf"
	demoCapture = "testdata/demo.capture.json" // an interrupt of a task that runs on the process stack
)

// elfCoreOf writes snapshots as an ELF core file, as gdb does: registers r0-r15
// and xPSR, zero where they are not known, and memory.
func elfCoreOf(t *testing.T, snaps ...*snapshot.Snapshot) string {
	t.Helper()
	le := binary.LittleEndian
	var notes []byte
	for i, s := range snaps {
		note := append([]byte("\x05\x00\x00\x00\x94\x00\x00\x00\x01\x00\x00\x00CORE\x00\x00\x00\x00"), make([]byte, 148)...)
		le.PutUint32(note[20+24:], uint32(i+1))
		for r := range snapshot.XPSR + 1 {
			v, _ := s.Regs.Value(r)
			le.PutUint32(note[20+72+4*int(r):], v)
		}
		notes = append(notes, note...)
	}
	segments := []snapshot.Window{{Data: notes}}
	segments = append(segments, snaps[0].Windows...)
	file := make([]byte, 52+32*len(segments))
	copy(file, "\x7fELF\x01\x01\x01")
	le.PutUint16(file[16:], 4)
	le.PutUint16(file[18:], 40)
	le.PutUint32(file[28:], 52)
	le.PutUint16(file[42:], 32)
	le.PutUint16(file[44:], uint16(len(segments)))
	for i, s := range segments {
		h, kind := file[52+32*i:], uint32(1)
		if i == 0 {
			kind = 4
		}
		for at, v := range map[int]uint32{0: kind, 4: uint32(len(file)), 8: s.Addr, 16: uint32(len(s.Data)), 20: uint32(len(s.Data))} {
			le.PutUint32(h[at:], v)
		}
		file = append(file, s.Data...)
	}
	path := filepath.Join(t.TempDir(), "dump.core")
	if err := os.WriteFile(path, file, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// recordingOf writes them as a recording.
func recordingOf(t *testing.T, snaps ...*snapshot.Snapshot) string {
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

func captured(t *testing.T, path string) *snapshot.Snapshot {
	t.Helper()
	d, err := core.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return &d.Threads[0].Snapshot
}

// printed runs mprof stack and wants success.
func printed(t *testing.T, args ...string) outcome {
	t.Helper()
	s := mprof(t.Context(), nil, append([]string{"stack"}, args...)...)
	if s.code != 0 {
		t.Fatalf("exit code %d: %s", s.code, s.stderr)
	}
	return s
}

// traces is what mprof stack --json prints.
type traces struct {
	Kind, Arch string
	Warnings   []string
	Stacks     []stackTrace
}

func printedJSON(t *testing.T, args ...string) (out traces) {
	t.Helper()
	s := printed(t, append(args, "--json")...)
	if err := json.Unmarshal([]byte(s.stdout), &out); err != nil {
		t.Fatalf("%v: %s", err, s.stdout)
	}
	return out
}

// TestStackText holds the whole text, and the JSON, for one capture.
func TestStackText(t *testing.T) {
	for golden, args := range map[string][]string{
		"testdata/stack.txt":         {demoELF, "--core", demoCapture},
		"testdata/stack-verbose.txt": {demoELF, "-c", demoCapture, "-v"},
		"testdata/stack.json":        {demoELF, "-c", demoCapture, "--json"},
	} {
		s := printed(t, args...)
		if s.stderr != "" {
			t.Errorf("%s: %s", golden, s.stderr)
		}
		if *update {
			if err := os.WriteFile(golden, []byte(s.stdout), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), s.stdout); diff != "" {
			t.Errorf("%s has changed (go test ./cmd/mprof -run StackText -update):\n%s", golden, diff)
		}
	}
}

// TestStackDocument: docs/stack.md shows what is printed.
func TestStackDocument(t *testing.T) {
	doc, err := os.ReadFile("../../docs/stack.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := ""
	for line := range strings.Lines(printed(t, demoELF, "-c", demoCapture).stdout) {
		shown += "    " + line
	}
	if !strings.Contains(string(doc), shown) {
		t.Errorf("docs/stack.md does not show\n%s", shown)
	}
}

// TestStackForms: the same core as a capture, as a recording and as an ELF core
// file gives the same stack, but that the last has no PSP.
func TestStackForms(t *testing.T) {
	s := captured(t, demoCapture)
	fromJSON := printedJSON(t, demoELF, "-c", demoCapture).Stacks[0]
	if !fromJSON.End.Complete || !slices.ContainsFunc(fromJSON.Frames, func(f traceFrame) bool { return f.Exception == "SysTick" }) {
		t.Fatalf("%+v", fromJSON)
	}
	recorded := printedJSON(t, demoELF, "-c", recordingOf(t, s), "--sample", "0")
	if diff := cmp.Diff(fromJSON.Frames, recorded.Stacks[0].Frames); diff != "" || recorded.Kind != "a recording of mprof" {
		t.Errorf("recording: %s", diff)
	}
	path := elfCoreOf(t, s)
	elf := printedJSON(t, demoELF, "-c", path).Stacks[0]
	edge := slices.IndexFunc(fromJSON.Frames, func(f traceFrame) bool { return f.Exception != "" })
	want := slices.Clone(fromJSON.Frames[:edge+1])
	want[edge].CFA = ""
	if diff := cmp.Diff(want, elf.Frames); diff != "" {
		t.Errorf("ELF core file: %s", diff)
	}
	text := printed(t, demoELF, "-c", path).stdout
	if !strings.Contains(text, "cut: the exception return 0xfffffffd leads to the process stack, but an ELF core file does not have PSP\n  A capture in JSON") {
		t.Error(text)
	}
}

// TestStackThreads: a core file with several threads has one stack for each.
func TestStackThreads(t *testing.T) {
	s := captured(t, demoCapture)
	idle := &snapshot.Snapshot{}
	idle.Regs.Set(snapshot.PC, 0x080012ca)
	text := printed(t, demoELF, "-c", elfCoreOf(t, s, idle)).stdout
	if strings.Count(text, "\n\nthread 2\n#0  0x080012ca wait_for_interrupt (inlined)") != 1 || !strings.HasPrefix(text, "thread 1\n#0  ") {
		t.Error(text)
	}
}

// TestStackRecording: samples are chosen by number; PCs and samples that were
// not taken are no stacks, and are told.
func TestStackRecording(t *testing.T) {
	s := captured(t, demoCapture)
	path := recordingOf(t, s, &snapshot.Snapshot{Seq: 1, Miss: snapshot.NotHalted},
		&snapshot.Snapshot{Seq: 2, Miss: snapshot.NoAck, Block: &snapshot.Block{PCs: []uint32{0x080012ca, 0x080012ca}, Lost: 1}})
	all := printedJSON(t, demoELF, "-c", path, "--all").Stacks
	if len(all) != 5 {
		t.Fatalf("%d stacks, want 5", len(all))
	}
	for i, want := range []string{"complete", "not taken (core did not halt)", "", "", "not taken (no acknowledge)"} {
		if *all[i].Sample != uint64(i) || !strings.Contains(all[i].End.Text, want) {
			t.Errorf("sample %d: %s", *all[i].Sample, all[i].End.Text)
		}
	}
	one := printed(t, demoELF, "-c", path, "--sample", "3").stdout
	if !strings.HasPrefix(one, "sample 3 at 0s\n#0  0x080012ca wait_for_interrupt (inlined) at ") {
		t.Error(one)
	}
	for _, c := range []struct {
		code int
		want string
		args []string
	}{
		{2, "holds 5 samples, numbered 0 to 4", nil},
		{1, "no sample 5; its numbers are 0 to 4", []string{"--sample", "5"}},
		{2, "numbered from 0", []string{"--sample=-1"}},
		{2, "exclude each other", []string{"--sample", "1", "--all"}},
	} {
		s := mprof(t.Context(), nil, append([]string{"stack", demoELF, "-c", path}, c.args...)...)
		if s.code != c.code || !strings.Contains(s.stderr, c.want) {
			t.Errorf("%v: exit code %d, %s", c.args, s.code, s.stderr)
		}
	}
}

// TestStackOfAnotherProgram: a dump that holds other code is unwound all the
// same, with a warning.
func TestStackOfAnotherProgram(t *testing.T) {
	s := captured(t, demoCapture)
	s.Windows = append(s.Windows, snapshot.Window{Addr: 0x08000400, Data: make([]byte, 64)})
	got := printed(t, demoELF, "-c", elfCoreOf(t, s))
	if !strings.Contains(got.stderr, "warning: the dump holds other code than "+demoELF) || !strings.Contains(got.stderr, "of 64 bytes differ, the first at 0x08000400") {
		t.Error(got.stderr)
	}
	header := snapshot.Header{BuildID: "0011"}
	path := filepath.Join(t.TempDir(), "run.mprof")
	w, err := snapshot.Create(path, header)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Append(s); err != nil {
		t.Fatal(err)
	}
	if err := w.Finish("test"); err != nil {
		t.Fatal(err)
	}
	if got := printed(t, demoELF, "-c", path, "--all"); !strings.Contains(got.stderr, "another build (build id 0011)") {
		t.Error(got.stderr)
	}
}

func TestStackErrors(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "x.txt")
	if err := os.WriteFile(text, []byte("hello"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		code int
		want string
		args []string
	}{
		{2, "--core FILE", []string{demoELF}},
		{2, "one ELF file, got 0", []string{"-c", demoCapture}},
		{2, "one ELF file, got 2", []string{demoELF, demoELF, "-c", demoCapture}},
		{2, "are for recordings", []string{demoELF, "-c", demoCapture, "--all"}},
		{1, "no such file", []string{demoELF, "-c", filepath.Join(dir, "missing")}},
		{1, "neither an ELF core file", []string{demoELF, "-c", text}},
		{1, "ELF that is no core file", []string{demoELF, "-c", demoELF}},
		{1, "no such file", []string{filepath.Join(dir, "missing.elf"), "-c", demoCapture}},
	} {
		s := mprof(t.Context(), nil, append([]string{"stack"}, c.args...)...)
		if s.code != c.code || !strings.Contains(s.stderr, c.want) {
			t.Errorf("%v: exit code %d, %s", c.args, s.code, s.stderr)
		}
	}
}

// A dump of another program is not explained by its frames, but by what the ELF
// file lacks.
func TestStackOutsideOfTheProgram(t *testing.T) {
	s := captured(t, demoCapture)
	s.Regs.Set(snapshot.PC, 0x00f00000)
	out := printed(t, demoELF, "--core", elfCoreOf(t, s))
	for _, want := range []string{"cut: the ELF file has no code at 0x00f00000", "--extra-elf"} {
		if !strings.Contains(out.stdout+out.stderr, want) {
			t.Errorf("lacks %q:\n%s%s", want, out.stdout, out.stderr)
		}
	}
}
