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

// BenchmarkUARTSecond is a second of a board that echoes 50,000 bytes by DMA.
func BenchmarkUARTSecond(b *testing.B) {
	board := newBoard(b, sim.Options{ELF: elfFile(b, "echo-f405.elf")})
	u := openUART(b, board, "USART6")
	sent := pattern(500)
	board.Sleep(context.Background(), time.Millisecond)
	for b.Loop() {
		for range 100 {
			u.Write(sent)
			board.Sleep(context.Background(), 10*time.Millisecond)
			if len(u.Take()) == 0 {
				b.Fatal("nothing came back")
			}
		}
	}
}
