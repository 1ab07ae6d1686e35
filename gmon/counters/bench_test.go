package counters_test

import (
	"bytes"
	"context"
	"debug/elf"
	"encoding/binary"
	"slices"
	"testing"
	"time"

	"github.com/mprof/mprof/firmware/demo"
	"github.com/mprof/mprof/gmon/counters"
	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/sim"
)

const (
	benchBlock = 0x20010000
	benchBytes = 64 << 10
)

// roomyELF is the built-in firmware with its first stack at the top of 256 KiB of RAM.
func roomyELF(b *testing.B) []byte {
	raw := slices.Clone(demo.ELF)
	f, err := elf.NewFile(bytes.NewReader(raw))
	if err != nil {
		b.Fatal(err)
	}
	binary.LittleEndian.PutUint32(raw[f.Section(".isr_vector").Offset:], 0x20040000)
	return raw
}

// benchMemory is RAM of a simulated board with a block of 64 KiB of counters in it.
func benchMemory(b *testing.B, model string) (*sim.Board, *probe.Probe) {
	board, err := sim.New(sim.Options{ELF: roomyELF(b), Model: model})
	if err != nil {
		b.Fatal(err)
	}
	hz := board.Model().MaxSWCLK
	if hz == 0 || hz > 10_000_000 {
		hz = 10_000_000
	}
	p, err := probe.Open(context.Background(), board.Transport(), probe.Options{SWCLKHz: hz})
	if err != nil {
		b.Fatal(err)
	}
	ram := board.Core().Memory(benchBlock)
	if len(ram) < 128+benchBytes {
		b.Fatalf("%d bytes of RAM at 0x%08x", len(ram), benchBlock)
	}
	for i, v := range []uint32{0x67700001, 92, 1, 1, 0x08000000, 0x08000000 + 2*benchBytes, 2, benchBytes / 2, benchBlock + 128, 16_000_000, 16_000,
		0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0} {
		binary.LittleEndian.PutUint32(ram[4*i:], v)
	}
	return board, p
}

// BenchmarkFetch64KiB is what a histogram of 64 KiB takes on the wire of each probe, by the wire model's
// clock: as mprof reads it, and a word at a time as a gdb macro does.
func BenchmarkFetch64KiB(b *testing.B) {
	for _, model := range sim.Models() {
		for _, way := range []struct {
			name string
			read func(board *sim.Board, p *probe.Probe) error
		}{
			{"fetch", func(board *sim.Board, p *probe.Probe) error {
				t := &counters.Target{Memory: p, Place: counters.Place{Addr: benchBlock}, Clock: board}
				_, err := t.Fetch(context.Background(), counters.FetchOptions{})
				return err
			}},
			{"words", func(_ *sim.Board, p *probe.Probe) error {
				for at := uint32(0); at < benchBytes; at += 4 {
					if _, err := p.ReadWord(context.Background(), benchBlock+128+at); err != nil {
						return err
					}
				}
				return nil
			}},
		} {
			b.Run(model+"/"+way.name, func(b *testing.B) {
				board, p := benchMemory(b, model)
				var virtual time.Duration
				for b.Loop() {
					begun := board.Now()
					if err := way.read(board, p); err != nil {
						b.Fatal(err)
					}
					virtual += board.Now() - begun
				}
				b.ReportMetric(virtual.Seconds()*1000/float64(b.N), "wire-ms/op")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
