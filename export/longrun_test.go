package export_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/mprof/mprof/export"
	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/snapshot"
)

// size counts what is written.
type size int

func (s *size) Write(p []byte) (int, error) {
	*s += size(len(p))
	return len(p), nil
}

// longRun is a run of PCs at 200 kHz over the code of the test's firmware and
// 2,000 more addresses around it.
func longRun(t testing.TB, seconds int) *profile.Profile {
	t.Helper()
	b := profile.NewBuilder(program, profile.Options{Flat: true})
	random := rand.New(rand.NewPCG(1, 2))
	const n, spacing = 100, 5 * time.Microsecond
	s := &snapshot.Snapshot{Weight: n * spacing, Block: &snapshot.Block{Spacing: spacing, PCs: make([]uint32, n)}}
	for ; s.Time < time.Duration(seconds)*time.Second; s.Time += n * spacing {
		base := 0x08000000 + uint32(s.Time/time.Second%10)*0x100 // phases of a second
		for i := range s.Block.PCs {
			s.Block.PCs[i] = base + 2*random.Uint32N(200)
		}
		b.AddBlock(s)
	}
	return b.Finish(profile.Acquisition{Method: profile.MethodPCSR}, s.Time)
}

// A minute at 200,000 PCs a second makes files that viewers load: some MB, with
// every sample counted.
func TestAMinuteOfPCs(t *testing.T) {
	seconds := 60
	if testing.Short() {
		seconds = 6
	}
	p := longRun(t, seconds)
	if got := p.Samples(); got != seconds*200_000 {
		t.Errorf("%d samples", got)
	}
	for _, f := range export.Formats {
		var written size
		err := f.Write(&written, p)
		if err != nil && (f.Ext == ".perf" && strings.Contains(err.Error(), "a block each") || strings.HasPrefix(f.Ext, ".trace") && strings.Contains(err.Error(), "one by one")) {
			continue // 12 million blocks are a GB of text, as many numbers in a Chrome trace 100 MB
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d bytes", f.Ext, written)
		if most := size(16 << 20); written > most && f.Ext != ".perf" {
			t.Errorf("%s: %d bytes, want %d at most", f.Ext, written, most)
		}
	}
}

// BenchmarkAMinuteOfPCs is how long the profile and its JSON take.
func BenchmarkAMinuteOfPCs(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		var written size
		if err := export.WriteFirefox(&written, longRun(b, 60)); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(written)/1e6, "MB")
	}
}
