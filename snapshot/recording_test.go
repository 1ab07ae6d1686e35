package snapshot

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func testHeader() Header {
	return Header{
		ELF: "build/app.elf", BuildID: "00112233", Probe: "MCU-Link 0001", Core: "Cortex-M4 r0p1",
		Start:      time.Date(2026, 11, 20, 12, 0, 0, 5e8, time.UTC),
		Parameters: map[string]string{"rate": "100", "seed": "1"},
	}
}

func testSamples() []*Snapshot {
	full := &Snapshot{Seq: 0, Time: 10 * time.Millisecond, Weight: 9 * time.Millisecond, Halted: 410 * time.Microsecond, State: Sleeping}
	for _, r := range []Reg{PC, LR, SP, XPSR, R7, PSP, CONTROL} {
		full.Regs.Set(r, 0x20000000|uint32(r))
	}
	full.Windows = []Window{{Addr: 0x20000F00, Data: []byte{1, 2, 3, 4, 5, 6, 7, 8}}, {Addr: 0x20001F00, Data: []byte{9, 10, 11, 12}}}
	pcOnly := &Snapshot{Seq: 2, Time: 30 * time.Millisecond}
	pcOnly.Regs.Set(PC, 0x08000100)
	block := &Snapshot{Seq: 3, Time: 31 * time.Millisecond, Weight: time.Millisecond, Miss: TargetFault, Block: &Block{
		Spacing: 5600 * time.Nanosecond, PCs: []uint32{0x08000100, 0x08000104, 0x08000104, 0x08000104, 0xFFFFFFFF, 0, 0, 0x20000000}, Lost: 6}}
	asleep := &Snapshot{Seq: 17, Time: 32 * time.Millisecond, State: Sleeping, Block: &Block{PCs: []uint32{0, 0x08000100}}}
	lost := &Snapshot{Seq: 19, Time: 33 * time.Millisecond, Miss: NoAck, Block: &Block{PCs: []uint32{}, Lost: 126}}
	hart := &Snapshot{Seq: 145, Time: 34 * time.Millisecond, Windows: []Window{{Addr: 0x80001000, Data: []byte{1, 2, 3, 4}}}}
	for _, r := range []Reg{PC, X0 + 1, X0 + 2, X0 + 31, MEPC, MCAUSE} {
		hart.Regs.Set(r, 0x80000000|uint32(r))
	}
	secure := &Snapshot{Seq: 146, Time: 35 * time.Millisecond}
	for _, r := range []Reg{PC, MSPNS, PSPLIMNS, CONTROLNS} {
		secure.Regs.Set(r, uint32(r))
	}
	return []*Snapshot{full, {Seq: 1, Time: 20 * time.Millisecond, Weight: 10 * time.Millisecond, Miss: NotReady, State: Reset}, pcOnly, block, asleep, lost, hart, secure}
}

// testCount is how many samples those are.
const testCount = 3 + 14 + 2 + 126 + 2

var testEvent = Event{Time: 15 * time.Millisecond, Kind: "target reset", Text: "S_RESET_ST"}

// writeRecording writes the test recording and returns its path.
func writeRecording(t testing.TB, finish bool) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run.mprof")
	w, err := Create(path, testHeader())
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range testSamples() {
		if i == 1 {
			if err := w.AppendEvent(testEvent); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Append(s); err != nil {
			t.Fatal(err)
		}
	}
	if finish {
		if err := w.Finish("duration", [2]string{"samples", "3"}); err != nil {
			t.Fatal(err)
		}
	} else if err := w.f.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// readAll returns the samples of a recording and how it ended.
func readAll(r *Reader) (all []*Snapshot, err error) {
	for {
		s, err := r.Next(context.Background())
		if err != nil {
			return all, err
		}
		all = append(all, s)
	}
}

var equalSnapshots = cmp.AllowUnexported(Registers{})

func TestRecordingRoundTrip(t *testing.T) {
	r, err := Open(writeRecording(t, true))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if d := cmp.Diff(testHeader(), r.Header()); d != "" {
		t.Errorf("header (-want +got):\n%s", d)
	}
	all, err := readAll(r)
	if err != io.EOF {
		t.Errorf("ended with %v, want io.EOF", err)
	}
	if d := cmp.Diff(testSamples(), all, equalSnapshots); d != "" {
		t.Errorf("samples (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]Event{testEvent}, r.Events()); d != "" {
		t.Errorf("events (-want +got):\n%s", d)
	}
	end, ok := r.End()
	if d := cmp.Diff(End{"duration", map[string]string{"samples": "3"}}, end); !ok || d != "" {
		t.Errorf("end %v (-want +got):\n%s", ok, d)
	}
}

// recordEnds are the offsets behind the header and behind each record.
func recordEnds(t *testing.T, file []byte) (ends []int, samples []int) {
	t.Helper()
	n := 0
	for at := len(recordingMagic) + 4; at < len(file); {
		length := int(file[at]) | int(file[at+1])<<8
		if k := file[at+4]; k == recordSample || k == recordBlock || k == recordWide {
			n++
		}
		at += length + 8
		ends, samples = append(ends, at), append(samples, n)
	}
	return ends, samples
}

func TestRecordingCutAtEveryByte(t *testing.T) {
	file, err := os.ReadFile(writeRecording(t, true))
	if err != nil {
		t.Fatal(err)
	}
	ends, samples := recordEnds(t, file)
	want := testSamples()
	for n := range file {
		r, err := NewReader(bytes.NewReader(file[:n]), "cut")
		if n < ends[0] {
			var cut *CutError
			if err == nil || n > 0 && !errors.As(err, &cut) {
				t.Fatalf("%d bytes: header read with error %v", n, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%d bytes: %v", n, err)
		}
		whole, last, counted := 0, ends[0], 0
		for i, e := range ends {
			if e <= n {
				whole, last = samples[i], e
			}
		}
		for _, s := range want[:whole] {
			counted += s.Samples()
		}
		all, err := readAll(r)
		var cut *CutError
		if !errors.As(err, &cut) || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatalf("%d bytes: ended with %v, want a CutError", n, err)
		}
		if d := cmp.Diff(want[:whole], all, equalSnapshots); d != "" && whole+len(all) > 0 {
			t.Fatalf("%d bytes: samples (-want +got):\n%s", n, d)
		}
		if cut.Offset != int64(last) || cut.Samples != counted {
			t.Fatalf("%d bytes: %v, want byte %d after %d samples", n, cut, last, counted)
		}
		if _, err := r.Next(context.Background()); !errors.As(err, &cut) {
			t.Fatalf("%d bytes: the next read gives %v", n, err)
		}
	}
}

// A damaged bit is never taken for data: the samples before it are good and the
// recording ends there.
func TestRecordingWithOneBitWrong(t *testing.T) {
	file, err := os.ReadFile(writeRecording(t, true))
	if err != nil {
		t.Fatal(err)
	}
	want := testSamples()
	for i := range 8 * len(file) {
		bad := bytes.Clone(file)
		bad[i/8] ^= 1 << (i % 8)
		r, err := NewReader(bytes.NewReader(bad), "bad")
		if err != nil {
			continue
		}
		all, err := readAll(r)
		if err == io.EOF {
			t.Fatalf("bit %d of byte %d wrong: read to the end", i%8, i/8)
		}
		if len(all) > len(want) || !cmp.Equal(want[:len(all)], all, equalSnapshots) && len(all) > 0 {
			t.Fatalf("bit %d of byte %d wrong: wrong samples", i%8, i/8)
		}
	}
}

func TestRecordingWithoutEnd(t *testing.T) {
	r, err := Open(writeRecording(t, false))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	all, err := readAll(r)
	if len(all) != len(testSamples()) || err == nil || !strings.Contains(err.Error(), fmt.Sprintf("after %d samples: the run was not finished", testCount)) {
		t.Errorf("%d samples, then %v", len(all), err)
	}
	if _, ok := r.End(); ok {
		t.Error("has an end")
	}
}

// A later version may write kinds that this one does not know.
func TestRecordingWithUnknownKind(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.mprof")
	w, err := Create(path, Header{})
	if err != nil {
		t.Fatal(err)
	}
	start := w.begin(77)
	w.buf = append(w.buf, "what is to come"...)
	if err := errors.Join(w.write(start), w.Append(testSamples()[0]), w.Finish("")); err != nil {
		t.Fatal(err)
	}
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if all, err := readAll(r); len(all) != 1 || err != io.EOF {
		t.Errorf("%d samples, then %v", len(all), err)
	}
}

func TestNotARecording(t *testing.T) {
	for name, c := range map[string]struct{ file, want string }{
		"empty":   {"", "not a recording"},
		"ELF":     {"\x7fELF\x01\x01\x01", "not a recording"},
		"version": {recordingMagic + "\x02\x00\x00\x00", "recording format 2, this program reads 1"},
	} {
		if _, err := NewReader(strings.NewReader(c.file), "x"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// The document shows this file; both are kept the same.
func TestRecordingDocument(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.mprof")
	w, err := Create(path, Header{ELF: "app.elf"})
	if err != nil {
		t.Fatal(err)
	}
	s := &Snapshot{Seq: 7, Time: 10 * time.Millisecond, Weight: 9500 * time.Microsecond, Halted: 400 * time.Microsecond}
	s.Regs.Set(SP, 0x20000FF8)
	s.Regs.Set(PC, 0x08000124)
	s.Windows = []Window{{Addr: 0x20000FF8, Data: []byte{1, 2, 3, 4, 0x51, 1, 0, 8}}}
	block := &Snapshot{Seq: 8, Time: 20 * time.Millisecond, Weight: 34 * time.Microsecond, Block: &Block{
		Spacing: 5600 * time.Nanosecond, PCs: []uint32{0x08000124, 0x08000124, 0x08000124, 0x08000120, 0x08000100, 0x08000122}}}
	if err := errors.Join(w.Append(s), w.Append(block), w.Finish("duration")); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile("../docs/recording.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := ""
	for line := range strings.Lines(string(doc)) {
		if rest, ok := strings.CutPrefix(line, "    "); ok {
			shown += strings.ReplaceAll(strings.SplitN(rest, "  ", 2)[0], " ", "")
		}
	}
	if got := hex.EncodeToString(file); got != strings.TrimSpace(strings.ReplaceAll(shown, "\n", "")) {
		t.Errorf("docs/recording.md shows\n%s\nthe file is\n%s", shown, hex.Dump(file))
	}
}

func FuzzRecording(f *testing.F) {
	file, err := os.ReadFile(writeRecording(f, true))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(file)
	f.Add(file[:len(file)/2])
	f.Fuzz(func(t *testing.T, p []byte) {
		r, err := NewReader(bytes.NewReader(p), "fuzz")
		if err != nil {
			return
		}
		if _, err := readAll(r); err == nil {
			t.Fatal("no end")
		}
	})
}

// The CRC keeps a fuzzer out of the bodies, so they have a target of their own:
// what decodes is encoded to something that decodes to the same.
func FuzzRecordingBody(f *testing.F) {
	for _, s := range testSamples() {
		if s.Block == nil {
			f.Add(appendSample(nil, s), sampleKind(s) == recordWide)
		}
	}
	f.Fuzz(func(t *testing.T, p []byte, wide bool) {
		c := cursor{p: p}
		kind := recordSample
		if wide {
			kind = recordWide
		}
		s, err := c.sample(kind)
		if err != nil {
			return
		}
		again := cursor{p: appendSample(nil, s)}
		if s2, err := again.sample(sampleKind(s)); err != nil || !cmp.Equal(s, s2, equalSnapshots) {
			t.Fatalf("%v, then %v %v", s, s2, err)
		}
		fields := cursor{p: p}
		_, _ = fields.fields()
	})
}

func BenchmarkRecordingAppend(b *testing.B) {
	w, err := Create(filepath.Join(b.TempDir(), "run.mprof"), testHeader())
	if err != nil {
		b.Fatal(err)
	}
	s := testSamples()[0]
	s.Windows[0].Data = make([]byte, 512)
	b.ReportAllocs()
	for b.Loop() {
		if err := w.Append(s); err != nil {
			b.Fatal(err)
		}
	}
	w.Finish("benchmark")
}
