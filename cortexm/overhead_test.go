package cortexm_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mprof/mprof/cortexm"
	"github.com/mprof/mprof/firmware/demo"
	"github.com/mprof/mprof/sim"
	"github.com/mprof/mprof/sim/wire"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/unwind"
)

// overhead is what sampling with one probe model costs the target.
type overhead struct {
	model          string
	samples        int
	complete       float64 // share of stacks
	limit          time.Duration
	p50, p99, mean time.Duration // halted, by the board's own truth
	ratio          float64       // median of halted / limit, sample by sample
	whole          time.Duration // limit of whole stacks, median
	wholeRatio     float64       // median of halted / that
	worst          float64       // 99th percentile of it
	stats          cortexm.Stats
}

// measureOverhead samples the demo firmware for the given target time.
func measureOverhead(t testing.TB, model string, d time.Duration) overhead {
	t.Helper()
	b := newBoard(t, sim.Options{Model: model, Seed: 1})
	u := newUnwinder(t, demo.ELF)
	s := b.sampler(t, cortexm.SampleOptions{Duration: d, Seed: 1, Needs: u.Consulted})
	o := overhead{model: model}
	var limits, wholes, halts []time.Duration
	var ratios, wholeRatios []float64
	complete, before := 0, b.board.HaltedTime()
	b.profile(t, s, u, func(x sampled) {
		o.samples++
		halted := b.board.HaltedTime() - before
		before += halted
		o.mean += halted
		if x.stop.Reason == unwind.Complete {
			complete++
		}
		if x.Miss != snapshot.Taken {
			return
		}
		limit := wireLimit(b.board.Model(), swclkHz, x.used, registersOf(u))
		limits, halts = append(limits, limit), append(halts, halted)
		ratios = append(ratios, float64(halted)/float64(limit))
		whole := wholeLimit(b.board.Model(), swclkHz, wholeStacks(x))
		wholes, wholeRatios = append(wholes, whole), append(wholeRatios, float64(halted)/float64(whole))
	})
	o.mean /= time.Duration(o.samples)
	o.complete = float64(complete) / float64(o.samples)
	slices.Sort(limits)
	slices.Sort(halts)
	slices.Sort(ratios)
	slices.Sort(wholes)
	slices.Sort(wholeRatios)
	o.whole, o.wholeRatio = at(wholes, 0.5), at(wholeRatios, 0.5)
	o.limit, o.p50, o.p99 = at(limits, 0.5), at(halts, 0.5), at(halts, 0.99)
	o.ratio, o.worst = at(ratios, 0.5), at(ratios, 0.99)
	o.stats = s.Stats()
	return o
}

func at[T any](sorted []T, q float64) (v T) {
	if len(sorted) == 0 {
		return v
	}
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

// wireLimit is how long a core must stand still for a sample on a probe that
// knows what will be needed: the smallest correct sequence, which halts, waits
// for S_HALT, reads PC, LR, SP and what else unwinding needed, one of them checked
// for all, then the words that it used, and resumes. Every transfer takes 46 SWCLK
// and what the model adds. Reading up to two words in vain is no dearer than TAR
// and RDBUFF.
func wireLimit(m wire.Model, hz uint32, used []cortexm.Extent, registers int) time.Duration {
	w := newWireLoad(m)
	w.add(1, 5, 0) // halt: counted here because the packet's time begins with it
	w.add(2, 5, 0) // value match of S_HALT; the probe keeps its mask
	for range registers {
		w.add(3, 6, 4) // write DCRSR, read DCRDR, RDBUFF
	}
	w.add(1, 1, 4) // DHCSR for the last of them
	words, end := 0, uint32(0)
	for _, u := range used {
		if words == 0 {
			w.add(1, 5, 0) // SELECT
		}
		if gap := (u.Low - end) / 4; words > 0 && gap <= 2 && u.Low/1024 == (end-4)/1024 {
			words += int(gap)
			w.add(int(gap), int(gap), int(4*gap))
		} else {
			w.add(2, 5, 0) // TAR, and RDBUFF behind the run
		}
		for range int(u.High-u.Low) / 4 {
			w.add(1, 1, 4)
			words++
		}
		end = u.High
	}
	if words > 0 {
		w.add(1, 5, 0) // TAR
	}
	w.add(1, 5, 0) // resume
	loads := append(w.packets, w.load)
	return m.BatchTime(loads, hz) - m.CommandTime(1) - m.TransferTime(1, hz)
}

// registersOf counts PC, LR, SP and what else unwinding needed.
func registersOf(u *unwind.Unwinder) int {
	n := 3
	for r := range snapshot.Reg(snapshot.NumRegs) {
		if u.Consulted(r) && r != snapshot.PC && r != snapshot.LR && r != snapshot.SP {
			n++
		}
	}
	return n
}

// wholeStacks are the stacks of a sample without gaps, from the stack pointer to
// the last word that unwinding used.
func wholeStacks(x sampled) (stacks []cortexm.Extent) {
	sp, _ := x.Regs.Value(snapshot.SP)
	tops := map[uint32]uint32{}
	from := []uint32{sp &^ 3}
	if psp, ok := x.Regs.Value(snapshot.PSP); ok {
		from = append(from, psp&^3)
	}
	for _, u := range x.used {
		low, found := uint32(0), false
		for _, f := range from {
			if f <= u.Low && (!found || f > low) {
				low, found = f, true
			}
		}
		if found {
			tops[low] = max(tops[low], u.High)
		}
	}
	for low, high := range tops {
		stacks = append(stacks, cortexm.Extent{Low: low, High: high})
	}
	return stacks
}

// wholeLimit is how long a core must stand still for a sample of whole stacks, each
// of PC, LR, xPSR, R7, SP, and in a handler PSP, checked: what a sampler reads
// that knows how deep the stack is and not which words of it matter.
func wholeLimit(m wire.Model, hz uint32, stacks []cortexm.Extent) time.Duration {
	w := newWireLoad(m)
	w.add(1, 5, 0) // halt: counted here because the packet's time begins with it
	w.add(2, 5, 0) // value match of S_HALT; the probe keeps its mask
	registers := 5
	if len(stacks) > 1 {
		registers++ // PSP
	}
	for range registers {
		w.add(4, 7, 8) // write DCRSR, read DHCSR, read DCRDR, and the fetch of the last
	}
	for i, e := range stacks {
		if i == 0 {
			w.add(1, 5, 0) // SELECT
		}
		w.add(1, 5, 0) // TAR
		for range int(e.High-e.Low) / 4 {
			w.add(1, 1, 4)
		}
		w.add(1, 0, 0) // RDBUFF
	}
	if len(stacks) > 0 {
		w.add(1, 5, 0) // TAR
	}
	w.add(1, 5, 0) // resume
	loads := append(w.packets, w.load)
	return m.BatchTime(loads, hz) - m.CommandTime(1) - m.TransferTime(1, hz)
}

// wireLoad fills packets of one DAP_Transfer each.
type wireLoad struct {
	limit             int
	request, response int
	load              wire.Load
	packets           []wire.Load
}

func newWireLoad(m wire.Model) *wireLoad {
	return &wireLoad{limit: m.PacketSize - 1, request: 3, response: 3, load: wire.Load{Commands: 1}}
}

func (w *wireLoad) add(transfers, request, response int) {
	if w.request+request > w.limit || w.response+response > w.limit {
		w.packets = append(w.packets, w.load)
		w.request, w.response, w.load = 3, 3, wire.Load{Commands: 1}
	}
	w.request, w.response = w.request+request, w.response+response
	w.load.Transfers += transfers
}

// measureSingly halts and reads one register or one word per round trip, as a
// debugger does that is not made for sampling. It returns the median of the
// halted time.
func measureSingly(t testing.TB, model string, samples int) time.Duration {
	t.Helper()
	ctx := context.Background()
	b := newBoard(t, sim.Options{Model: model, Seed: 1})
	u := newUnwinder(t, demo.ELF)
	try := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	const dhcsr, dcrsr, dcrdr = 0xE000EDF0, 0xE000EDF4, 0xE000EDF8
	read := func(addr uint32) uint32 {
		v, err := b.probe.ReadWord(ctx, addr)
		try(err)
		return v
	}
	var halts []time.Duration
	for range samples {
		try(b.board.Sleep(ctx, 7*time.Millisecond))
		before := b.board.HaltedTime()
		sp := &snapshot.Snapshot{}
		try(b.probe.WriteWord(ctx, dhcsr, 0xA05F0003))
		for read(dhcsr)&(1<<17) == 0 {
		}
		registers := []snapshot.Reg{snapshot.PC, snapshot.LR, snapshot.XPSR, snapshot.R7, snapshot.SP}
		for _, r := range append(registers, snapshot.PSP, snapshot.MSP) {
			if r == snapshot.PSP {
				if x, _ := sp.Regs.Value(snapshot.XPSR); x&0x1FF == 0 {
					break
				}
			}
			try(b.probe.WriteWord(ctx, dcrsr, uint32(r)))
			for read(dhcsr)&(1<<16) == 0 {
			}
			sp.Regs.Set(r, read(dcrdr))
		}
		// It reads word by word what unwinding asks for, as gdb does.
		for range 4096 {
			_, stop := u.Unwind(nil, sp)
			if stop.Reason != unwind.NotCaptured {
				break
			}
			at := stop.Addr &^ 3
			v := read(at)
			sp.Windows = append(sp.Windows, snapshot.Window{Addr: at, Data: []byte{byte(v), byte(v >> 8), byte(v >> 16), byte(v >> 24)}})
		}
		try(b.probe.WriteWord(ctx, dhcsr, 0xA05F0001))
		b.board.CoreState()
		halts = append(halts, b.board.HaltedTime()-before)
	}
	slices.Sort(halts)
	return at(halts, 0.5)
}

// overheadTable is the table of docs/overhead.md.
func overheadTable(rows []overhead, singly []time.Duration) string {
	var s strings.Builder
	s.WriteString("| probe model | samples | stacks complete | halted p50 | halted p99 | whole stacks p50 | ratio p50 | words used p50 | ratio p50 | ratio p99 | one at a time p50 |\n")
	s.WriteString("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	for i, o := range rows {
		fmt.Fprintf(&s, "| %s | %d | %.2f %% | %s | %s | %s | %.2f | %s | %.2f | %.2f | %s |\n", o.model, o.samples, 100*o.complete,
			micros(o.p50), micros(o.p99), micros(o.whole), o.wholeRatio, micros(o.limit), o.ratio, o.worst, micros(singly[i]))
	}
	return s.String()
}

func micros(d time.Duration) string { return fmt.Sprintf("%.0f us", float64(d)/1e3) }

// BenchmarkOverhead prints the table. Times in it are virtual; the benchmark's
// own are not.
func BenchmarkOverhead(b *testing.B) {
	for b.Loop() {
		var rows []overhead
		var singly []time.Duration
		for _, model := range sim.Models() {
			rows = append(rows, measureOverhead(b, model, time.Minute))
			singly = append(singly, measureSingly(b, model, 200))
		}
		b.Log("\n" + overheadTable(rows, singly))
	}
}

// promised is the median of halted time over the wire limit: of the probes that
// choose the words themselves, and of those where the host decides between steps.
const promised, promisedByHost = 3, 4

// promisedWhole is the median of halted time over the limit of whole stacks.
const promisedWhole = 1.25

func TestOverhead(t *testing.T) {
	d := 20 * time.Second
	if testing.Short() {
		d = 5 * time.Second
	}
	for _, model := range sim.Models() {
		t.Run(model, func(t *testing.T) {
			t.Parallel()
			o := measureOverhead(t, model, d)
			t.Logf("%d samples, %.2f %% complete, limit %v, halted p50 %v p99 %v mean %v, ratio p50 %.3f p99 %.2f, to whole stacks %.3f, %s",
				o.samples, 100*o.complete, o.limit, o.p50, o.p99, o.mean, o.ratio, o.worst, o.wholeRatio, o.stats.Plan)
			most := float64(promisedByHost)
			if model == wire.DefaultModel {
				most = promised
			}
			if o.ratio > most {
				t.Errorf("median ratio %.2f, promised %.2f", o.ratio, most)
			}
			if o.wholeRatio > promisedWhole {
				t.Errorf("median ratio to whole stacks %.2f, promised %.2f", o.wholeRatio, promisedWhole)
			}
			const least = 0.98 // the first samples teach the windows
			if o.complete < least {
				t.Errorf("%.2f %% of stacks complete, want %.2f %%", 100*o.complete, 100*least)
			}
		})
	}
}

// A minute of samples, as the demo takes them.
func TestAMinuteIsComplete(t *testing.T) {
	if testing.Short() {
		t.Skip("a minute of target time")
	}
	o := measureOverhead(t, wire.DefaultModel, time.Minute)
	t.Logf("%.3f %% complete, mean %v", 100*o.complete, o.mean)
	if o.complete < 0.995 {
		t.Errorf("%.2f %% of stacks complete, promised 99.5 %%", 100*o.complete)
	}
}
