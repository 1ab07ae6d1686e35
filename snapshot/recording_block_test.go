package snapshot

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// What decodes as a block is encoded to something that decodes to the same, and no
// body asks for more memory than a record can hold.
func FuzzRecordingBlock(f *testing.F) {
	for _, s := range testSamples() {
		if s.Block != nil {
			f.Add(appendBlock(nil, s))
		}
	}
	f.Fuzz(func(t *testing.T, p []byte) {
		c := cursor{p: p}
		s, err := c.block()
		if err != nil {
			return
		}
		if n := s.Samples(); n > mostBlock {
			t.Fatalf("%d samples", n)
		}
		again := cursor{p: appendBlock(nil, s)}
		if s2, err := again.block(); err != nil || !cmp.Equal(s, s2, equalSnapshots) {
			t.Fatalf("%v, then %v %v", s, s2, err)
		}
	})
}

// A block that no record can hold is refused, and the recording goes on.
func TestRecordingOfABlockTooLong(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.mprof")
	w, err := Create(path, Header{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Append(&Snapshot{Block: &Block{PCs: make([]uint32, mostBlock), Lost: 1}}); err == nil {
		t.Error("it was written")
	}
	if err := errors.Join(w.Append(&Snapshot{Block: &Block{PCs: make([]uint32, mostBlock)}}), w.Finish("")); err != nil {
		t.Fatal(err)
	}
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if all, err := readAll(r); len(all) != 1 || err != io.EOF || len(all[0].Block.PCs) != mostBlock {
		t.Errorf("%d records, then %v", len(all), err)
	}
}

// BenchmarkRecordingBlock writes blocks of 126 PCs of a program of 64 KiB.
func BenchmarkRecordingBlock(b *testing.B) {
	w, err := Create(filepath.Join(b.TempDir(), "run.mprof"), testHeader())
	if err != nil {
		b.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	s := &Snapshot{Block: &Block{Spacing: 5600 * time.Nanosecond, PCs: make([]uint32, 126)}}
	for i := range s.Block.PCs {
		s.Block.PCs[i] = 0x08000000 + 2*random.Uint32N(1<<15)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := w.Append(s); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/126, "ns/PC")
	b.ReportMetric(float64(len(appendBlock(nil, s)))/126, "B/PC")
	w.Finish("benchmark")
}

// A header may have fields of a later version: they are kept. So do events, where
// they are passed over.
func TestRecordingWithUnknownFields(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.mprof")
	w, err := Create(path, Header{ELF: "app.elf", Parameters: map[string]string{"rate": "100"}})
	if err != nil {
		t.Fatal(err)
	}
	start := w.begin(recordEvent)
	w.buf = binary.AppendVarint(w.buf, int64(time.Second))
	w.buf = appendFields(w.buf, []field{{fieldKind, "Note"}, {"weather", "rain"}, {fieldText, "by hand"}})
	if err := errors.Join(w.write(start), w.Finish("duration")); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// the header again, with one field more
	header := appendFields([]byte{0, 0, 0, 0, recordHeader}, []field{{fieldELF, "app.elf"}, {"board", "nucleo"}, {fieldParameter + "rate", "100"}})
	binary.LittleEndian.PutUint32(header, uint32(len(header)-4))
	header = binary.LittleEndian.AppendUint32(header, crc32.ChecksumIEEE(header))
	at := len(recordingMagic) + 4
	rest := at + 8 + int(binary.LittleEndian.Uint32(file[at:]))
	if err := os.WriteFile(path, append(append(file[:at:at], header...), file[rest:]...), 0o666); err != nil {
		t.Fatal(err)
	}
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if all, err := readAll(r); len(all) != 0 || err != io.EOF {
		t.Errorf("%d samples, then %v", len(all), err)
	}
	if d := cmp.Diff(Header{ELF: "app.elf", Parameters: map[string]string{"rate": "100", "board": "nucleo"}}, r.Header()); d != "" {
		t.Errorf("header:\n%s", d)
	}
	if d := cmp.Diff([]Event{{Time: time.Second, Kind: "Note", Text: "by hand"}}, r.Events()); d != "" {
		t.Errorf("events:\n%s", d)
	}
}
