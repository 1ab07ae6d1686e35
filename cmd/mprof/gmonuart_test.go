package main

import (
	"context"
	"io"
	"math/rand/v2"
	"path/filepath"
	"strings"
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

// TestGmonUART: the UART of the simulated board gives what the command writes, in parts and with a reset.
func TestGmonUART(t *testing.T) {
	elf := countingtest.Plain.ELF(t)
	out := filepath.Join(t.TempDir(), "gmon.out")
	s := mprof(t.Context(), nil, "gmon", "fetch", "--port", "sim:"+countingtest.SimOptions, "--duration", "2", "--reset", "-o", out, elf)
	if s.code != 0 || !strings.Contains(s.stdout, "the core ran on") {
		t.Fatalf("exit code %d: %s%s", s.code, s.stdout, s.stderr)
	}
	d := readGmon(t, out)
	if total(d) < 100 {
		t.Errorf("%d ticks in 2 s", total(d))
	}
	judgeByGprof(t, elf, out, d)
}

func TestGmonUARTBadInput(t *testing.T) {
	old := countingtest.Firmware{Memory: 8192, Bucket: 4, Interval: 997, NoUART: true}.ELF(t)
	s := mprof(t.Context(), nil, "gmon", "fetch", "--port", "sim:"+countingtest.SimOptions, "-o", filepath.Join(t.TempDir(), "gmon.out"), old)
	s.oneSentence(t, 1, "refuses GET_GPROF: it does not know the command")
	mprof(t.Context(), nil, "gmon", "fetch", "--port", "sim", "--probe", "sim", old).oneSentence(t, 2, "exclude each other")
	mprof(t.Context(), nil, "gmon", "fetch", "--port", "sim", "--halt", old).oneSentence(t, 2, "--halt needs a probe")
	mprof(t.Context(), nil, "gmon", "fetch", "--port", "sim", "--baud", "0", old).oneSentence(t, 2, "--baud 0")
}

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

// TestGmonUARTEqualsMemory: what comes over the UART is what the board holds, on a line that loses bytes, too.
// The timer's interrupt is switched off before, so that nothing changes.
func TestGmonUARTEqualsMemory(t *testing.T) {
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
