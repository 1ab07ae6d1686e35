package examples_test

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mprof/mprof/firmware/examples/examplestest"
	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/sim/qemu"
)

// A mean may be wrong by so much.
const allowed = 0.01

var onQEMU = []struct {
	board, example string
	version        int
}{
	{"mps2-an385", "bare", 2}, {"mps2-an386", "bare", 2}, {"netduinoplus2", "bare", 2}, {"microbit", "bare", 2},
	{"mps2-an385", "bare", 1}, {"microbit", "bare", 1},
	{"mps2-an385", "tasks", 2}, {"netduinoplus2", "tasks", 2}, {"microbit", "tasks", 2},
}

// Functions of known lengths, traced through the serial port of an emulator, take as long as the same
// functions without mprof; every call has its record, and none was invented.
func TestAccuracyOnQEMU(t *testing.T) {
	var rows []string
	for i, c := range onQEMU {
		if testing.Short() && i%4 != 0 {
			continue
		}
		t.Run(fmt.Sprintf("%s/%s/v%d", c.board, c.example, c.version), func(t *testing.T) {
			truth := meanTruth(t, c.board, c.example)
			elf := examplestest.Build{Example: c.example, Board: c.board}.ELF(t)
			r, counted := traced(t, c.board, c.example, elf, c.version)
			if r.version != c.version || r.statuses == 0 || r.status.Waiting != 0 || r.status.Running {
				t.Errorf("version %d, status %+v, losses %v", r.version, r.status, r.losses)
			}
			if r.metadata.Name != c.example || len(r.remarks) != 0 {
				t.Errorf("metadata %+v, remarks %q", r.metadata, r.remarks)
			}
			everyCall(t, c.example, r, spansOf(counted.Calls))
			if r.status.Dropped > 0 {
				give := t.Skipf
				if os.Getenv("CI") == "true" {
					give = t.Fatalf
				}
				give("this machine is too busy to read in time: %d records dropped, and counted", r.status.Dropped)
			}
			rows = append(rows, judge(t, c.example, r.profile(t), truth, 10*time.Microsecond).row("QEMU "+c.board, c.example, r))
		})
	}
	hold(t, "accuracy on QEMU", accuracyHead+strings.Join(rows, ""))
}

// verdict is how wrong the means of an example are.
type verdict struct {
	judged      int
	worst, mean float64
	at          string // the worst
}

const accuracyHead = "| on | example | records | calls | functions judged | mean error | largest |\n|---|---|---|---|---|---|---|\n"

func (v verdict) row(on, example string, r *recorded) string {
	calls := uint64(0)
	for _, n := range r.calls() {
		calls += n
	}
	return fmt.Sprintf("| %s | %s | version %d | %d | %d | %.2f %% | %+.2f %% (`%s`) |\n", on, example, r.version, calls, v.judged, 100*v.mean, 100*v.worst, v.at)
}

// traced runs an example with a session. A host that is too busy to read makes the target drop
// records, which is as it should be but not what is to be shown: between them is a pipe that keeps those of
// many seconds.
func traced(t *testing.T, board, example, elf string, version int) (*recorded, qemu.Counted) {
	t.Helper()
	m := qemu.Start(t, qemu.Options{Board: board, ELF: elf, Count: countOf(example, true), Pipe: true})
	r := record(t, m.Pipe, elf, version, 1500*time.Millisecond)
	counted, err := m.Counted()
	if err != nil {
		t.Fatal(err)
	}
	return r, counted
}

// everyCall compares how many calls of each function there were with how many records came: no more, and
// less by what the target says that it dropped.
func everyCall(t *testing.T, example string, r *recorded, counted []span) {
	t.Helper()
	want := map[string]int{}
	for _, c := range window(counted) {
		want[c.function]++
	}
	got := r.calls()
	missing, slack := -int(r.status.Dropped), 0
	for _, f := range called[example] {
		edge := 0
		if slices.Contains(interrupts, f) {
			edge = 1
		}
		d := int(got[f]) - want[f]
		if want[f] == 0 || d > edge || d < -edge && r.status.Dropped == 0 {
			t.Errorf("%s: %d records of %d calls", f, got[f], want[f])
		}
		missing -= d
		slack += edge
	}
	if missing > slack || missing < -slack && example == "bare" { // records of switches are dropped, too
		t.Errorf("%d records are missing beyond the %d that were dropped", missing, r.status.Dropped)
	}
}

// judge compares means with the truth, where that is least or longer, and prints them.
func judge(t *testing.T, example string, p *profile.Profile, truth map[string]time.Duration, least time.Duration) (v verdict) {
	t.Helper()
	met := 0
	for _, f := range p.Trace.Functions {
		name := p.Functions[f.Function].Name
		if !slices.Contains(judged[example], name) {
			t.Logf("(%s %d calls, mean %v, truth %v)", name, f.Calls, f.Mean, truth[name])
			continue
		}
		met++
		wrong := float64(f.Mean)/float64(truth[name]) - 1
		t.Logf("%-12s %6d calls, mean %10v, truth %10v: %+.2f %%", name, f.Calls, f.Mean, truth[name], 100*wrong)
		if truth[name] < least {
			continue
		}
		v.judged++
		v.mean += math.Abs(wrong)
		if math.Abs(wrong) > math.Abs(v.worst) {
			v.worst, v.at = wrong, name
		}
		most := allowed * float64(truth[name])
		if slices.Contains(interrupts, name) { // that may come at one phase of the ticks
			most = max(most, 1e9/p.Trace.TickHz)
		}
		if math.Abs(float64(f.Mean-truth[name])) > most {
			t.Errorf("%s: mean %v, truth %v", name, f.Mean, truth[name])
		}
	}
	if met != len(judged[example]) {
		t.Errorf("%d functions of %d", met, len(judged[example]))
	}
	v.mean /= float64(max(v.judged, 1))
	return v
}
