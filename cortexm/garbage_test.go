package cortexm_test

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/mprof/mprof/cortexm"
	"github.com/mprof/mprof/firmware/demo"
	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/sim"
)

// mangler is a transport to a probe that answers garbage: each byte of script
// says what becomes of one response. When the script is used up, it is honest.
type mangler struct {
	probe.Transport
	mu     sync.Mutex
	script []byte
	calls  int // reads and writes
}

func (m *mangler) next() byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.script) == 0 {
		return 0
	}
	v := m.script[0]
	m.script = m.script[1:]
	return v
}

func (m *mangler) WritePacket(ctx context.Context, p []byte) error {
	m.calls++
	return m.Transport.WritePacket(ctx, p)
}

func (m *mangler) ReadPacket(ctx context.Context, p []byte) (int, error) {
	m.calls++
	n, err := m.Transport.ReadPacket(ctx, p)
	if err != nil || n == 0 {
		return n, err
	}
	switch op := m.next(); {
	case op < 0x80: // as it is
	case op < 0xA0: // bits wrong
		p[int(m.next())%n] ^= 1 << (op & 7)
	case op < 0xB0: // cut
		n = int(m.next()) % (n + 1)
	case op < 0xC0: // more than there is
		old := n
		n = min(n+1+int(m.next()), len(p))
		for i := old; i < n; i++ {
			p[i] = m.next()
		}
	case op < 0xD0: // the command is not known
		p[0], n = 0xFF, 1
	case op < 0xE0: // lost
		return m.Transport.ReadPacket(ctx, p)
	case op < 0xF0: // anything behind the command
		for i := 1; i < n; i++ {
			p[i] = m.next()
		}
	default: // anything at all
		for i := range n {
			p[i] = m.next()
		}
	}
	return n, nil
}

// mostCalls bounds what a run may exchange: that of garbage without an end.
const mostCalls = 40_000

// endure drives a probe that answers what script makes of its answers: open,
// attach, a few samples. Then the probe is honest again, and the core must be
// left running.
func endure(t *testing.T, model, chip string, script []byte) {
	b, err := sim.New(sim.Options{ELF: demo.ELF, Model: model, Chip: chip, CoreHz: 1_000_000})
	if err != nil {
		t.Fatal(err)
	}
	m := &mangler{Transport: b.Transport(), script: script}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	o := probe.Options{SWCLKHz: swclkHz, Timeout: 50 * time.Millisecond}
	if err := sampleFew(ctx, m, b, o); err != nil && ctx.Err() != nil {
		t.Fatalf("%s: it does not end: %v", model, err)
	}
	if m.calls > mostCalls {
		t.Errorf("%s: %d reads and writes", model, m.calls)
	}
	m.script = nil
	p, err := probe.Open(ctx, m, o)
	if err != nil {
		t.Fatalf("%s: not to be opened afterwards: %v", model, err)
	}
	c, err := cortexm.Attach(ctx, p, cortexm.AttachOptions{Clock: b, ResumeHalted: true})
	if err != nil {
		t.Fatalf("%s: not to be attached to afterwards: %v", model, err)
	}
	if err := c.Detach(ctx); err != nil {
		t.Errorf("%s: detach: %v", model, err)
	}
	if s := b.CoreState(); s.Halted || s.DebugEnabled {
		t.Errorf("%s: the core is left %+v", model, s)
	}
}

func sampleFew(ctx context.Context, m *mangler, b *sim.Board, o probe.Options) error {
	p, err := probe.Open(ctx, m, o)
	if err != nil {
		return err
	}
	c, err := cortexm.Attach(ctx, p, cortexm.AttachOptions{Clock: b})
	if err != nil {
		return err
	}
	s, err := cortexm.NewSampler(c, cortexm.SampleOptions{Rate: 1000, Clock: b})
	for range 12 {
		if err == nil {
			_, err = s.Next(ctx)
		}
	}
	if err != nil {
		return errors.Join(err, c.Detach(ctx))
	}
	pc, err := cortexm.NewPCSampler(ctx, c, cortexm.PCOptions{Clock: b, Duration: 20 * time.Millisecond})
	for err == nil {
		_, err = pc.Next(ctx)
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return errors.Join(err, c.Detach(ctx))
}

// FuzzDriver: a probe that answers garbage makes errors, in bounded time, and
// nothing worse.
func FuzzDriver(f *testing.F) {
	models, chips := sim.Models(), []string{"", "rp2040", "rp2350", "two-aps"}
	f.Add(uint8(0), []byte{})
	f.Add(uint8(1), []byte{0, 0, 0xF0, 1, 2, 3})
	f.Fuzz(func(t *testing.T, model uint8, script []byte) {
		n := int(model)
		endure(t, models[n%len(models)], chips[n/len(models)%len(chips)], script)
	})
}

// TestGarbage is the same with scripts that are mostly honest, so that the
// garbage comes late, too.
func TestGarbage(t *testing.T) {
	runs := 200
	if testing.Short() {
		runs = 25
	}
	for _, model := range sim.Models() {
		t.Run(model, func(t *testing.T) {
			r := rand.New(rand.NewPCG(5, 6))
			for range runs {
				script := make([]byte, 20+r.IntN(800))
				rare := 1 + r.IntN(60)
				for i := range script {
					if r.IntN(rare) == 0 {
						script[i] = byte(r.IntN(256))
					}
				}
				endure(t, model, "", script)
				if t.Failed() {
					t.Fatalf("script % x", script)
				}
			}
		})
	}
}
