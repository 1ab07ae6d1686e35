package cortexm_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mprof/mprof/cortexm"
	"github.com/mprof/mprof/firmware/demo"
	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/sim"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/unwind"
)

// stolenRow is a promise: the share of target time that the core stands still.
type stolenRow struct {
	what     string
	model    string
	hz       uint32 // SWCLK
	rate     float64
	bare     bool    // registers only
	most     float64 // share of target time
	complete float64 // share of stacks, at least
}

var stolenRows = []stolenRow{
	{"call stacks", "mcu-link", 10_000_000, 100, false, 0.04, 0.98},
	{"call stacks", "debugprobe", 4_000_000, 100, false, 0.12, 0.98},
	{"PC, LR, xPSR, SP", "mcu-link", 10_000_000, 1000, true, 0.10, 0},
	{"call stacks", "mcu-link", 10_000_000, 1000, false, 0.25, 0.98},
}

// stolen is what a row came to, by the board's own truth.
type stolen struct {
	stolenRow
	samples  int
	share    float64
	complete float64
	mean     time.Duration // halted for a sample
	stats    cortexm.Stats
}

// measureStolen samples the demo firmware for the given target time.
func measureStolen(t testing.TB, row stolenRow, d time.Duration, seed uint64) stolen {
	t.Helper()
	board, err := sim.New(sim.Options{ELF: demo.ELF, Model: row.model, Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	p, err := probe.Open(context.Background(), board.Transport(), probe.Options{SWCLKHz: row.hz})
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{board: board, probe: p, ram: cortexm.Range{Low: 0x20000000, High: 0x20010000}}
	u := newUnwinder(t, demo.ELF)
	o := cortexm.SampleOptions{Rate: row.rate, Duration: d, Seed: int64(seed), Needs: u.Consulted, RegistersOnly: row.bare}
	s := b.sampler(t, o)
	x := stolen{stolenRow: row}
	complete, halted, start := 0, board.HaltedTime(), board.Now()
	b.profile(t, s, u, func(one sampled) {
		x.samples++
		if one.stop.Reason == unwind.Complete {
			complete++
		}
		if one.Miss != snapshot.Taken { // a busy machine can be slower than the watchdog
			t.Logf("sample %d: %v", one.Seq, one.Miss)
		}
		if r := one.stop.Reason; !row.bare && (r == unwind.BadRA || r == unwind.NoProgress || r == unwind.NoRule) {
			t.Errorf("sample %d: a stack of wrong words: %v", one.Seq, one.stop)
		}
	})
	halted = board.HaltedTime() - halted
	x.share = float64(halted) / float64(board.Now()-start)
	x.complete = float64(complete) / float64(x.samples)
	x.mean = halted / time.Duration(x.samples)
	x.stats = s.Stats()
	return x
}

// The promises of docs/overhead.md.
func TestStolenTime(t *testing.T) {
	d := 20 * time.Second
	if testing.Short() {
		d = 10 * time.Second
	}
	for _, row := range stolenRows {
		t.Run(fmt.Sprintf("%s/%s/%gHz", row.what, row.model, row.rate), func(t *testing.T) {
			t.Parallel()
			x := measureStolen(t, row, d, 1)
			t.Logf("%.2f %% stolen, %d samples, %.2f %% complete, mean %v, %.2f transfers, %.2f commands, %s",
				100*x.share, x.samples, 100*x.complete, x.mean, x.stats.Phases, x.stats.Commands, x.stats.Plan)
			if x.share > row.most {
				t.Errorf("%.2f %% of target time stolen, promised %.0f %%", 100*x.share, 100*row.most)
			}
			if x.complete < row.complete {
				t.Errorf("%.2f %% of stacks complete, promised %.0f %%", 100*x.complete, 100*row.complete)
			}
		})
	}
}

// stolenTable and phaseTable are tables of docs/overhead.md.
func stolenTable(rows []stolen) string {
	var s strings.Builder
	s.WriteString("| what | probe model | SWCLK | rate | stolen | promised | stacks complete | halted, mean |\n|---|---|--:|--:|--:|--:|--:|--:|\n")
	for _, x := range rows {
		complete := fmt.Sprintf("%.2f %%", 100*x.complete)
		if x.bare {
			complete = "-"
		}
		fmt.Fprintf(&s, "| %s | %s | %d MHz | %g Hz | %.2f %% | %.0f %% | %s | %s |\n", x.what, x.model, x.hz/1_000_000, x.rate,
			100*x.share, 100*x.most, complete, micros(x.mean))
	}
	return s.String()
}

func phaseTable(rows []stolen) string {
	var s strings.Builder
	s.WriteString("| what | probe model | rate |")
	for p := range cortexm.NumPhases {
		fmt.Fprintf(&s, " %v |", p)
	}
	s.WriteString(" transfers | commands |\n|---|---|--:|")
	s.WriteString(strings.Repeat("--:|", int(cortexm.NumPhases)+2) + "\n")
	for _, x := range rows {
		sum := 0.0
		fmt.Fprintf(&s, "| %s | %s | %g Hz |", x.what, x.model, x.rate)
		for _, n := range x.stats.Phases {
			fmt.Fprintf(&s, " %.1f |", n)
			sum += n
		}
		fmt.Fprintf(&s, " %.1f | %.1f |\n", sum, x.stats.Commands)
	}
	return s.String()
}

// BenchmarkStolenTime prints both. Times in them are virtual; the benchmark's own
// are not.
func BenchmarkStolenTime(b *testing.B) {
	for b.Loop() {
		var rows []stolen
		for _, row := range stolenRows {
			rows = append(rows, measureStolen(b, row, time.Minute, 1))
		}
		fmt.Println("\n" + stolenTable(rows) + "\n" + phaseTable(rows))
	}
}
