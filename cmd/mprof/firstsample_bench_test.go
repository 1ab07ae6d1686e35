//go:build unix

package main

import (
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/mprof/mprof/snapshot/core"
)

// cpuTime is what the process has used of the processors, which a loaded
// machine does not change.
func cpuTime(b *testing.B) time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		b.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

func reportCPU(b *testing.B, start time.Duration) {
	b.ReportMetric(float64(cpuTime(b)-start)/float64(b.N)/1e6, "cpu-ms/op")
}

// BenchmarkFirstSampleLarge: 12 functions of 12 units out of 2600.
func BenchmarkFirstSampleLarge(b *testing.B) {
	p, path, s := writeLarge(b, 2600)
	start := cpuTime(b)
	for b.Loop() {
		if got := firstSample(b, path, s); !slices.Equal(got, p.Names) {
			b.Fatalf("got  %q\nwant %q", got, p.Names)
		}
	}
	reportCPU(b, start)
	b.ReportMetric(float64(p.DWARF)/1e6, "MB-of-DWARF")
}

// BenchmarkFirstSampleRP2040: the largest capture of a real chip, Rust.
func BenchmarkFirstSampleRP2040(b *testing.B) {
	const capture = "../../../shared/data/unwind/RP2040_full_unwind"
	dump, err := core.Open(capture + ".snapshot.json")
	if err != nil {
		b.Skip("the captures of real chips (../shared/data/unwind) are not here")
	}
	start := cpuTime(b)
	for b.Loop() {
		if got := firstSample(b, capture+".elf", &dump.Threads[0].Snapshot); len(got) < 5 {
			b.Fatalf("got %q", got)
		}
	}
	reportCPU(b, start)
}
