//go:build linux

package strangers

import (
	"bytes"
	"debug/elf"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

// account is what the board knows of itself at a moment.
type account struct {
	now, halted time.Duration     // on its clock
	self        map[string]uint64 // running cycles by function, asleep or not
}

func (r *rig) account() account {
	a := account{now: r.board.Now(), halted: r.board.HaltedTime()}
	r.board.Hold(func() { a.self = r.board.Truth().Self() })
	return a
}

// outcome is what a profiler made of a stretch of time, and what was true of it.
type outcome struct {
	samples         int
	elapsed, halted time.Duration // of the board's clock
	found           map[string]float64
	truth           map[string]float64
}

func newOutcome() *outcome {
	return &outcome{found: map[string]float64{}, truth: map[string]float64{}}
}

// stretch adds what the board did between two moments.
func (o *outcome) stretch(from, to account) {
	o.elapsed += to.now - from.now
	o.halted += to.halted - from.halted
	for name, cycles := range to.self {
		o.truth[name] += float64(cycles - from.self[name])
	}
}

// perSample is how long the core stood still for a sample.
func (o *outcome) perSample() time.Duration { return o.halted / time.Duration(max(o.samples, 1)) }

// distance is the total-variation distance of the shares found from the true
// ones: the least share of the time that has to change hands to make them equal.
func (o *outcome) distance() float64 {
	found, truth, d := total(o.found), total(o.truth), 0.0
	for name := range union(o.found, o.truth) {
		d += math.Abs(o.found[name]/found-o.truth[name]/truth) / 2
	}
	return d
}

// chance is the distance to expect of as many independent samples: the sum over
// the functions of half the mean error of a share p, sqrt(2p(1-p)/(pi n)).
func (o *outcome) chance() float64 {
	truth, d := total(o.truth), 0.0
	for _, cycles := range o.truth {
		p := cycles / truth
		d += math.Sqrt(2*p*(1-p)/(math.Pi*float64(max(o.samples, 1)))) / 2
	}
	return d
}

func total(m map[string]float64) (sum float64) {
	for _, v := range m {
		sum += v
	}
	return sum
}

func union(a, b map[string]float64) map[string]bool {
	all := map[string]bool{}
	for name := range a {
		all[name] = true
	}
	for name := range b {
		all[name] = true
	}
	return all
}

// functions finds functions by the symbols of an ELF file.
type functions struct {
	starts []uint32
	ends   []uint32
	names  [][]string // all of each address
}

func newFunctions(t testing.TB, raw []byte) functions {
	t.Helper()
	f, err := elf.NewFile(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	symbols = slices.DeleteFunc(symbols, func(s elf.Symbol) bool {
		return int(s.Section) >= len(f.Sections) || f.Sections[s.Section].Flags&elf.SHF_EXECINSTR == 0 || strings.HasPrefix(s.Name, "$") ||
			elf.ST_TYPE(s.Info) != elf.STT_FUNC && (elf.ST_TYPE(s.Info) != elf.STT_NOTYPE || s.Name == "")
	})
	slices.SortFunc(symbols, func(a, b elf.Symbol) int { return int(a.Value&^1) - int(b.Value&^1) })
	var all functions
	for _, s := range symbols {
		at := uint32(s.Value) &^ 1
		n := len(all.starts)
		if n == 0 || all.starts[n-1] != at {
			all.starts, all.ends, all.names = append(all.starts, at), append(all.ends, at), append(all.names, nil)
			n++
		}
		all.names[n-1] = append(all.names[n-1], s.Name)
		all.ends[n-1] = max(all.ends[n-1], at+uint32(s.Size))
	}
	return all
}

// nowhere is the name for code that no symbol covers.
const nowhere = "<nowhere>"

// at is the function at an address, by the name that the truth has for it.
func (f functions) at(pc uint32, truth map[string]float64) string {
	i, found := slices.BinarySearch(f.starts, pc)
	if !found {
		i--
	}
	if i < 0 || f.ends[i] != f.starts[i] && pc >= f.ends[i] {
		return nowhere
	}
	for _, name := range f.names[i] {
		if _, known := truth[name]; known {
			return name
		}
	}
	return f.names[i][0]
}
