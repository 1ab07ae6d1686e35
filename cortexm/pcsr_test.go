package cortexm_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/mprof/mprof/cortexm"
	"github.com/mprof/mprof/firmware/demo"
	"github.com/mprof/mprof/sim"
	"github.com/mprof/mprof/sim/wire"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/symbol"
)

// observe attaches without C_DEBUGEN and begins a run.
func (b *bench) observe(t testing.TB, o cortexm.PCOptions) (*cortexm.PCSampler, error) {
	t.Helper()
	var err error
	if b.core, err = cortexm.Attach(context.Background(), b.probe, cortexm.AttachOptions{Clock: b.board, Observe: true}); err != nil {
		t.Fatal(err)
	}
	o.Clock = b.board
	return cortexm.NewPCSampler(context.Background(), b.core, o)
}

// pcRun is what a run of a PCSampler brought.
type pcRun struct {
	pcs, asleep, lost uint64
	inCode            uint64
	weight            time.Duration
	values            map[uint32]uint64 // of those awake
	misses            map[snapshot.Miss]uint64
	states            snapshot.State // all that were seen
	stats             cortexm.Stats
	err               error // how it ended
}

func (r *pcRun) add(t testing.TB, sp *snapshot.Snapshot, code []symbol.Range) {
	t.Helper()
	r.weight += sp.Weight
	r.states |= sp.State
	if sp.Block == nil {
		r.misses[sp.Miss]++
		return
	}
	if sp.Block.Lost > 0 {
		if sp.Miss == snapshot.Taken {
			t.Errorf("%d PCs lost for no reason", sp.Block.Lost)
		}
		r.lost += uint64(sp.Block.Lost)
		r.misses[sp.Miss] += uint64(sp.Block.Lost)
	}
	r.pcs += uint64(len(sp.Block.PCs))
	if sp.State&snapshot.Sleeping != 0 {
		r.asleep += uint64(len(sp.Block.PCs))
		return
	}
	for _, pc := range sp.Block.PCs {
		r.values[pc]++
		for _, c := range code {
			if pc >= c.Low && pc < c.High {
				r.inCode++
				break
			}
		}
	}
}

// take runs the sampler to its end and checks what holds for every run: numbers
// follow on, times do not go back, what was asked for came or is missed.
func (b *bench) take(t testing.TB, s *cortexm.PCSampler, elf []byte) *pcRun {
	t.Helper()
	image, err := symbol.New(bytes.NewReader(elf), int64(len(elf)), "firmware")
	if err != nil {
		t.Fatal(err)
	}
	r := &pcRun{values: map[uint32]uint64{}, misses: map[snapshot.Miss]uint64{}}
	var seq uint64
	var last time.Duration
	for {
		sp, err := s.Next(context.Background())
		if err != nil {
			r.err = err
			break
		}
		if sp.Seq != seq || sp.Time < last || sp.Weight < 0 {
			t.Fatalf("sample %d at %v, weight %v, behind one that ends with %d at %v", sp.Seq, sp.Time, sp.Weight, seq, last)
		}
		seq, last = seq+uint64(sp.Samples()), sp.Time
		r.add(t, sp, image.CodeRanges())
	}
	r.stats = s.Stats()
	if r.stats.Asked != seq || r.stats.Taken != r.pcs || r.stats.Sleeping != r.asleep {
		t.Errorf("%+v, but %d asked, %d came, %d asleep", r.stats, seq, r.pcs, r.asleep)
	}
	return r
}

// wireLimitPCSR is how many PCs a second a wire carries with packets as full as
// can be: the best that a host reaches which takes the model's time from a response
// to its next request, has no more packets under way than the probe buffers, and
// takes and sends so many at once. Where they cover that time it is the limit of
// SWD, or of one packet a frame.
func wireLimitPCSR(m wire.Model) (best float64) {
	n := (m.PacketSize - 4) / 4
	work := wire.Span(m.TransferTime(n+1, swclkHz) + m.CommandTime(1))
	const packets = 2000
	for together := 1; together <= m.PacketCount; together++ {
		line := wire.NewTimeline(m, 0)
		var responses []wire.Instant
		send := func(at wire.Instant, n int) {
			for range n {
				responses = append(responses, line.End(line.Begin(at)+work))
			}
		}
		send(0, m.PacketCount)
		now := wire.Instant(0)
		for taken := 0; taken < packets; taken += together {
			now = max(now, responses[taken+together-1])
			send(now+wire.Span(m.HostTurn), together)
			now += wire.Span(m.HostTurn)
		}
		best = max(best, float64(packets*n)/now.Duration().Seconds())
	}
	return best
}

// A run reads PCs nearly as fast as the wire carries them, and does not touch
// the core: it never stands still, C_DEBUGEN stays clear, DEMCR is restored.
func TestPCSR(t *testing.T) {
	for _, model := range sim.Models() {
		t.Run(model, func(t *testing.T) {
			t.Parallel()
			const d = 500 * time.Millisecond
			b := newBoard(t, sim.Options{Model: model, Seed: 1})
			s, err := b.observe(t, cortexm.PCOptions{Duration: d, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			start := b.board.Now()
			r := b.take(t, s, demo.ELF)
			if r.err != io.EOF || r.lost > 0 || len(r.misses) > 0 {
				t.Errorf("ended with %v, %d lost, %v", r.err, r.lost, r.misses)
			}
			if got := b.board.Now() - start; got < d || got > d+10*time.Millisecond {
				t.Errorf("the run took %v", got)
			}
			if r.weight < d*98/100 || r.weight > d*101/100 {
				t.Errorf("weights add up to %v", r.weight)
			}
			rate, limit := float64(r.pcs)/d.Seconds(), wireLimitPCSR(b.board.Model())
			t.Logf("%.0f PCs/s, %.1f %% of the wire's %.0f, %.1f %% asleep; %s", rate, 100*rate/limit, limit, 100*float64(r.asleep)/float64(r.pcs), r.stats.Plan)
			if rate < 0.9*limit {
				t.Errorf("%.0f PCs/s, the wire carries %.0f", rate, limit)
			}
			if r.inCode != r.pcs-r.asleep {
				t.Errorf("%d of %d are no code", r.pcs-r.asleep-r.inCode, r.pcs)
			}
			if c := b.board.CoreState(); c.DebugEnabled || c.Halted || b.board.HaltedTime() != 0 {
				t.Errorf("core %+v, halted for %v", c, b.board.HaltedTime())
			}
			if err := b.core.Detach(context.Background()); err != nil {
				t.Fatal(err)
			}
			if demcr, ok := b.board.Core().ReadBus(0xE000EDFC, 4); !ok || demcr != 0 {
				t.Errorf("DEMCR 0x%08x is left behind", demcr)
			}
		})
	}
}

// With a rate, samples come at that rate; the same seeds give the same run.
func TestPCSRRate(t *testing.T) {
	for _, rate := range []float64{100, 1000, 20_000, 120_000} {
		t.Run(fmt.Sprint(rate), func(t *testing.T) {
			t.Parallel()
			run := func() *pcRun {
				b := newBoard(t, sim.Options{Seed: 1})
				s, err := b.observe(t, cortexm.PCOptions{Duration: 600 * time.Millisecond, Rate: rate, Seed: 5})
				if err != nil {
					t.Fatal(err)
				}
				return b.take(t, s, demo.ELF)
			}
			r := run()
			if got := float64(r.pcs) / 0.6; got < 0.85*rate || got > 1.15*rate {
				t.Errorf("%v PCs a second; %s", got, r.stats.Plan)
			}
			if again := run(); fmt.Sprint(again.values) != fmt.Sprint(r.values) {
				t.Error("the second run differs")
			}
		})
	}
}

// What PCSR gives asleep does not matter: those samples are sleep, and as many
// as the core sleeps.
func TestPCSRAsleep(t *testing.T) {
	for _, asleep := range []uint32{0, 0xFFFFFFFF, 0x08000101, 0x12345678} {
		for _, rate := range []float64{0, 2000} {
			t.Run(fmt.Sprintf("0x%x/%g", asleep, rate), func(t *testing.T) {
				t.Parallel()
				b := newBoard(t, sim.Options{Seed: 1, PCSRAsleep: asleep})
				s, err := b.observe(t, cortexm.PCOptions{Duration: 500 * time.Millisecond, Rate: rate, Seed: 1})
				if err != nil {
					t.Fatal(err)
				}
				cycles, slept := b.board.Core().Cycles(), b.board.Core().SleepCycles()
				r := b.take(t, s, demo.ELF)
				truth := float64(b.board.Core().SleepCycles()-slept) / float64(b.board.Core().Cycles()-cycles)
				got := float64(r.asleep) / float64(r.pcs)
				bound := 0.01
				if rate > 0 {
					bound = 0.08
				}
				if got < truth-bound || got > truth+bound {
					t.Errorf("asleep in %.2f %% of the samples, in truth in %.2f %%", 100*got, 100*truth)
				}
				if none := r.pcs - r.asleep - r.inCode; float64(none) > 0.002*float64(r.pcs) {
					t.Errorf("%d of %d samples are neither asleep nor in code", none, r.pcs)
				}
			})
		}
	}
}

// The self-test says why a core cannot be sampled.
func TestPCSRSelfTest(t *testing.T) {
	refused := func(t *testing.T, o sim.Options) error {
		b := newBoard(t, o)
		s, err := b.observe(t, cortexm.PCOptions{})
		if err == nil {
			t.Fatalf("it can be sampled: %+v", s.Stats())
		}
		if err := b.core.Detach(context.Background()); err != nil {
			t.Error(err)
		}
		if c := b.board.CoreState(); c.Halted || b.board.HaltedTime() != 0 {
			t.Errorf("core %+v", c)
		}
		return err
	}
	if err := refused(t, sim.Options{NoPCSR: true}); !errors.Is(err, cortexm.ErrNoPCSR) {
		t.Errorf("without PCSR: %v", err)
	}
	if err := refused(t, sim.Options{Faults: sim.Script{{Kind: sim.Mismatch}}}); !errors.Is(err, cortexm.ErrPCSRDenied) {
		t.Errorf("in Secure state: %v", err)
	}
}
