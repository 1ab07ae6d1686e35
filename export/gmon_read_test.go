package export_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mprof/mprof/export"
	"github.com/mprof/mprof/firmware/demo"
	"github.com/mprof/mprof/firmware/examples"
	"github.com/mprof/mprof/firmware/shares"
	"github.com/mprof/mprof/gmon"
	"github.com/mprof/mprof/gmon/gproftest"
	"github.com/mprof/mprof/symbol"
)

func programOf(t testing.TB, content []byte) *symbol.Program {
	t.Helper()
	path := filepath.Join(t.TempDir(), "app.elf")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	app, err := symbol.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	program, err := symbol.NewProgram(app)
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// What the command writes of samples comes back: each sample where it was, and the time of all of them.
func TestGmonComesBack(t *testing.T) {
	elf := elfFile(t, demo.ELF)
	r := gmonOf(t, elf, "sample", "--probe", "sim", "--seed", "5", "--duration", "8", elf)
	before, err := os.ReadFile(r.gmon)
	if err != nil {
		t.Fatal(err)
	}
	p, err := export.ReadFile(r.gmon, export.Input{Program: programOf(t, demo.ELF)})
	if err != nil {
		t.Fatal(err)
	}
	samples := int64(0)
	for _, s := range r.profile.Sample {
		samples += s.Value[0]
	}
	if int64(p.Samples()) != samples {
		t.Errorf("%d samples come back of %d", p.Samples(), samples)
	}
	var again bytes.Buffer
	if err := export.WriteGmon(&again, p); err != nil {
		t.Fatal(err)
	}
	one, oneTime := gmonSamples(t, before)
	two, twoTime := gmonSamples(t, again.Bytes())
	if fmt.Sprint(one) != fmt.Sprint(two) || math.Abs(oneTime-twoTime) > 50e-6 {
		t.Errorf("%v in %g s come back as %v in %g s", one, oneTime, two, twoTime)
	}
}

// gmonSamples are the samples of a file by address, and the seconds that all its counts are.
func gmonSamples(t *testing.T, file []byte) (map[uint32]uint64, float64) {
	t.Helper()
	d, _, err := gmon.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	divisor, sum := uint64(0), uint64(0)
	for _, b := range d.Buckets {
		sum += b.Count
		for n := b.Count; n != 0; {
			divisor, n = n, divisor%n
		}
	}
	samples := map[uint32]uint64{}
	for _, b := range d.Buckets {
		samples[b.Addr] = b.Count / divisor
	}
	return samples, float64(sum) / float64(d.Rate)
}

// Callers of a file with calls have the times that gprof gives them.
func TestReadGmonSharesOutAsGprof(t *testing.T) {
	elf := elfFile(t, examples.DemoELF)
	r := gmonOf(t, elf, "trace", "--demo")
	want := gproftest.CallGraph(t, r.elf, r.gmon, "-S", r.symbols).Times
	p, err := export.ReadFile(r.gmon, export.Input{Program: programOf(t, examples.DemoELF)})
	if err != nil {
		t.Fatal(err)
	}
	judged, withCallees := 0, 0
	for _, e := range p.Top() {
		linkage := p.Functions[e.Function].Linkage
		seconds, ok := want[linkage]
		if !ok {
			continue // a cycle, which gprof takes as one
		}
		if math.Abs(seconds-e.TotalTime.Seconds()) > 0.0101 { // self and children are rounded, each
			t.Errorf("%s: %v, gprof has %.2f s", linkage, e.TotalTime, seconds)
		}
		judged++
		if e.TotalTime > e.SelfTime+20e6 {
			withCallees++
		}
	}
	if judged < 40 || withCallees < 8 {
		t.Errorf("only %d functions were judged, %d with callees", judged, withCallees)
	}
}

// functions of the demo to make counts of.
func demoFunctions(t testing.TB, program *symbol.Program) (all []symbol.Range) {
	for _, name := range []string{"fir_apply", "biquad_apply", "partition", "insertion_sort", "crc32", "sine_q15", "integrate", "main"} {
		for _, r := range program.CodeRanges() {
			for at := r.Low; at < r.High; at += 2 {
				if l := program.Lookup(at); len(l) > 0 && l[len(l)-1].Linkage == name {
					all = append(all, symbol.Range{Low: l[len(l)-1].Low, High: l[len(l)-1].High})
					break
				}
			}
		}
	}
	if len(all) != 8 {
		t.Fatalf("%d functions", len(all))
	}
	return all
}

// In any call graph, with circles too, each count is a sample of its function once, no stack has a function
// twice, and a caller has called the next one.
func TestReadGmonOfAnyGraph(t *testing.T) {
	program := programOf(t, demo.ELF)
	functions := demoFunctions(t, program)
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 2))
		d := &gmon.Data{Rate: 1000}
		counts := map[uint32]uint64{}
		for i := range functions {
			if n := r.Uint64N(1000); n > 500 {
				counts[functions[i].Low] = n
			}
		}
		arcs := map[[2]uint32]bool{}
		for range r.IntN(20) {
			from, self := functions[r.IntN(8)], functions[r.IntN(8)]
			arcs[[2]uint32{from.Low, self.Low}] = true
			d.Arcs = append(d.Arcs, gmon.Arc{From: from.Low + 2, Self: self.Low, Count: 1 + r.Uint64N(100)})
		}
		for low, n := range counts {
			d.Buckets = append(d.Buckets, gmon.Bucket{Addr: low, Size: 2, Count: n})
		}
		d.Buckets = append(d.Buckets, gmon.Bucket{Addr: functions[0].Low + 4, Size: 2, Count: 1})
		counts[functions[0].Low]++
		p, err := export.ReadGmon(d, export.Input{Program: program})
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Check(); err != nil {
			t.Fatal(err)
		}
		got := map[uint32]uint64{}
		for _, s := range p.Threads[0].Samples {
			var path []uint32
			for _, f := range p.Callers(s.Stack) {
				if f.Depth == 0 {
					path = append(path, p.Symbols[f.Symbol].Low)
				}
			}
			got[path[0]] += uint64(s.Count)
			seen := map[uint32]bool{}
			for i, low := range path {
				if seen[low] || i > 0 && !arcs[[2]uint32{low, path[i-1]}] {
					t.Fatalf("seed %d: %x", seed, path)
				}
				seen[low] = true
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(counts) {
			t.Fatalf("seed %d: %v, want %v", seed, got, counts)
		}
	}
}

// A bucket of several functions is shared out by their bytes, as gprof does it; a whole number of
// counts for a sample is one sample.
func TestReadGmonSharesBuckets(t *testing.T) {
	program := programOf(t, demo.ELF)
	const size = 32
	all := demoFunctions(t, program)
	i := slices.IndexFunc(all, func(r symbol.Range) bool {
		_, ok := program.Bounds(r.High)
		return ok && r.High%size != 0
	})
	a := all[i]
	b, _ := program.Bounds(a.High)
	at := a.High &^ (size - 1)
	inA, inB := a.High-at, min(at+size, b.High)-b.Low
	p, err := export.ReadGmon(&gmon.Data{Rate: 1000, Buckets: []gmon.Bucket{{Addr: at, Size: size, Count: 7 * uint64(inA+inB)}, {Addr: at + 4*size, Size: size, Count: 7}}}, export.Input{Program: program})
	if err != nil {
		t.Fatal(err)
	}
	got := map[uint32]int{}
	for _, s := range p.Threads[0].Samples {
		f := p.Frames[p.Stacks[s.Stack].Frame]
		got[p.Symbols[f.Symbol].Low] += s.Count
	}
	if inA == 0 || got[a.Low] != int(inA) || p.Samples() != int(inA+inB)+1 {
		t.Errorf("%v, want %d and %d", got, inA, inB)
	}
}

func TestReadGmonRefuses(t *testing.T) {
	program := programOf(t, demo.ELF)
	for want, d := range map[string]gmon.Data{
		"without a single count of time (and with 1 records of calls)": {Arcs: []gmon.Arc{{From: 2, Self: 4, Count: 1}}},
		"buckets of 131072 bytes":                                      {Buckets: []gmon.Bucket{{Addr: 0x08000000, Size: 1 << 17, Count: 1}}},
		"longer than 292 years":                                        {Rate: 1, Buckets: []gmon.Bucket{{Addr: 0x08000000, Size: 2, Count: 1e10}}},
		"none of the 3 counts is in a function of":                     {Rate: 1, Buckets: []gmon.Bucket{{Addr: 0x30000000, Size: 2, Count: 1}, {Addr: 0x30000002, Size: 2, Count: 2}}},
	} {
		if _, err := export.ReadGmon(&d, export.Input{Program: program}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := export.ReadGmon(&gmon.Data{}, export.Input{}); !errors.Is(err, export.ErrNeedsELF) {
		t.Error(err)
	}
}

// What a target has counted is as many samples, also where all counts have a common divisor: a loop that waits is one bucket.
func TestReadGmonOneBucket(t *testing.T) {
	program := programOf(t, demo.ELF)
	at := demoFunctions(t, program)[0].Low
	for _, c := range []struct {
		perSample uint32
		samples   uint64
	}{{0, 1}, {1, 5000}, {5, 1000}} {
		p, err := export.ReadGmon(&gmon.Data{Rate: 1000, PerSample: c.perSample, Buckets: []gmon.Bucket{{Addr: at, Size: 2, Count: 5000}}}, export.Input{Program: program})
		if err != nil {
			t.Fatal(err)
		}
		var samples uint64
		var took time.Duration
		for _, s := range p.Threads[0].Samples {
			samples += uint64(s.Count)
			took += s.Weight
		}
		if samples != c.samples || took != 5*time.Second {
			t.Errorf("%d counts a sample: %d samples in %v", c.perSample, samples, took)
		}
	}
}

// FuzzReadGmon reads anything: no panic, no profile that contradicts itself, and memory in
// proportion to the file.
func FuzzReadGmon(f *testing.F) {
	program := programOf(f, shares.ELF)
	code := program.CodeRanges()[0]
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		var b bytes.Buffer
		d := &gmon.Data{Rate: 100, Buckets: []gmon.Bucket{{Addr: code.Low, Size: 4, Count: 3}, {Addr: code.Low + 64, Size: 4, Count: 9}}, Arcs: []gmon.Arc{{From: code.Low, Self: code.Low + 64, Count: 3}}}
		if err := d.Encode(&b, order); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Add([]byte("0 00000 1")) // folded stacks, to Read
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := export.Read(bytes.NewReader(data), export.Input{Program: program})
		if err != nil {
			return
		}
		if rows := len(p.Stacks) + len(p.Frames); rows > 64*len(data)+1000 {
			t.Errorf("%d rows of %d bytes", rows, len(data))
		}
		err = (export.Gmon{Bucket: 4}).Write(new(size), p)
		if err != nil && strings.Contains(err.Error(), "holds addresses") && !gmon.Recognise(data) {
			return // Read took the bytes for another format, of names alone
		}
		if err != nil && !strings.HasPrefix(err.Error(), "gmon:") {
			t.Error(err)
		}
	})
}
