package export

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/mprof/mprof/gmon"
	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/symbol"
)

// ErrNeedsELF is of a file that holds addresses alone.
var ErrNeedsELF = errors.New("gmon.out holds addresses only, and the ELF file that names them is missing")

// maxReadGmon bounds the file: a histogram of 4 MiB of code with buckets of 2 bytes takes 4 MiB.
const maxReadGmon = 16 << 20

// readGmon reads a gmon.out.
func readGmon(data []byte, in Input) (*profile.Profile, error) {
	if len(data) > maxReadGmon {
		return nil, fmt.Errorf("a gmon.out of %d bytes: %d are the most", len(data), maxReadGmon)
	}
	d, _, err := gmon.Decode(data)
	if err != nil {
		return nil, err
	}
	return ReadGmon(d, in)
}

// looksOldBSD tells whether data can be a gmon.out of an old BSD, which has no mark.
func looksOldBSD(data []byte) bool {
	_, _, err := gmon.Decode(data)
	return err == nil
}

// ReadGmon makes a profile of counts by address. A sample is d.PerSample counts; where that is not known, as many as all buckets have
// a multiple of, so that a file of Gmon has the samples that it was made of. Buckets that hold several
// functions are shared out by their bytes, as gprof does it.
//
// Calls say how often each function called which, not how long its calls took. As gprof does,
// samples of a function are shared out to its callers by the number of calls, and theirs to
// their callers: whole samples, so what gprof splits may be off by one. Functions that call each
// other in a circle share the calls from outside of it; the way inside is the shortest.
func ReadGmon(d *gmon.Data, in Input) (*profile.Profile, error) {
	if in.Program == nil {
		return nil, ErrNeedsELF
	}
	g := &gmonReader{program: in.Program, rows: profile.NewRows(), functions: map[uint32]*gmonFunction{}}
	if err := g.count(d); err != nil {
		return nil, err
	}
	g.calls(d.Arcs)
	g.stacks()
	p := g.rows.Finish()
	p.Threads = []profile.ThreadTrack{{Name: defaultTrack, Samples: g.samples}}
	p.Sums = &profile.Sums{}
	p.Mapping, p.Others = in.Program.Mappings()[0], in.Program.Mappings()[1:]
	p.Period = g.length(1)
	inOrder(p)
	unrecorded(p, append(g.remarks(d), in.Program.Remarks()...)...)
	if p.Sources = map[string]string{}; len(p.Frames) > 0 {
		for _, f := range p.Frames {
			if text, ok := in.Program.Source(f.File); ok {
				p.Sources[f.File] = text
			}
		}
	}
	return p, nil
}

// gmonReader adds up one file.
type gmonReader struct {
	program    *symbol.Program
	rows       *profile.Rows
	functions  map[uint32]*gmonFunction // by address; code without function by itself
	order      []*gmonFunction          // as they came
	perSample  uint64                   // counts
	rate       uint32                   // Hz, 0: not known
	samples    []profile.Sample
	total      uint64 // samples
	unknown    uint64 // of them, at no function
	widest     uint32 // bucket
	cut        bool   // there were more stacks than a profile should have
	stacksLeft int
}

// gmonFunction is a function with the samples in it and the functions that called it.
type gmonFunction struct {
	low     uint32
	known   bool
	at      []gmonPiece
	samples uint64
	callers []gmonCall
	cycle   *gmonCycle // nil: it is in none
}

// gmonPiece is samples at one address.
type gmonPiece struct {
	addr    uint32
	samples uint64
}

// gmonCall is calls by one function; nil: by none that is known.
type gmonCall struct {
	caller *gmonFunction
	count  uint64
}

// function is the one at an address.
func (g *gmonReader) function(addr uint32) *gmonFunction {
	low, known := addr, false
	if r, ok := g.program.Bounds(addr); ok {
		low, known = r.Low, true
	} else if at := g.program.Lookup(addr); len(at) > 0 {
		low, known = at[len(at)-1].Low, true
	}
	f, ok := g.functions[low]
	if !ok {
		f = &gmonFunction{low: low, known: known}
		g.functions[low] = f
		g.order = append(g.order, f)
	}
	return f
}

// count takes the histogram.
func (g *gmonReader) count(d *gmon.Data) error {
	sum := 0.0
	g.perSample = uint64(d.PerSample)
	for _, b := range d.Buckets {
		g.perSample = divisor(g.perSample, b.Count)
		g.widest = max(g.widest, b.Size)
		sum += float64(b.Count)
	}
	switch g.rate = d.Rate; {
	case sum == 0:
		return fmt.Errorf("gmon.out without a single count of time (and with %d records of calls)", len(d.Arcs))
	case g.widest > maxBucket:
		return fmt.Errorf("gmon.out with buckets of %d bytes, which hold many functions each: %d are the most", g.widest, maxBucket)
	case sum >= math.MaxInt64 || g.rate > 0 && sum/float64(g.rate) >= time.Duration(math.MaxInt64).Seconds():
		return fmt.Errorf("gmon.out with %g counts, %d a second: that is longer than 292 years", sum, d.Rate)
	}
	for _, b := range d.Buckets {
		n := b.Count / g.perSample
		g.total += n
		if !g.inFunctions(b, n) {
			f := g.function(b.Addr)
			f.add(b.Addr, n)
			if !f.known {
				g.unknown += n
			}
		}
	}
	if g.unknown == g.total {
		return fmt.Errorf("none of the %d counts is in a function of %s: it is not the program that ran", g.total, g.program.App().Path())
	}
	return nil
}

// divisor is the greatest common one.
func divisor(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func (f *gmonFunction) add(addr uint32, n uint64) {
	f.at = append(f.at, gmonPiece{addr, n})
	f.samples += n
}

// inFunctions shares n samples of a bucket out to the functions in it, by their bytes. It is false
// where there is none.
func (g *gmonReader) inFunctions(b gmon.Bucket, n uint64) bool {
	type piece struct{ addr, size uint32 }
	var pieces []piece
	var sizes []uint64
	for at, end := uint64(b.Addr), uint64(b.Addr)+uint64(b.Size); at < end; {
		r, ok := g.program.Bounds(uint32(at))
		if !ok {
			at = g.nextCode(at + 2)
			continue
		}
		high := min(uint64(r.High), end)
		pieces = append(pieces, piece{uint32(at), uint32(high - at)})
		sizes = append(sizes, high-at)
		at = max(high, at+1)
	}
	for i, k := range shareOut(n, sizes) {
		if k > 0 {
			g.function(pieces[i].addr).add(pieces[i].addr, k)
		}
	}
	return len(pieces) > 0
}

// nextCode is at, or the begin of the next code behind it.
func (g *gmonReader) nextCode(at uint64) uint64 {
	code := g.program.CodeRanges()
	i, _ := slices.BinarySearchFunc(code, at, func(r symbol.Range, at uint64) int {
		if uint64(r.High) <= at {
			return -1
		}
		return 1
	})
	if i == len(code) {
		return 1 << 32
	}
	return max(at, uint64(code[i].Low))
}

// shareOut splits n in proportion to parts: each gets its share rounded down, and those with the largest
// rests one more.
func shareOut(n uint64, parts []uint64) []uint64 {
	total := 0.0
	for _, p := range parts {
		total += float64(p)
	}
	out := make([]uint64, len(parts))
	if total == 0 {
		return out
	}
	left := n
	rests := make([]float64, len(parts))
	order := make([]int, len(parts))
	for i, p := range parts {
		exact := float64(n) * (float64(p) / total)
		out[i] = min(uint64(exact), left)
		left -= out[i]
		rests[i], order[i] = exact-math.Floor(exact), i
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(math.Copysign(1, rests[b]-rests[a])) })
	for i := 0; left > 0; i = (i + 1) % len(order) {
		out[order[i]]++
		left--
	}
	return out
}

// length is how long so many samples took.
func (g *gmonReader) length(samples uint64) time.Duration {
	if g.rate == 0 {
		return 0
	}
	return time.Duration(math.Round(float64(samples) * float64(g.perSample) * 1e9 / float64(g.rate)))
}

func (g *gmonReader) remarks(d *gmon.Data) (out []string) {
	out = append(out, "gmon.out holds sums by address: the counts were taken for samples, and when each was taken is not known")
	if fastest := 1e6; float64(g.rate)/float64(g.perSample) > fastest { // Hz; no PC is sampled so often
		out = append(out, fmt.Sprintf("its %d counts a second are times, not samples: standard errors say nothing", g.rate))
	}
	if g.rate == 0 {
		out = append(out, "it does not say how long a count is, so there are samples and no times")
	}
	if len(d.Arcs) > 0 {
		out = append(out, "callers are a guess, the one that gprof makes: the samples of a function were shared out to its callers by their numbers of calls")
	}
	if g.cut {
		out = append(out, fmt.Sprintf("there are more than %d call paths: the callers of the others were left out", maxGmonStacks))
	}
	if g.widest > 2 {
		out = append(out, fmt.Sprintf("buckets have up to %d bytes of code: lines and inlined functions are those where a bucket begins", g.widest))
	}
	if share := float64(g.unknown) / float64(g.total); share > 0.01 {
		out = append(out, fmt.Sprintf("%s of the counts is at no function of the ELF file: is it the program that ran?", percent(share)))
	}
	return out
}
