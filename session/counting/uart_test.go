package counting

import (
	"context"
	"io"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mprof/mprof/gmon/counters"
	"github.com/mprof/mprof/schedule"
	"github.com/mprof/mprof/session/counting/countingtest"
	"github.com/mprof/mprof/session/target"
	"github.com/mprof/mprof/symbol"
	"github.com/mprof/mprof/trace"
)

// gappy loses a byte in so many, both ways.
type gappy struct {
	io.ReadWriteCloser
	one              int
	reading, writing *rand.Rand
}

func (g *gappy) Read(p []byte) (int, error) {
	for {
		n, err := g.ReadWriteCloser.Read(p)
		if n = g.thin(p[:n], g.reading); n > 0 || err != nil {
			return n, err
		}
	}
}

func (g *gappy) Write(p []byte) (int, error) {
	c := append([]byte(nil), p...)
	_, err := g.ReadWriteCloser.Write(c[:g.thin(c, g.writing)])
	return len(p), err
}

func (g *gappy) thin(p []byte, random *rand.Rand) (n int) {
	for _, c := range p {
		if g.one == 0 || random.IntN(g.one) > 0 {
			p[n] = c
			n++
		}
	}
	return n
}

// TestUARTEqualsMemory: what comes over the UART is what the board holds, on a line that loses bytes, too.
// The timer's interrupt is switched off before, so that nothing changes.
func TestUARTEqualsMemory(t *testing.T) {
	elf := countingtest.Plain.ELF(t)
	im, err := symbol.Open(elf)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range []int{0, 3000} {
		b := countingtest.NewBoard(t, elf)
		_ = b.Sleep(t.Context(), 2*time.Second)
		const timer1 = 0x40001000
		if !b.Core().WriteBus(timer1, 4, 0) {
			t.Fatal("no TIMER1")
		}
		port, err := target.OpenUART(b, "")
		if err != nil {
			t.Fatal(err)
		}
		line := &gappy{port, one, rand.New(rand.NewPCG(1, 2)), rand.New(rand.NewPCG(3, 4))}
		s, err := trace.Open(t.Context(), line, trace.SessionOptions{BuildID: im.BuildID()})
		if err != nil {
			t.Fatal(err)
		}
		at := &counters.Target{Memory: uartMemory{s.Gprof(countingtest.Block(t, elf))}, Place: counters.Place{Addr: countingtest.Block(t, elf)}, Clock: schedule.NewWall()}
		got, err := at.Fetch(context.Background(), counters.FetchOptions{})
		if err != nil {
			t.Fatalf("one byte in %d lost: %v", one, err)
		}
		var want []uint16
		b.Hold(func() { want = countingtest.Held(t, b, elf).Counters })
		if diff := cmp.Diff(want, got.Counters); diff != "" || got.Total() < 1900 {
			t.Errorf("one byte in %d lost: %d ticks (-held +fetched):\n%s", one, got.Total(), diff)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
