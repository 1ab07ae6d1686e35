package counting_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mprof/mprof/gmon/counters"
	"github.com/mprof/mprof/session/counting"
	"github.com/mprof/mprof/session/counting/countingtest"
	"github.com/mprof/mprof/session/target"
	"github.com/mprof/mprof/sim"
)

// onBoard are options for the simulated board, which comes from board once it is open.
func onBoard(elf string) (o counting.Options, board func() *sim.Board) {
	var b *sim.Board
	o = counting.Options{ELF: elf, Opened: func(t *target.Target) { b = t.Board }}
	o.Target.Probe = "sim:debugprobe," + countingtest.SimOptions
	return o, func() *sim.Board { return b }
}

func leftRunning(t *testing.T, b *sim.Board) {
	t.Helper()
	if state := b.CoreState(); state.Halted || state.DebugEnabled {
		t.Errorf("the core is left %+v", state)
	}
}

// TestFetch: one reading of all that was counted, equal to what the board holds where it stands still.
func TestFetch(t *testing.T) {
	elf := countingtest.Plain.ELF(t)
	o, board := onBoard(elf)
	o.Halt = true
	r, err := counting.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Program().App().Path() != elf {
		t.Error(r.Program().App().Path())
	}
	_ = board().Sleep(t.Context(), time.Second)
	var want *counters.Counts
	board().OnHalt(func(time.Duration) { want = countingtest.Held(t, board(), elf) })
	var got []*counting.Reading
	if err := r.Fetch(t.Context(), func(g *counting.Reading) error { got = append(got, g); return nil }); err != nil || len(got) != 1 {
		t.Fatalf("%d readings: %v", len(got), err)
	}
	leftRunning(t, board())
	g := got[0]
	if diff := cmp.Diff(want.Data(), g.Data); diff != "" {
		t.Errorf("(-held +fetched):\n%s", diff)
	}
	if g.Number != 0 || g.Counted != want.Total() || g.Counted < 900 || g.Ticks < uint32(g.Counted) || g.Halted <= 0 || g.Took <= 0 || g.Took > g.Halted || g.Reset {
		t.Errorf("%+v", g)
	}
	if g.Interval < 996e-6 || g.Interval > 998e-6 {
		t.Errorf("a tick of %g s, 997 us were asked for", g.Interval)
	}
}

// TestFetchInTurn: readings are numbered from 1 with their intervals, of which those have none in which the
// firmware does not count.
func TestFetchInTurn(t *testing.T) {
	elf := countingtest.Plain.ELF(t)
	o, board := onBoard(elf)
	o.Every = 100 * time.Millisecond
	var state []byte // the block's third word
	var idle int
	o.Idle = func(err error) {
		if idle++; !errors.Is(err, counters.ErrOff) {
			t.Error(err)
		}
		if idle == 2 {
			state[0] = 1
		}
	}
	r, err := counting.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	_ = board().Sleep(t.Context(), 100*time.Millisecond)
	state = board().Core().Memory(countingtest.Block(t, elf) + 2*4)
	if state[0] != 1 {
		t.Fatalf("the firmware does not count: state %d", state[0])
	}
	var numbers []int
	enough := errors.New("enough")
	err = r.Fetch(t.Context(), func(g *counting.Reading) error {
		switch numbers = append(numbers, g.Number); len(numbers) {
		case 2:
			state[0] = 0
		case 4:
			return enough
		}
		return nil
	})
	leftRunning(t, board())
	if want := []int{1, 2, 5, 6}; !errors.Is(err, enough) || idle != 2 || !slices.Equal(numbers, want) {
		t.Errorf("readings %v, want %v; %d intervals without; %v", numbers, want, idle, err)
	}
}

// TestFetchCutShort: the interval that the end of the context cuts short is read, too, and why the run
// ended before its duration is said.
func TestFetchCutShort(t *testing.T) {
	elf := countingtest.Plain.ELF(t)
	cause := errors.New("somebody had enough")
	for duration, want := range map[time.Duration]error{0: nil, time.Hour: cause} {
		o, board := onBoard(elf)
		o.Every, o.Duration = time.Second, duration
		r, err := counting.Open(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		readings := 0
		err = r.Fetch(ctx, func(*counting.Reading) error {
			if readings++; readings == 2 {
				cancel(cause)
			}
			return nil
		})
		cancel(nil)
		leftRunning(t, board())
		if !errors.Is(err, want) || readings != 3 {
			t.Errorf("with a duration of %v: %d readings, %v", duration, readings, err)
		}
	}
}

// TestReset clears, and tells what was cleared.
func TestReset(t *testing.T) {
	elf := countingtest.Plain.ELF(t)
	o, board := onBoard(elf)
	r, err := counting.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	_ = board().Sleep(t.Context(), time.Second)
	c, err := r.Reset(t.Context())
	if err != nil || c.Ticks < 900 || c.Interval < 996e-6 || c.Interval > 998e-6 {
		t.Errorf("%+v, %v", c, err)
	}
	leftRunning(t, board())
	if n := countingtest.Held(t, board(), elf).Total(); n > 200 {
		t.Errorf("%d ticks are left", n)
	}
}

// TestOpenRefuses: what says that there is nothing to fetch says it before the target is opened.
func TestOpenRefuses(t *testing.T) {
	const demo = "../../firmware/demo/demo.elf"
	o, board := onBoard(demo)
	if _, err := counting.Open(t.Context(), o); !errors.Is(err, counting.ErrNoBlock) || board() != nil {
		t.Errorf("a program without counters: %v; board %v", err, board())
	}
	if _, err := counting.Open(t.Context(), counting.Options{ELF: demo, Port: "sim"}); !errors.Is(err, counting.ErrNoBlock) {
		t.Errorf("behind a UART: %v", err)
	}
	var usage *target.UsageError
	if _, err := counting.Open(t.Context(), counting.Options{From: "http://x"}); !errors.As(err, &usage) || !strings.Contains(err.Error(), "tftp://HOST") {
		t.Errorf("%v", err)
	}
	r, err := counting.Open(t.Context(), counting.Options{From: "tftp://127.0.0.1:9/gmon.out"})
	if err != nil || r.Program() != nil {
		t.Fatalf("%v, %v", r, err)
	}
	if c, err := r.Reset(t.Context()); c != nil || err == nil {
		t.Errorf("TFTP cleared %v: %v", c, err)
	}
}
