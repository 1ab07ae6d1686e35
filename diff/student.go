package diff

import "math"

// tail is the probability that |t| exceeds z for Student's t with so many degrees of freedom
// (infinite: the normal distribution).
func tail(z, freedom float64) float64 {
	switch {
	case math.IsNaN(z):
		return math.NaN()
	case math.IsInf(freedom, 1):
		return math.Erfc(z / math.Sqrt2)
	case z*z > 1e300:
		return 0
	}
	return incompleteBeta(freedom/2, 0.5, freedom/(freedom+z*z))
}

// quantile is the z that |t| exceeds with a probability p, by bisection.
func quantile(p, freedom float64) float64 {
	low, high := 0., 1.
	for tail(high, freedom) > p && high < 1e12 {
		high *= 2
	}
	for range 100 {
		if middle := (low + high) / 2; tail(middle, freedom) > p {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// incompleteBeta is the regularised incomplete beta function I_x(a, b), by its continued
// fraction (NIST Digital Library of Mathematical Functions, 8.17.22), evaluated from
// the front (Lentz).
func incompleteBeta(a, b, x float64) float64 {
	switch {
	case x <= 0:
		return 0
	case x >= 1:
		return 1
	case x > (a+1)/(a+b+2): // where it converges slowly, I_x(a, b) = 1 - I_1-x(b, a)
		return 1 - incompleteBeta(b, a, 1-x)
	}
	la, _ := math.Lgamma(a)
	lb, _ := math.Lgamma(b)
	lab, _ := math.Lgamma(a + b)
	front := math.Exp(lab-la-lb+a*math.Log(x)+b*math.Log1p(-x)) / a
	const tiny = 1e-300
	away := func(v float64) float64 {
		if math.Abs(v) < tiny {
			return tiny
		}
		return v
	}
	c, d := 1., 1/away(1-(a+b)*x/(a+1))
	fraction := d
	for m := 1.; m <= 500; m++ {
		even := m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m))
		d, c = 1/away(1+even*d), away(1+even/c)
		fraction *= d * c
		odd := -(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1))
		d, c = 1/away(1+odd*d), away(1+odd/c)
		fraction *= d * c
		if math.Abs(d*c-1) < 1e-15 {
			break
		}
	}
	return front * fraction
}
