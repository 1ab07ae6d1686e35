package main

import (
	"bytes"
	"context"
	"debug/elf"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mprof/mprof/firmware/demo"
	"github.com/mprof/mprof/firmware/shares"
	"github.com/mprof/mprof/session/sampling"
	"github.com/mprof/mprof/session/target"
	"github.com/mprof/mprof/sim"
	"github.com/mprof/mprof/sim/truth"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/symbol"
	"github.com/mprof/mprof/unwind"
)

// accuracyCase is a run on the simulated board that is judged by the truth.
type accuracyCase struct {
	firmware string
	elf      []byte
	model    string
	rate     float64
	seconds  int
	seed     int64
	long     bool
	flags    []string // beyond those of every row
}

// accuracyCases: the first rows have 6,000 samples; the last one shows that
// the distance goes on falling with ten times as many.
var accuracyCases = []accuracyCase{
	{"demo", demo.ELF, "mcu-link", 100, 60, 1, false, nil},
	{"demo", demo.ELF, "mcu-link", 1000, 6, 2, false, nil},
	{"shares", shares.ELF, "mcu-link", 100, 60, 3, true, nil},
	{"shares", shares.ELF, "mcu-link", 1000, 6, 4, false, nil},
	{"demo", demo.ELF, "debugprobe", 100, 60, 5, true, nil},
	{"demo", demo.ELF, "daplink-hid", 100, 60, 6, true, nil},
	{"demo", demo.ELF, "free-dap", 100, 60, 7, true, nil},
	{"demo", demo.ELF, "mcu-link", 1000, 60, 8, true, nil},
}

// randomSamples is the number of independent samples that the distance is
// compared with.
const randomSamples = 6000

// judged is a run and what the truth says of it.
type judged struct {
	accuracyCase
	samples, taken  int
	complete, equal int
	short, inner    int     // stacks that were cut for --max-halt, and that are the inner frames of the true one
	distance        float64 // total variation between self shares and the truth
	expected, bound float64 // of as many random samples: mean, 99.9 % quantile
	ofCounts        float64 // the distance of shares of the number of samples
	firstDifference string
	witness         *witness
	longest         time.Duration // halt
	longer, unsaid  int           // than --max-halt; stacks cut without saying that it is for the budget
	wanted          map[string]float64
}

// TestAccuracy holds what docs/accuracy.md says and prints its table.
func TestAccuracy(t *testing.T) {
	fmt.Println("| firmware | probe | rate | samples | distance by time | by count | random: mean | random: 99.9 % | complete | equal to the truth |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|")
	for _, c := range accuracyCases {
		if c.long && testing.Short() {
			continue
		}
		t.Run(fmt.Sprintf("%s/%s/%gHz", c.firmware, c.model, c.rate), func(t *testing.T) {
			j := judge(t, c)
			fmt.Println(j.row())
			j.check(t)
		})
	}
}

func (j *judged) row() string {
	percent := func(n int) string { return fmt.Sprintf("%.2f %%", 100*float64(n)/float64(j.taken)) }
	return fmt.Sprintf("| %s | %s | %g Hz | %d | %.2f %% | %.2f %% | %.2f %% | %.2f %% | %s | %s |", j.firmware, j.model, j.rate, j.taken,
		100*j.distance, 100*j.ofCounts, 100*j.expected, 100*j.bound, percent(j.complete), percent(j.equal))
}

func (j *judged) check(t *testing.T) {
	t.Helper()
	asked := float64(j.rate) * float64(j.seconds)
	if float64(j.taken) < 0.98*asked {
		t.Errorf("%d samples taken of %.0f asked", j.taken, asked)
	}
	if d := max(j.distance, j.ofCounts); d > j.bound {
		t.Errorf("the self shares are %.2f %% from the truth; 99.9 %% of runs with %d random samples are within %.2f %%", 100*d, randomSamples, 100*j.bound)
	}
	want := 0.995
	if j.rate > 100 { // a sample that is cut costs less than what it would take to hold it
		want = 0.98
	}
	if float64(j.complete) < want*float64(j.taken) {
		t.Errorf("%d of %d stacks complete, want %.1f %%", j.complete, j.taken, 100*want)
	}
	if float64(j.equal) < want*float64(j.taken) {
		t.Errorf("%d of %d stacks equal to the truth, want %.1f %%; the first difference:\n%s", j.equal, j.taken, 100*want, j.firstDifference)
	}
}

// judge runs mprof sample with a recording, and compares every recorded
// snapshot, unwound, with the shadow call stack at its halt.
func judge(t *testing.T, c accuracyCase) *judged {
	t.Helper()
	dir := t.TempDir()
	image, recording := filepath.Join(dir, c.firmware+".elf"), filepath.Join(dir, "run.mprof")
	if err := os.WriteFile(image, c.elf, 0o666); err != nil {
		t.Fatal(err)
	}
	w := &witness{}
	var stdout, stderr bytes.Buffer
	a := &app{stdout: &stdout, stderr: &stderr, opened: func(t *target.Target) { w.watch(t.Board) }}
	root := a.root()
	args := []string{"sample", "--probe", "sim:" + c.model, "--rate", fmt.Sprint(c.rate), "--duration", fmt.Sprint(c.seconds), "--seed", fmt.Sprint(c.seed), "--max-overhead", "none",
		"-o", filepath.Join(dir, "out.folded"), "--record", recording}
	root.SetArgs(append(append(args, c.flags...), image))
	if code := a.report(root.ExecuteContext(context.Background())); code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr.String())
	}
	j := &judged{accuracyCase: c}
	j.witness = w
	j.compare(t, image, recording, w)
	j.expected, j.bound = randomDistance(j.wanted, randomSamples)
	return j
}

// witness notes the truth at every halt that the debug port asked for.
type witness struct {
	board  *sim.Board
	stacks []witnessed
	before map[string]uint64
}

type witnessed struct {
	at    time.Duration
	stack []truth.Frame
}

func (w *witness) watch(b *sim.Board) {
	w.board = b
	b.OnHalt(func(at time.Duration) {
		if w.before == nil {
			w.before = b.Truth().Self()
		}
		pc, _ := b.Core().ReadReg(uint8(snapshot.PC))
		psp, _ := b.Core().ReadReg(uint8(snapshot.PSP))
		const returnAddress = 24 // in an exception frame (DDI 0403E B1.5.6)
		resume, _ := b.Core().ReadBus(psp+returnAddress, 4)
		w.stacks = append(w.stacks, witnessed{at, b.Truth().AppendStackOn(nil, pc, psp, resume&^1)})
	})
}

// shares are the true self shares since the first halt, by the name that the
// image has for a function.
func (w *witness) shares(names map[string]string) map[string]float64 {
	cycles, total := map[string]float64{}, 0.0
	for name, n := range w.board.Truth().Self() {
		d := float64(n - w.before[name])
		if alias, ok := names[name]; ok {
			name = alias
		}
		cycles[name] += d
		total += d
	}
	for name := range cycles {
		cycles[name] /= total
	}
	return cycles
}

func (j *judged) compare(t *testing.T, path, recording string, w *witness) {
	t.Helper()
	image, err := symbol.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	u, err := unwind.New(sampling.UnwindProgram(alone(image)))
	if err != nil {
		t.Fatal(err)
	}
	r, err := snapshot.Open(recording)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	self, total := map[string]float64{}, 0.0
	counts := map[string]float64{}
	var frames []unwind.Frame
	for {
		s, err := r.Next(context.Background())
		if err != nil {
			break
		}
		j.samples++
		if s.Miss != snapshot.Taken {
			continue
		}
		var stop unwind.Stop
		frames, stop = u.Unwind(frames[:0], s)
		j.taken++
		if stop.Reason == unwind.Complete {
			j.complete++
		}
		j.longest = max(j.longest, s.Halted)
		if _, halt := j.limits(t); halt > 0 && s.Halted > halt {
			j.longer++
		}
		if unsaidStop(stop.Reason) {
			j.unsaid++
		}
		if stop.Reason == unwind.Shortened {
			j.short++
		}
		want := w.at(t, s)
		j.compareStack(image, frames, stop, want)
		self[functionAt(image, frames[0].PC)] += s.Weight.Seconds()
		total += s.Weight.Seconds()
		counts[functionAt(image, frames[0].PC)]++
	}
	j.wanted = w.shares(imageNames(t, path, image))
	for name := range self {
		self[name] /= total
	}
	for name := range counts {
		counts[name] /= float64(j.taken)
	}
	j.distance = distance(self, j.wanted)
	j.ofCounts = distance(counts, j.wanted)
}

// at finds the halt of a snapshot: the one nearest in time.
func (w *witness) at(t *testing.T, s *snapshot.Snapshot) witnessed {
	t.Helper()
	pc, _ := s.Regs.Value(snapshot.PC)
	for len(w.stacks) > 0 {
		first := w.stacks[0]
		w.stacks = w.stacks[1:]
		if first.stack[0].PC == pc&^1 {
			return first
		}
	}
	t.Fatalf("no halt was seen with the PC of sample %d, 0x%08x", s.Seq, pc)
	return witnessed{}
}

// imageNames maps every symbol of the ELF file to the image's name for the
// function there: libraries give a function several names.
func imageNames(t *testing.T, path string, image *symbol.Image) map[string]string {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]string{}
	for _, s := range symbols {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC {
			names[s.Name] = functionAt(image, uint32(s.Value)&^1)
		}
	}
	return names
}

func functionAt(image *symbol.Image, pc uint32) string {
	f, ok := image.Function(pc)
	if !ok {
		return truth.Unknown
	}
	return f.Linkage
}

// compareStack counts a stack that equals the truth frame by frame: return
// addresses, interrupted PCs and exception numbers.
func (j *judged) compareStack(image *symbol.Image, got []unwind.Frame, stop unwind.Stop, want witnessed) {
	if n := len(got); n <= len(want.stack) && slices.EqualFunc(got, want.stack[:n], func(g unwind.Frame, w truth.Frame) bool {
		return g.PC == w.PC && int(g.ExcNum) == w.Exception
	}) {
		j.inner++
	}
	same := slices.EqualFunc(got, want.stack, func(g unwind.Frame, w truth.Frame) bool {
		return g.PC == w.PC && int(g.ExcNum) == w.Exception
	})
	if same {
		j.equal++
		return
	}
	if j.firstDifference == "" {
		var b strings.Builder
		fmt.Fprintf(&b, "  unwound (%v at 0x%08x):\n", stop.Reason, stop.Addr)
		for _, f := range got {
			fmt.Fprintf(&b, "    0x%08x %s exception %d\n", f.PC, functionAt(image, f.LookupPC()), f.ExcNum)
		}
		fmt.Fprintf(&b, "  true:\n")
		for _, f := range want.stack {
			fmt.Fprintf(&b, "    0x%08x %s exception %d\n", f.PC, f.Function, f.Exception)
		}
		j.firstDifference = b.String()
	}
}

// distance is the total variation between two distributions: half the sum of
// the differences, the share that would have to move.
func distance(a, b map[string]float64) float64 {
	d := 0.0
	for name, x := range a {
		d += math.Abs(x - b[name])
	}
	for name, y := range b {
		if _, ok := a[name]; !ok {
			d += y
		}
	}
	return d / 2
}

// randomDistance is the distance that n independent samples of the truth have
// from it: mean and 99.9 % quantile of 4,000 draws with a fixed seed.
func randomDistance(shares map[string]float64, n int) (mean, bound float64) {
	names := make([]string, 0, len(shares))
	for name := range shares {
		names = append(names, name)
	}
	slices.Sort(names)
	cumulative := make([]float64, len(names))
	sum := 0.0
	for i, name := range names {
		sum += shares[name]
		cumulative[i] = sum
	}
	const draws = 4000
	random := rand.New(rand.NewPCG(1, 2))
	all := make([]float64, draws)
	counts := make([]int, len(names))
	for d := range all {
		clear(counts)
		for range n {
			i, _ := slices.BinarySearch(cumulative, random.Float64()*sum)
			counts[min(i, len(counts)-1)]++
		}
		for i, name := range names {
			all[d] += math.Abs(float64(counts[i])/float64(n)-shares[name]) / 2
		}
		mean += all[d] / draws
	}
	slices.Sort(all)
	return mean, all[draws*999/1000]
}
