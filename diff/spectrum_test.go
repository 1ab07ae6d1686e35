package diff

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// Two-sided quantiles of Student's t as tables of it have them, and of the normal distribution.
func TestQuantiles(t *testing.T) {
	for _, c := range []struct{ freedom, p, want float64 }{
		{1, 0.05, 12.7062}, {2, 0.01, 9.92484}, {5, 0.05, 2.57058}, {10, 0.001, 4.58689}, {20, 0.05, 2.08596}, {30, 0.002, 3.38518},
		{120, 0.05, 1.97993}, {math.Inf(1), 0.05, 1.95996}, {math.Inf(1), 0.001, 3.29053},
	} {
		if z := quantile(c.p, c.freedom); math.Abs(z-c.want) > 1e-4 {
			t.Errorf("t of %g with %g degrees of freedom: %.5f, tables say %.5f", c.p, c.freedom, z, c.want)
		}
		if p := tail(c.want, c.freedom); math.Abs(p-c.p) > 1e-5 {
			t.Errorf("tail beyond %g with %g degrees of freedom: %g, want %g", c.want, c.freedom, p, c.p)
		}
	}
}

// walk is a program that goes between two functions, staying in each for a time with an exponential
// distribution; a sample of every ms says whether it is in the first.
func walk(r *rand.Rand, n int, stay float64) (part, whole spectrum) {
	in := r.IntN(2) == 0
	var p phases
	for i := range n {
		if r.Float64() < 1/stay {
			in = !in
		}
		p.at((float64(i) + 0.5) / float64(n))
		whole.point(&p, 1)
		if in {
			part.point(&p, 1)
		}
	}
	return part, whole
}

// The error that one run says is that which many runs have, whether neighbours are alike or not.
func TestErrorIsThatOfManyRuns(t *testing.T) {
	const runs, n = 400, 4000
	for _, stay := range []float64{2, 10, 50} {
		r := rand.New(rand.NewPCG(1, uint64(stay)))
		var shares, squares, said float64
		outside := 0
		for range runs {
			part, whole := walk(r, n, stay)
			share := part.sum / whole.sum
			err, freedom := ratioError(&part, &whole)
			shares, squares, said = shares+share, squares+(share-0.5)*(share-0.5), said+err*err
			if math.Abs(share-0.5) > quantile(1-Level, freedom)*err {
				outside++
			}
		}
		true_, mean := math.Sqrt(squares/runs), math.Sqrt(said/runs)
		if mean < 0.85*true_ || mean > 1.5*true_ {
			t.Errorf("%g samples at a time: runs say %.5f, and have %.5f", stay, mean, true_)
		}
		// 99.9 % of the times, 5 % of 400 are no more than 35.
		if outside > 35 {
			t.Errorf("%g samples at a time: %d of %d intervals miss the truth", stay, outside, runs)
		}
	}
}

// What repeats throughout the run says nothing of the error of its sum; what happens in one part of
// it alone does.
func TestCyclesAreNoError(t *testing.T) {
	const n = 6000
	errorOf := func(in func(i int) bool) float64 {
		var part, whole spectrum
		var p phases
		for i := range n {
			p.at((float64(i) + 0.5) / n)
			whole.point(&p, 1)
			if in(i) {
				part.point(&p, 1)
			}
		}
		err, _ := ratioError(&part, &whole)
		return err
	}
	if e := errorOf(func(i int) bool { return i%500 < 100 }); e > 1e-6 {
		t.Errorf("a cycle of a twelfth of the run has an error of %g", e)
	}
	if e := errorOf(func(i int) bool { return i < 1200 }); e < 0.1 {
		t.Errorf("a fifth of the samples, all at the beginning, has an error of %g", e)
	}
}

// A span is many points.
func TestSpan(t *testing.T) {
	const run = time.Second
	var span, points spectrum
	from, to := 130*time.Millisecond, 410*time.Millisecond
	span.span(from, to, run, 7)
	const n = 100_000
	var p phases
	for i := range n {
		p.at(float64(from)/float64(run) + float64(to-from)/float64(run)*(float64(i)+0.5)/n)
		points.point(&p, 7./n)
	}
	for j := range frequencies {
		if math.Abs(span.re[j]-points.re[j])+math.Abs(span.im[j]-points.im[j]) > 1e-6 {
			t.Errorf("frequency %d: %g %g, points %g %g", j+1, span.re[j], span.im[j], points.re[j], points.im[j])
		}
	}
}
