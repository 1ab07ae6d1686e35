package sim_test

import (
	"context"
	"testing"
	"time"

	"github.com/mprof/mprof/firmware/demo"
	"github.com/mprof/mprof/sim"
)

// BenchmarkDemoSecond is one second of the built-in firmware at 16 MHz, without
// a probe at work.
func BenchmarkDemoSecond(b *testing.B) {
	board := newBoard(b, sim.Options{ELF: demo.ELF})
	for b.Loop() {
		board.Sleep(context.Background(), time.Second)
	}
	b.ReportMetric(float64(board.Core().Instructions())/b.Elapsed().Seconds()/1e6, "Minstr/s")
}

// BenchmarkSampleBatch is one sample of five registers: what the wire, the
// debug port and the command processor cost to simulate.
func BenchmarkSampleBatch(b *testing.B) {
	h := newHost(b, sim.Options{ELF: demo.ELF})
	h.connect(10_000_000)
	for b.Loop() {
		h.do(sampleBatch)
	}
}
