package reliability

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/sim"
	"github.com/mprof/mprof/snapshot"
)

// rough is a way to a probe on which packets get lost and late, and whose host stands still now and then, all at random:
// not one fault in a sample that is well, but many in a row, also while the last one is being mended.
type rough struct {
	probe.Transport
	board  *sim.Board
	random *rand.Rand
	loses  float64       // of requests, of responses
	delays float64       // of responses,
	late   time.Duration // so much at most
	stalls float64       // of the host, before a request and before a response is looked at,
	stands time.Duration // so long at most
	calm   bool

	struck, stalled int
	standing        time.Duration // in all
	waiting         time.Duration // for late responses
}

func roughly(r *rand.Rand, b *sim.Board) *rough {
	worse := func(most float64) float64 { // half of them not at all, few of them often
		x := max(0, 2*r.Float64()-1)
		return most * x * x
	}
	return &rough{
		board: b, random: r, calm: true, loses: worse(0.05), delays: worse(0.1), stalls: worse(0.05),
		late: time.Duration(1 + r.Int64N(int64(tooLate))), stands: time.Duration(1 + r.Int64N(int64(5*time.Second))),
	}
}

func (x *rough) happens(share float64) bool {
	if x.calm || x.random.Float64() >= share {
		return false
	}
	x.struck++
	return true
}

// stall lets the board work on while the host stands still.
func (x *rough) stall() {
	if x.happens(x.stalls) {
		d := time.Duration(x.random.Int64N(int64(x.stands)))
		x.stalled++
		x.standing += d
		_ = x.board.Sleep(ctx, d)
	}
}

func (x *rough) WritePacket(ctx context.Context, p []byte) error {
	x.stall()
	if x.happens(x.loses) {
		return nil
	}
	if x.happens(x.delays) {
		f := sim.Fault{Kind: sim.LatePacket, Packet: 1, For: time.Duration(x.random.Int64N(int64(x.late)))}
		x.waiting += f.For
		if err := x.board.Inject(f); err != nil {
			return err
		}
	}
	return x.Transport.WritePacket(ctx, p)
}

func (x *rough) ReadPacket(ctx context.Context, p []byte) (int, error) {
	x.stall()
	n, err := x.Transport.ReadPacket(ctx, p)
	if err == nil && x.happens(x.loses) {
		return x.Transport.ReadPacket(ctx, p)
	}
	return n, err
}

// TestCampaign: whatever happens to packets and whenever, over hundreds of samples: the run goes on, no sample is made
// up, every one that was due is there or missed with a cause, what is said of how long the core stood still is true, and
// it runs in the end. MPROF_LINKS says how many for each method (2), MPROF_LINK which one.
func TestCampaign(t *testing.T) {
	first, n := uint64(0), uint64(2)
	if testing.Short() {
		n = 1
	}
	if s, err := strconv.ParseUint(os.Getenv("MPROF_LINKS"), 10, 64); err == nil {
		n = s
	}
	if s, err := strconv.ParseUint(os.Getenv("MPROF_LINK"), 10, 64); err == nil {
		first, n = s, 1
	}
	for i, m := range methods() {
		for seed := first; seed < first+n; seed++ {
			t.Run(fmt.Sprintf("%s, %s: %d", m.model, m.name, seed), func(t *testing.T) {
				t.Parallel()
				campaign(t, m, rand.New(rand.NewPCG(seed, uint64(i))))
			})
		}
	}
}

func campaign(t *testing.T, m method, r *rand.Rand) {
	x, err := newBench(m.model)
	if err != nil {
		t.Fatal(err)
	}
	link := roughly(r, x.board)
	link.Transport, x.wire.Transport = x.wire.Transport, link
	if err := x.attach(); err != nil {
		t.Fatal(err)
	}
	if err := x.start(m.way); err != nil {
		t.Fatal(err)
	}
	link.calm = false
	asked, taken, missed := 0, 0, map[snapshot.Miss]int{}
	last, claimed, stood := time.Duration(0), time.Duration(0), x.board.HaltedTime()
	for range 300 {
		s, err := x.sample()
		if err != nil {
			t.Fatalf("the run ended: %v", err)
		}
		asked++
		if s.Miss != snapshot.Taken {
			missed[s.Miss]++
		} else {
			taken++
		}
		if s.Time < last || s.Weight < 0 {
			t.Errorf("sample %d at %v with weight %v, the one before at %v", asked, s.Time, s.Weight, last)
		}
		last, claimed = s.Time, claimed+s.Halted
	}
	link.calm = true
	stood = x.board.HaltedTime() - stood
	if err := x.core.Detach(ctx); err != nil {
		t.Error(err)
	}
	if s := x.board.CoreState(); s.Halted || s.DebugEnabled {
		t.Errorf("the core is left %+v", s)
	}
	if x.wrong != "" {
		t.Error(x.wrong)
	}
	// A sample whose answer got lost tells nothing where the probe had resumed the core by itself. Where one was late, nobody
	// knows whether the probe was, with the core, or its way.
	if least := (stood - link.waiting) * 9 / 10 * time.Duration(taken) / time.Duration(asked); claimed < least {
		t.Errorf("the core stood still for %v, %v are told", stood, claimed)
	}
	if most := stood*11/10 + link.standing + time.Duration(link.struck)*tooLate; claimed > most {
		t.Errorf("the core stood still for %v and this machine for %v, %v are told", stood, link.standing, claimed)
	}
	t.Logf("asked %d, taken %d, missed %v; halted %v, said %v; struck %d, stalled %d for %v", asked, taken, missed, stood, claimed, link.struck, link.stalled, link.standing)
}
