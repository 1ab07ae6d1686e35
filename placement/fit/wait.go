package fit

import (
	"fmt"

	"github.com/mprof/mprof/symbol"
)

// FetchWait is how slow the flash is: cycles that an instruction fetch waits for a
// new line, of how many bytes. One line is buffered; there is no prefetch and no
// cache.
type FetchWait struct {
	Cycles int // 0: not known
	Line   uint32
}

func (w FetchWait) check() error {
	if w.Cycles != 0 && (w.Cycles < 0 || w.Cycles > 1000 || w.Line < 4 || w.Line > 1024 || w.Line&(w.Line-1) != 0) {
		return fmt.Errorf("fit: flash that waits %d cycles for %d bytes: write 1 to 1000 cycles, and a power of two from 4 to 1024 bytes", w.Cycles, w.Line)
	}
	return nil
}

// Gain is what moving the functions saves, as parts of the time awake: from
// nothing, where the flash is as fast as RAM, to Most, where the code did
// nothing but wait for it. Predicted is by a model, of a profile that was taken
// with the waiting in it.
type Gain struct {
	Least, Most float64
	Predicted   float64 // meaningful where Known
	Known       bool    // FetchWait was given, and the profile has addresses
}

// times says how many times faster the time awake is where a part of it is saved.
func times(saved float64) string {
	if saved > 0.99 { // a little time that is not there makes any number
		return "nearly all of it"
	}
	return fmt.Sprintf("x%.2f", 1/(1-saved))
}

// predict estimates how much of the time of the functions is spent waiting for
// their lines.
func (a *analysis) predict() {
	r := a.report
	r.Gain.Most = r.Covered.Value
	if r.Wait.Cycles == 0 || len(a.samples) == 0 || r.Traced {
		return
	}
	r.Gain.Known = true
	waited := 0.0
	leaders, loops := a.enteredAt(r.Wait.Line)
	for _, i := range r.Moved {
		for _, p := range r.Units[i].Parts {
			waited += a.waits(p.Range, leaders, loops)
		}
	}
	r.Gain.Predicted = waited / float64(r.Total)
}

// waits is how many of the samples of a function are of waiting. A line is left
// where a branch is taken, at its end, or not at all by a loop inside of it. A
// visit that executes cycles waits for the line once, so of the time there
// N/(N+cycles) is spent waiting.
func (a *analysis) waits(r symbol.Range, leaders, loops map[uint32]bool) (samples float64) {
	visit := map[uint32][]float64{} // by line: cycles of the visits that begin at its leaders
	whole := map[uint32]float64{}   // by line: cycles of all of it, for one that only a pointer or a table leads to
	var open []float64              // visits under way
	line := uint32(1)
	size := a.report.Wait.Line
	end := func() {
		visit[line] = append(visit[line], open...)
		open = open[:0]
	}
	a.decode(r, func(addr uint32, in instruction) {
		if addr/size*size != line {
			on := len(open) > 0
			end()
			if line = addr / size * size; on {
				open = append(open, 0)
			}
		}
		if leaders[addr] {
			open = append(open, 0)
		}
		for i := range open {
			open[i] += in.cycles
		}
		whole[line] += in.cycles
		if !in.leaves {
			return
		}
		if b := in.branch; !b.conditional || b.direct && b.to <= addr {
			end()
		}
	})
	end()
	for addr, n := range a.samples {
		if !r.Contains(addr) {
			continue
		}
		l := addr / size * size
		cycles := whole[l]
		if len(visit[l]) > 0 {
			cycles = mean(visit[l])
		}
		if loops[l] {
			cycles *= timesRound
		}
		wait := float64(a.report.Wait.Cycles)
		samples += float64(n) * wait / (wait + max(1, cycles))
	}
	return samples
}

// timesRound is how often a loop goes round that nothing is known of.
const timesRound = 8

// enteredAt finds where lines can be entered in the middle, from anywhere in the
// program: targets of branches, and where calls return to. loops are the lines
// that branch back into themselves.
func (a *analysis) enteredAt(size uint32) (leaders, loops map[uint32]bool) {
	leaders, loops = map[uint32]bool{}, map[uint32]bool{}
	for i := range a.report.Units {
		for _, p := range a.report.Units[i].Parts {
			leaders[p.Low] = true
			a.decode(p.Range, func(addr uint32, in instruction) {
				b := in.branch
				if in.leaves && b.call {
					leaders[addr+in.size] = true
				}
				if !in.leaves || !b.direct {
					return
				}
				if b.to/size == addr/size && b.to <= addr {
					loops[addr/size*size] = true
				} else {
					leaders[b.to] = true
				}
			})
		}
	}
	return leaders, loops
}

func mean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}
