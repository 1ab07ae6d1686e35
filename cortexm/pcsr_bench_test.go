package cortexm_test

import (
	"context"
	"encoding/binary"
	"testing"
	"time"

	"github.com/mprof/mprof/cortexm"
	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/sim"
)

// canned answers packets of PCs at once, without a probe, once it is told to:
// what remains is the host's own work.
type canned struct {
	probe.Transport
	on      bool
	answers [][]byte
	pc      uint32
}

func (c *canned) WritePacket(ctx context.Context, p []byte) error {
	if !c.on {
		return c.Transport.WritePacket(ctx, p)
	}
	c.answers = append(c.answers, c.answer(p))
	return nil
}

func (c *canned) ReadPacket(ctx context.Context, p []byte) (int, error) {
	if !c.on {
		return c.Transport.ReadPacket(ctx, p)
	}
	a := c.answers[0]
	c.answers = c.answers[1:]
	return copy(p, a), nil
}

// answer is that of DAP_TransferBlock, of DAP_Transfer with DHCSR in front, and
// of either behind a delay.
func (c *canned) answer(p []byte) (r []byte) {
	if p[0] == 0x7F {
		r, p = []byte{0x7F, 2, 0x09, 0}, p[2+3:]
	}
	words, head := int(p[2])|int(p[3])<<8, []byte{0x06, p[2], p[3], 1}
	if p[0] == 0x05 {
		words, head = int(p[2])-2, []byte{0x05, p[2], 1}
	}
	r = append(r, head...)
	for i := range words {
		c.pc = c.pc*1664525 + 1013904223
		v := 0x08000000 + c.pc>>16&0xFFFE
		if p[0] == 0x05 && i == 0 {
			v = 1 // DHCSR: C_DEBUGEN
		}
		r = binary.LittleEndian.AppendUint32(r, v)
	}
	return r
}

// BenchmarkPCSampler is the host's cost of a PC up to the block that it hands over,
// the canned answer included.
func BenchmarkPCSampler(b *testing.B) {
	for _, model := range []string{"mcu-link", "debugprobe"} {
		b.Run(model, func(b *testing.B) {
			ctx := context.Background()
			bench := newBoard(b, sim.Options{Model: model})
			wire := &canned{Transport: bench.board.Transport()}
			p, err := probe.Open(ctx, wire, probe.Options{SWCLKHz: swclkHz})
			if err != nil {
				b.Fatal(err)
			}
			core, err := cortexm.Attach(ctx, p, cortexm.AttachOptions{Clock: bench.board, Observe: true})
			if err != nil {
				b.Fatal(err)
			}
			s, err := cortexm.NewPCSampler(ctx, core, cortexm.PCOptions{Clock: cortexm.NewWall()})
			if err != nil {
				b.Fatal(err)
			}
			wire.on = true
			b.ReportAllocs()
			pcs, start := 0, time.Now()
			for b.Loop() {
				sp, err := s.Next(ctx)
				if err != nil || sp.Miss != 0 {
					b.Fatal(err, sp.Miss)
				}
				pcs += len(sp.Block.PCs)
			}
			b.ReportMetric(float64(time.Since(start).Nanoseconds())/float64(pcs), "ns/PC")
		})
	}
}
