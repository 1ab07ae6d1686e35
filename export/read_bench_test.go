package export_test

import (
	"bytes"
	"runtime"
	"testing"

	"github.com/mprof/mprof/export"
	"github.com/mprof/mprof/profile"
)

// benchmarkRead reads what WriteFirefox makes of p, and reports the memory that is held
// at most beside the file.
func benchmarkRead(b *testing.B, p *profile.Profile) {
	var out bytes.Buffer
	if err := export.WriteFirefox(&out, p); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(out.Len()))
	b.ReportAllocs()
	var stats runtime.MemStats
	for b.Loop() {
		if _, err := export.Read(bytes.NewReader(out.Bytes()), export.Input{}); err != nil {
			b.Fatal(err)
		}
	}
	runtime.ReadMemStats(&stats)
	b.ReportMetric(float64(out.Len())/1e6, "MB/file")
	b.ReportMetric(float64(stats.Sys)/1e6, "MB-sys")
}

// A run of 600,000 samples, 60 MB.
func BenchmarkReadFirefox60MB(b *testing.B) { benchmarkRead(b, rich(b, 600_000)) }

// A trace of 150,000 calls.
func BenchmarkReadFirefoxTrace(b *testing.B) { benchmarkRead(b, traced(b, 150_000)) }
