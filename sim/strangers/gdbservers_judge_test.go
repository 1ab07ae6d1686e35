//go:build linux && cgo

package strangers

import (
	"context"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mprof/mprof/firmware/shares"
	"github.com/mprof/mprof/snapshot"
)

// taken is what mprof sample brought home from a GDB server.
type taken struct {
	stacks  map[string]int // by functions, outermost first, separated by ";"
	samples int
	halted  []time.Duration // each, as mprof brackets them
	took    time.Duration   // on the clock of the run
	said    string
}

// sample runs mprof on a server for d, and until there are as many samples as a run is judged by.
func (s *gdbServer) sample(t testing.TB, d time.Duration, flags ...string) *taken {
	t.Helper()
	program, err := mprof()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	folded, recording := filepath.Join(dir, "out.folded"), filepath.Join(dir, "run.mprof")
	args := append([]string{"sample", "--probe", "gdb:" + s.address, "--max-overhead", "none", "--record", recording, "-o", folded}, flags...)
	cmd := exec.Command(program, append(args, s.elf)...)
	var out syncBuffer
	cmd.Stdout, cmd.Stderr = &out, &out
	s.awaitFree(t)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill := time.AfterFunc(d+3*time.Minute, func() { _ = cmd.Process.Kill() })
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for end := time.Now().Add(d); len(ended) == 0 && (time.Now().Before(end) || samplesIn(recording) < s.least); {
		time.Sleep(50 * time.Millisecond)
	}
	_ = cmd.Process.Signal(syscall.SIGINT)
	if err := <-ended; err != nil || !kill.Stop() {
		t.Fatalf("mprof %s: %v\n%s\n%s", strings.Join(args, " "), err, out.String(), s.log())
	}
	k := &taken{stacks: map[string]int{}, said: out.String()}
	text, err := os.ReadFile(folded)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		i := max(strings.LastIndexByte(line, ' '), 0) // names have spaces
		n, err := strconv.Atoi(strings.TrimSpace(line[i:]))
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		k.stacks[line[:i]] += n
	}
	k.account(t, recording)
	return k
}

// samplesIn is how many a recording has that is still written.
func samplesIn(path string) (n int) {
	in, err := snapshot.Open(path)
	if err != nil {
		return 0
	}
	defer in.Close()
	for {
		s, err := in.Next(context.Background())
		if err != nil {
			return n
		}
		if s.Miss == snapshot.Taken {
			n++
		}
	}
}

// account adds what the recording tells of the halts.
func (k *taken) account(t testing.TB, path string) {
	t.Helper()
	in, err := snapshot.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	for {
		s, err := in.Next(context.Background())
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		k.took = s.Time
		if s.Miss == snapshot.Taken {
			k.samples++
			k.halted = append(k.halted, s.Halted)
		}
	}
	slices.Sort(k.halted)
}

// quantile of the halts, 0 to 1.
func (k *taken) quantile(q float64) time.Duration {
	return k.halted[int(q*float64(len(k.halted)-1))]
}

// worker is inlined into the functions that are counted.
const worker = "work"

// self counts samples by the function that runs.
func (k *taken) self() map[string]float64 {
	m := map[string]float64{}
	for stack, n := range k.stacks {
		frames := strings.Split(strings.TrimSuffix(stack, ";"+worker), ";")
		m[frames[len(frames)-1]] += float64(n)
	}
	return m
}

// on counts samples by the functions on the stack, each once.
func (k *taken) on() map[string]float64 {
	m := map[string]float64{}
	for stack, n := range k.stacks {
		frames := strings.Split(stack, ";")
		slices.Sort(frames)
		for _, f := range slices.Compact(frames) {
			m[f] += float64(n)
		}
	}
	return m
}

func (k *taken) distance(self map[string]float64) (d float64) {
	found := k.self()
	for name := range union(found, self) {
		d += math.Abs(found[name]/float64(k.samples)-self[name]) / 2
	}
	return d
}

// byChance is the distance that n independent samples have from the truth: mean, and 99.9 %
// quantile, of 4,000 draws.
func byChance(self map[string]float64, n int) (mean, bound float64) {
	names := slices.Sorted(func(yield func(string) bool) {
		for name := range self {
			if !yield(name) {
				return
			}
		}
	})
	const draws = 4000
	random := rand.New(rand.NewPCG(1, 2))
	all := make([]float64, draws)
	for i := range all {
		left, rest := n, 1.0
		for _, name := range names {
			count := binomial(random, left, self[name]/rest)
			all[i] += math.Abs(float64(count)/float64(n)-self[name]) / 2
			left, rest = left-count, max(rest-self[name], 1e-12)
		}
		mean += all[i] / draws
	}
	slices.Sort(all)
	return mean, all[draws*999/1000]
}

func binomial(random *rand.Rand, n int, p float64) (k int) {
	for range n {
		if random.Float64() < p {
			k++
		}
	}
	return k
}

// gdbTolerance is how far the shares may be from the truth beyond chance: 0.2 % that callers
// and loops take for themselves (shares.Tolerance), up to 0.7 % that QEMU's stops find in
// them, and what is left for a busy host, on which QEMU may not have executed anything from
// one sample to the next. docs/targets.md has what was measured.
const gdbTolerance = 0.02

// judge compares the shares with the truth.
func (s *gdbServer) judge(t testing.TB, k *taken) {
	t.Helper()
	if k.samples < s.least {
		t.Fatalf("%s: %d samples, want %d\n%s", s.name, k.samples, s.least, k.said)
	}
	mean, bound := byChance(s.self, k.samples)
	d := k.distance(s.self)
	t.Logf("%s: %d samples, %.0f a second, halted %v median, %v 99 %%; distance %.2f %%, by chance %.2f %% and at most %.2f %%", s.name, k.samples,
		float64(k.samples)/k.took.Seconds(), k.quantile(.5).Round(time.Microsecond), k.quantile(.99).Round(time.Microsecond), 100*d, 100*mean, 100*bound)
	if d > bound+gdbTolerance {
		t.Errorf("%s: the shares are %.2f %% away from the truth: %v", s.name, 100*d, k.self())
	}
	on, n := k.on(), float64(k.samples)
	for _, f := range []string{"dawn", "noon", "dusk", "day", "night"} {
		want := shares.Total()[f]
		if limit := 3.9*math.Sqrt(want*(1-want)/n) + gdbTolerance; math.Abs(on[f]/n-want) > limit { // 0.01 % of a normal distribution is beyond
			t.Errorf("%s: %s is on %.2f %% of the stacks, want %.2f %% +- %.2f %%", s.name, f, 100*on[f]/n, 100*want, 100*limit)
		}
	}
	if whole := on["Reset_Handler"] / n; whole < .99 {
		t.Errorf("%s: %.2f %% of the stacks go down to reset", s.name, 100*whole)
	}
}

// TestGDBServers: mprof finds the shares of a program, and its callers, through every GDB
// server that runs here, and leaves it running.
func TestGDBServers(t *testing.T) {
	for _, server := range gdbServers {
		t.Run(server.name, func(t *testing.T) {
			if testing.Short() && server.name != "virt" && server.name != "mps2-an386" {
				t.Skip("seconds of real time for each")
			}
			s := server.start(t)
			k := s.sample(t, 4*time.Second, "--rate", "400")
			s.judge(t, k)
			s.runs(t)
			if !strings.Contains(k.said, "the target was left running") {
				t.Errorf("%s: mprof does not say that it left the target running: %s", s.name, k.said)
			}
		})
	}
}
