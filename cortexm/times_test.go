package cortexm_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/mprof/mprof/cortexm"
	"github.com/mprof/mprof/firmware/demo"
	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/sim"
	"github.com/mprof/mprof/sim/wire"
	"github.com/mprof/mprof/snapshot"
)

// timeErrors are how far Snapshot.Time is from the board's own time of the halt.
type timeErrors struct {
	mean, abs, most time.Duration
	halted          time.Duration // mean error of Snapshot.Halted, without sign
	clock           bool          // the probe's clock was used to the end
	remarks         []string
}

func measureTimes(t testing.TB, b *bench, rate float64, d time.Duration) (e timeErrors) {
	t.Helper()
	s := b.sampler(t, cortexm.SampleOptions{Rate: rate, Duration: d, Seed: 1})
	start := b.board.Now()
	var halts []time.Duration
	b.board.OnHalt(func(at time.Duration) { halts = append(halts, at-start) })
	n, halted := time.Duration(0), b.board.HaltedTime()
	b.profile(t, s, newUnwinder(t, demo.ELF), func(x sampled) {
		if x.Miss != snapshot.Taken || len(halts) != 1 {
			t.Fatalf("sample %d: %v, %d halts", x.Seq, x.Miss, len(halts))
		}
		off := x.Time - halts[0]
		e.mean += off
		e.abs += max(off, -off)
		e.most = max(e.most, off, -off)
		took := b.board.HaltedTime() - halted
		e.halted += max(x.Halted-took, took-x.Halted)
		halted += took
		n++
		halts = halts[:0]
	})
	e.mean, e.abs, e.halted = e.mean/n, e.abs/n, e.halted/n
	e.clock, e.remarks = s.ProbeClock(), s.Remarks()
	return e
}

// Without anything in the way, the time of a sample is right to some
// microseconds on every probe.
func TestTimes(t *testing.T) {
	for _, model := range sim.Models() {
		t.Run(model, func(t *testing.T) {
			t.Parallel()
			e := measureTimes(t, newBoard(t, sim.Options{Model: model, Seed: 1}), 100, 5*time.Second)
			t.Logf("| %s | %.1f us | %.1f us | %.1f us | %.1f us |", model, micro(e.mean), micro(e.abs), micro(e.most), micro(e.halted))
			most := 20 * time.Microsecond
			if !e.clock && e.abs < most {
				most = time.Millisecond // behind a pause of the host: its turn-round, or a frame
			}
			if e.abs > 20*time.Microsecond || e.most > most {
				t.Errorf("times are %v off, at most %v", e.abs, e.most)
			}
		})
	}
}

func micro(d time.Duration) float64 { return float64(d) / 1e3 }

// Where the host is held up between looking at its clock and sending, the probe's
// clock tells when the halt was.
func TestTimesOfABusyHost(t *testing.T) {
	for model, want := range map[string]time.Duration{"mcu-link": 20 * time.Microsecond, "debugprobe": 20 * time.Microsecond} {
		b := newBoardBehind(t, sim.Options{Model: model, Seed: 1}, func(b *sim.Board) probe.Transport {
			return &busyHost{Transport: b.Transport(), board: b, random: rand.New(rand.NewPCG(1, 1))}
		})
		e := measureTimes(t, b, 100, 5*time.Second)
		if e.abs > want {
			t.Errorf("%s: times are %v off, at most %v", model, e.abs, e.most)
		}
	}
}

// busyHost is a transport of a host that does something else before one
// request in eight.
type busyHost struct {
	probe.Transport
	board  *sim.Board
	random *rand.Rand
}

func (h *busyHost) WritePacket(ctx context.Context, p []byte) error {
	if h.random.IntN(8) == 0 {
		if err := h.board.Sleep(ctx, time.Duration(h.random.IntN(800_000))); err != nil {
			return err
		}
	}
	return h.Transport.WritePacket(ctx, p)
}

// A probe's clock that wraps during the run measures halts all the same.
func TestTimesAcrossAWrap(t *testing.T) {
	for _, model := range []string{"mcu-link", "debugprobe"} {
		m, err := wire.ByName(model)
		if err != nil {
			t.Fatal(err)
		}
		b := newBoard(t, sim.Options{Model: model, TimestampStart: -m.TimestampHz}) // wraps at 1 s
		e := measureTimes(t, b, 100, 2*time.Second)
		if e.most > 20*time.Microsecond || e.halted > 10*time.Microsecond || !e.clock {
			t.Errorf("%s: times are %v off, halted times %v, the clock is used: %v", model, e.most, e.halted, e.clock)
		}
	}
}

// A clock that is not what DAP_Info says is found out at attach, and halted times
// are those of the host.
func TestClockThatLies(t *testing.T) {
	for _, c := range []struct {
		name, model string
		info        map[byte][]byte
		want        string
	}{
		{"right", "mcu-link", nil, ""},
		{"0 Hz", "mcu-link", map[byte][]byte{0xF1: {0, 0, 0, 0}}, ""},
		{"1 Hz", "mcu-link", map[byte][]byte{0xF1: {1, 0, 0, 0}}, "1 Hz"},
		{"1 MHz for 10", "mcu-link", map[byte][]byte{0xF1: {0x40, 0x42, 0x0F, 0}}, "counted"},
		{"10 MHz for 1", "debugprobe", map[byte][]byte{0xF1: {0x80, 0x96, 0x98, 0}}, "counted"},
		{"4 GHz", "debugprobe", map[byte][]byte{0xF1: {0xFF, 0xFF, 0xFF, 0xFF}}, "counted"},
		{"no stamps", "free-dap", map[byte][]byte{0xF0: {0x21}, 0xF1: {0x40, 0x42, 0x0F, 0}}, "no timestamps"},
	} {
		b := newBoardBehind(t, sim.Options{Model: c.model}, func(b *sim.Board) probe.Transport {
			return &liar{Transport: b.Transport(), info: c.info}
		})
		e := measureTimes(t, b, 100, time.Second)
		if c.name != "right" && e.clock {
			t.Errorf("%s: the clock is used", c.name)
		}
		if said := strings.Join(e.remarks, " "); (said == "") != (c.want == "") || !strings.Contains(said, c.want) {
			t.Errorf("%s: remarks %q, want %q", c.name, said, c.want)
		}
		if e.abs > 30*time.Microsecond || e.halted > 80*time.Microsecond {
			t.Errorf("%s: times are %v off, halted times %v", c.name, e.abs, e.halted)
		}
	}
}

// liar answers some DAP_Info with values of its own.
type liar struct {
	probe.Transport
	info  map[byte][]byte
	asked byte
}

func (l *liar) WritePacket(ctx context.Context, p []byte) error {
	l.asked = 0
	if len(p) == 2 && p[0] == 0 {
		l.asked = p[1]
	}
	return l.Transport.WritePacket(ctx, p)
}

func (l *liar) ReadPacket(ctx context.Context, p []byte) (int, error) {
	n, err := l.Transport.ReadPacket(ctx, p)
	if v, ok := l.info[l.asked]; ok && err == nil {
		l.asked = 0
		return copy(p, append([]byte{0, byte(len(v))}, v...)), nil
	}
	return n, err
}
