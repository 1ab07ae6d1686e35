package examples_test

import (
	"bytes"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/mprof/mprof/diff"
	"github.com/mprof/mprof/firmware/examples/examplestest"
	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/sim"
	"github.com/mprof/mprof/symbol"
	"github.com/mprof/mprof/trace"
	"github.com/mprof/mprof/trace/calls"
)

// slower builds the example bare for the simulated board with takes_100us longer by so many µs, and
// another function in front of all others.
func slower(t *testing.T, by string) string {
	t.Helper()
	examplestest.Build{Example: "bare", Board: "stm32f405"}.ELF(t) // or skip
	dir := t.TempDir()
	for _, part := range []string{"examples", "mprof", "gprof"} {
		if err := os.CopyFS(filepath.Join(dir, part), os.DirFS(filepath.Join("..", part))); err != nil {
			t.Fatal(err)
		}
	}
	source := filepath.Join(dir, "examples", "bare", "bare.c")
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	for was, is := range map[string]string{
		"{ board_spin(100); }":     "{ board_spin(100 + " + by + "); }",
		"NOINLINE void takes_10us": "__attribute__((used)) NOINLINE void ahead(void) { board_spin(7); }\nNOINLINE void takes_10us",
	} {
		if bytes.Count(text, []byte(was)) != 1 {
			t.Fatalf("bare.c has %d times %q", bytes.Count(text, []byte(was)), was)
		}
		text = bytes.Replace(text, []byte(was), []byte(is), 1)
	}
	if err := os.WriteFile(source, text, 0o666); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "bare.elf")
	if text, err := exec.Command("make", "-s", "-C", filepath.Join(dir, "examples"), "EXAMPLE=bare", "BOARD=stm32f405", "HZ_stm32f405=16000000", "OUT="+out).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return out
}

// tracedRun is a trace of a second of the board's time, begun after so much of it, and what the board's
// cycles say of the means. The host keeps the board's time, too: the run is the same each time.
func tracedRun(t *testing.T, elf string, after time.Duration) (*profile.Profile, map[string]float64) {
	t.Helper()
	const hz = 16_000_000
	b := boardOf(t, elf, examplestest.Build{CoreHz: hz}, called["bare"], []string{enterHook, exitHook})
	u, err := b.UART("USART2")
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	c := &console{t: t, board: b, uart: u}
	c.pass(20*time.Millisecond + after)
	c.got = nil
	c.say(trace.CommandGetMetadata, 2, 0xFF)
	c.say(trace.CommandStart)
	c.pass(time.Second)
	c.say(trace.CommandStop)
	c.pass(100 * time.Millisecond)
	c.say(trace.CommandStatus)
	program, err := symbol.NewProgram(image(t, elf))
	if err != nil {
		t.Fatal(err)
	}
	r := &recorded{Builder: calls.NewBuilder(program, calls.Options{}), symbols: program}
	if err := trace.Replay(t.Context(), bytes.NewReader(c.got), r, trace.ReplayOptions{}); err != nil {
		t.Fatal(err)
	}
	if r.version != 2 || r.status.Running || r.status.Waiting != 0 || int(r.status.Sent) != len(r.records) || len(r.records) < leastRecords {
		t.Fatalf("%d records of version %d, losses %v, at the end %+v", len(r.records), r.version, r.losses, r.status)
	}
	return r.profile(t), meansOf(b, hz)
}

// meansOf are the mean times of calls by the board's cycles, without interrupts and hooks, ns.
func meansOf(b *sim.Board, hz float64) map[string]float64 {
	n, sum := map[string]float64{}, map[string]float64{}
	for _, c := range b.Calls() {
		n[c.Function]++
		sum[c.Function] += float64(c.Net().Cycles) * 1e9 / hz
	}
	for name := range sum {
		sum[name] /= n[name]
	}
	return sum
}

func compareTraces(t *testing.T, old, new *profile.Profile) map[string]*diff.Row {
	t.Helper()
	d, err := diff.Compare(old, new, diff.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]*diff.Row{}
	for i := range d.Functions {
		rows[d.Functions[i].Name] = &d.Functions[i]
	}
	return rows
}

// Traces of one firmware, begun at different moments, have not changed; where one function takes 3 µs more,
// that function has, its caller by three times that, and no other.
func TestDiffOfTracedFirmware(t *testing.T) {
	if testing.Short() {
		t.Skip("traces for seconds")
	}
	const by = 3000. // ns
	elf, changed := slower(t, "0"), slower(t, "3")
	old, truth := tracedRun(t, elf, 0)
	same, _ := tracedRun(t, elf, 137*time.Millisecond)
	new, after := tracedRun(t, changed, 61*time.Millisecond)
	for name, r := range compareTraces(t, old, same) {
		if r.Call.Significant || r.Self.Significant || r.Total.Significant || r.CallRate.Significant {
			t.Errorf("nothing has changed, and %s has: %+v", name, r)
		}
	}
	rows := compareTraces(t, old, new)
	for name, want := range map[string]float64{"takes_100us": by, "longer_ones": 3 * by} {
		r := rows[name]
		if r == nil {
			t.Fatalf("no %s", name)
		}
		true_ := after[name] - truth[name]
		if math.Abs(true_-want) > 300 {
			t.Fatalf("%s takes %.0f ns more by the board's cycles", name, true_)
		}
		if !r.Call.Significant || true_ < r.Call.Low || true_ > r.Call.High {
			t.Errorf("%s takes %.0f ns more, found %+v", name, true_, r.Call)
		}
	}
	for name, r := range rows {
		if name != "takes_100us" && name != "longer_ones" && r.Call.Significant {
			t.Errorf("%s has not changed, and was found to: %+v", name, r.Call)
		}
	}
	t.Logf("takes_100us: %.0f ns -> %.0f ns, %+.0f (%+.0f .. %+.0f); true %+.0f", rows["takes_100us"].Call.Old.Value, rows["takes_100us"].Call.New.Value,
		rows["takes_100us"].Call.Value, rows["takes_100us"].Call.Low, rows["takes_100us"].Call.High, after["takes_100us"]-truth["takes_100us"])
}
