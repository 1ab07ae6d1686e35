package diff

import (
	"math"
	"slices"
	"time"
)

// frequencies is how many of the lowest frequencies of a run tell how much its sums vary: those of
// 1 to so many periods in the run.
const (
	frequencies = 24
	lowest      = 4
)

// spectrum is a series over the time of a run: its sum, and its Fourier coefficients at the lowest
// frequencies.
type spectrum struct {
	sum    float64
	re, im [frequencies]float64
}

func (s *spectrum) add(o *spectrum, times float64) {
	s.sum += o.sum * times
	for j := range frequencies {
		s.re[j] += o.re[j] * times
		s.im[j] += o.im[j] * times
	}
}

// phases are the turns of a moment of a run.
type phases struct{ re, im [frequencies]float64 }

// at is the phases of a part x of the run, 0 to 1.
func (p *phases) at(x float64) {
	sin, cos := math.Sincos(2 * math.Pi * x)
	re, im := 1., 0.
	for j := range frequencies {
		re, im = re*cos-im*sin, re*sin+im*cos
		p.re[j], p.im[j] = re, im
	}
}

// point adds what happens at once.
func (s *spectrum) point(p *phases, size float64) {
	s.sum += size
	for j := range frequencies {
		s.re[j] += size * p.re[j]
		s.im[j] += size * p.im[j]
	}
}

// span adds what goes on evenly from one time to another, of a run of a length.
func (s *spectrum) span(from, to, run time.Duration, size float64) {
	var p phases
	p.at((float64(from) + float64(to)) / 2 / float64(run))
	s.sum += size
	width := math.Pi * float64(to-from) / float64(run)
	for j := range frequencies {
		damped := size
		if x := width * float64(j+1); x > 1e-9 {
			damped *= math.Sin(x) / x
		}
		s.re[j] += damped * p.re[j]
		s.im[j] += damped * p.im[j]
	}
}

// ratioError is the standard error of part.sum / whole.sum, and its degrees of freedom. The
// variance of the sum of a series is the power of the lowest frequencies of it: that of white
// noise is the same at all of them, and what is correlated has more of it there (P. Heidelberger and P. D. Welch,
// Communications of the ACM 24, 1981, 233). The series is what part has beyond its share of whole.
//
// The cycles of a firmware are lines in that spectrum, which say nothing of the error of a sum over many of
// them: their median leaves these out (that of the power of noise is ln 2 of its mean). What drifts
// over the run shows at the very lowest ones: where their mean is more, it counts. The degrees of
// freedom are those of such a median.
func ratioError(part, whole *spectrum) (err, freedom float64) {
	if whole.sum <= 0 {
		return 0, 0
	}
	share, drift := part.sum/whole.sum, 0.
	var power [frequencies]float64
	for j := range frequencies {
		re, im := part.re[j]-share*whole.re[j], part.im[j]-share*whole.im[j]
		power[j] = re*re + im*im
		if j < lowest {
			drift += power[j] / lowest
		}
	}
	slices.Sort(power[:])
	median := (power[frequencies/2-1] + power[frequencies/2]) / 2
	return math.Sqrt(max(median/math.Ln2, drift)) / whole.sum, freedomOfMedian
}

// freedomOfMedian is 2 / v, where v is the relative variance of the median of the power of noise,
// 1 / (frequencies ln² 2).
const freedomOfMedian = 2 * frequencies * math.Ln2 * math.Ln2

// ofCallTimes are series of times of calls, and of the calls.
func ofCallTimes(calls []call) (times, numbers spectrum) {
	var p phases
	for _, c := range calls {
		p.at(c.at)
		times.point(&p, float64(c.net))
		numbers.point(&p, 1)
	}
	return times, numbers
}

// meanError is the standard error of the mean time of calls, and its degrees of freedom.
// Where they are so few that frequencies say little, never less than that of independent ones.
func meanError(calls []call) (err, freedom float64) {
	times, numbers := ofCallTimes(calls)
	err, freedom = ratioError(&times, &numbers)
	n := float64(len(calls))
	if len(calls) > 3*frequencies {
		return err, freedom
	}
	mean, squares := times.sum/n, 0.
	for _, c := range calls {
		squares += (float64(c.net) - mean) * (float64(c.net) - mean)
	}
	return max(err, math.Sqrt(squares/(n-1)/n)), min(freedom, n-1)
}
